// SPDX-License-Identifier: MIT
// The parser of event streams hears what the definition says, however the bytes are split, and holds its cap. The first
// two bytes of an input choose the cap and the splits.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "../../transports/http/sse_parser.hpp"
#include "target.hpp"

namespace hawser::testing {

namespace {

using texts = std::vector<std::string>;

struct notes final : sse_listener {
  void on_event(const sse_event& e) noexcept override {
    heard.push_back("event " + std::string{e.type} + '|' + std::string{e.id} + (e.has_id ? "!|" : "|") +
                    std::string{e.data});
  }
  void on_retry(std::chrono::milliseconds pause) noexcept override {
    heard.push_back("retry " + std::to_string(pause.count()));
  }
  texts heard;
};

// The interpretation of a stream with everything at hand, written as the standard has it, without a limit.
texts expected_of(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  texts heard;
  std::string type, data, id;
  bool has_id = false;
  while (true) {
    const std::size_t end = bytes.find_first_of("\r\n");
    if (end == std::string_view::npos) return heard;
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1));
    if (line.empty()) {
      if (!data.empty()) {
        data.pop_back();
        std::string& what = heard.emplace_back("event ");
        what.append(type).append("|").append(id).append(has_id ? "!|" : "|").append(data);
      }
      type.clear();
      data.clear();
      has_id = false;
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    std::string_view value = colon == line.size() ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") type = value;
    if (name == "data") (data += value) += '\n';
    if (name == "id" && value.size() <= sse_parser::max_id && value.find('\0') == std::string_view::npos) {
      id = value;
      has_id = true;
    }
    if (name == "retry" && !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos) {
      const std::size_t digits = std::min(value.find_first_not_of('0'), value.size() - 1);
      const std::string number{value.substr(digits)};
      const std::string most = "9223372036854775807";
      const bool fits = number.size() < most.size() || (number.size() == most.size() && number <= most);
      heard.push_back("retry " + (fits ? number : most));
    }
  }
}

struct outcome {
  texts heard;
  std::string last_id;
  bool too_large = false;
  bool operator==(const outcome&) const = default;
};

outcome parsed(std::string_view bytes, std::size_t max_event, std::minstd_rand random, std::size_t longest_piece) {
  sse_parser parser{max_event};
  notes to;
  bool fine = true;
  for (std::size_t begin = 0; begin < bytes.size() && fine;) {
    const std::size_t size = std::min<std::size_t>(bytes.size() - begin, 1 + random() % longest_piece);
    fine = parser.feed(bytes.substr(begin, size), to).has_value();
    begin += size;
  }
  for (const char never : {'\0', '\r', '\n'})
    if (parser.last_id().find(never) != std::string_view::npos) must_be_empty("an id that no header may have");
  for (const std::string& text : to.heard)
    if (text.size() > max_event + 64) must_be_empty("an event of more than the cap");
  return {to.heard, std::string{parser.last_id()}, !fine};
}

}  // namespace

void fuzz_one(std::string_view input) {
  if (input.size() < 2) return;
  const std::size_t small_cap = 2 + static_cast<unsigned char>(input[0]) % 64;
  const std::minstd_rand random{static_cast<unsigned char>(input[1]) + 1U};
  const std::string_view bytes = input.substr(2);
  const outcome whole = parsed(bytes, bytes.size() + 1, random, bytes.size() + 1);
  if (whole.too_large || whole.heard != expected_of(bytes)) must_be_empty("not what the definition hears");
  for (const std::size_t cap : {bytes.size() + 1, small_cap}) {
    const outcome at_once = parsed(bytes, cap, random, bytes.size() + 1);
    if (!std::equal(
            at_once.heard.begin(), at_once.heard.end(), whole.heard.begin(),
            whole.heard.begin() + static_cast<std::ptrdiff_t>(std::min(at_once.heard.size(), whole.heard.size()))))
      must_be_empty("a cap changes what comes before it");
    for (const std::size_t longest_piece : {std::size_t{1}, std::size_t{7}})
      if (parsed(bytes, cap, random, longest_piece) != at_once)
        must_be_empty("other events in pieces of up to " + std::to_string(longest_piece));
  }
}

}  // namespace hawser::testing
