// SPDX-License-Identifier: MIT
#include "peer_protocol.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "../load/stdio_connection.hpp"

namespace hawser::bench {

namespace {

namespace json = boost::json;
using std::chrono::nanoseconds;

// The clocks of two programs differ by no more than this during a round.
constexpr nanoseconds clock_slack = std::chrono::milliseconds{1};

error nonsense(std::string what) { return {.code = errc::protocol, .what = std::move(what)}; }

// Enough to recognise the text, and safe to print on a terminal.
std::string excerpt(std::string_view text) {
  std::string made;
  for (const char c : text.substr(0, 80)) made += c >= ' ' && c < 0x7f ? c : '?';
  if (text.size() > 80) made += "...";
  return made;
}

result<json::object> read_object(std::string_view line) {
  boost::system::error_code failed;
  json::value value = json::parse(line, failed);
  if (failed || !value.is_object()) return nonsense("it said what is no JSON object: " + excerpt(line));
  json::object object = std::move(value.get_object());
  if (const json::value* said = object.if_contains("error")) {
    const std::string text = said->is_string() ? std::string{said->get_string()} : json::serialize(*said);
    return error{.code = errc::remote, .what = "it said: " + excerpt(text)};
  }
  return object;
}

// Nanoseconds may be written as 1234 or 1234.5, depending on the client's language.
bool read_time(const json::value* from, nanoseconds& into) {
  if (from == nullptr) return false;
  boost::system::error_code failed;
  const auto number = from->to_number<double>(failed);
  constexpr double longest = 1e18;  // thirty years
  if (failed || number < 0 || number >= longest) return false;
  into = nanoseconds{static_cast<nanoseconds::rep>(number)};
  return true;
}

}  // namespace

std::string connect_line(const call_target& to) {
  json::object where;
  if (to.http.empty())
    where["stdio"] = json::array(to.stdio.begin(), to.stdio.end());
  else
    where["http"] = to.http;
  const json::object call{{"name", "echo"}, {"arguments", json::parse(echo_arguments())}};
  return json::serialize(json::object{{"connect", std::move(where)}, {"call", call}}) + '\n';
}

std::string run_line(int count, int in_flight) {
  return json::serialize(json::object{{"run", count}, {"in_flight", in_flight}}) + '\n';
}

std::size_t longest_answer(int count) noexcept { return 4096 + static_cast<std::size_t>(count) * 32; }

result<std::string> read_ready(std::string_view line) {
  auto object = read_object(line);
  if (!object) return object.error();
  const json::value* ready = object->if_contains("ready");
  if (ready == nullptr || !ready->is_string()) return nonsense("it is not \"ready\" but says: " + excerpt(line));
  return excerpt(ready->get_string());
}

result<peer_times> read_times(std::string_view line, int count, int in_flight, nanoseconds waited) {
  auto object = read_object(line);
  if (!object) return object.error();
  peer_times times;
  if (!read_time(object->if_contains("took"), times.took)) return nonsense("it does not say how long it \"took\"");
  if (times.took > waited + clock_slack) return nonsense("it says that it took longer than we have waited for it");
  const json::value* list = object->if_contains("nanoseconds");
  if (list == nullptr || !list->is_array()) return nonsense("it gives no list of \"nanoseconds\"");
  const json::array& all = list->get_array();
  if (all.size() != static_cast<std::size_t>(count))
    return nonsense("it gives " + std::to_string(all.size()) + " times for " + std::to_string(count) + " calls");
  times.each.resize(all.size());
  nanoseconds sum{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!read_time(&all[i], times.each[i]) || times.each[i] > times.took + clock_slack)
      return nonsense("time number " + std::to_string(i + 1) + " is no time of a call");
    sum += times.each[i];
  }
  if (sum > (times.took + clock_slack) * in_flight)
    return nonsense("its times add up to more than " + std::to_string(in_flight) + " in flight can take");
  return times;
}

}  // namespace hawser::bench
