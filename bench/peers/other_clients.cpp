// SPDX-License-Identifier: MIT
#include "other_clients.hpp"

#include <algorithm>
#include <cstdlib>

namespace hawser::bench {

namespace {

// P9. rmcp is not available from npm; a client joined under this name is judged by this bar.
constexpr double faster_than_rmcp = 3;
// By then JIT compilers are done: the TypeScript clients become four times as fast in their first 4,000 calls. Slow
// clients get less.
constexpr int warm_up_calls = 5000;
constexpr auto warm_up_time = std::chrono::seconds{3};
constexpr std::size_t longest_name = 24;  // a column of the table, followed by a version

struct typescript_client {
  const char* name;
  const char* script;
  double stdio_bar;
  double http_bar;
};
constexpr typescript_client typescript_clients[] = {{"TypeScript SDK", "typescript_sdk.mjs", 5, 15},
                                                    {"TypeScript client", "typescript_client.mjs", 8, 15}};

std::string quoted_for_sh(const std::string& text) {
  std::string made = "'";
  for (const char c : text) {
    if (c == '\'')
      made += R"('\'')";
    else
      made += c;
  }
  return made + '\'';
}

error bad(std::string what) { return {.code = errc::config, .what = std::move(what)}; }

result<void> invite_typescript(std::vector<peer_spec>& all, report& into) {
  const char* folder = std::getenv("HAWSER_BENCH_PEERS");
  const char* missing = std::getenv("HAWSER_BENCH_PEERS_MISSING");
  if (folder == nullptr && missing == nullptr)
    return bad(
        "--peers: nobody says where the TypeScript clients are; `./dev bench dispatch --peers` installs them, or "
        "HAWSER_BENCH_PEERS=FOLDER names a copy of bench/peers in which `npm ci` has run");
  for (const typescript_client& one : typescript_clients) {
    if (folder == nullptr)
      into.warn(std::string{one.name} + " takes no part: " + missing);
    else
      all.push_back({.name = one.name,
                     // Node's warnings about their listeners must not be part of the measurement.
                     .command = "exec node --no-warnings " + quoted_for_sh(std::string{folder} + '/' + one.script),
                     .stdio_bar = one.stdio_bar,
                     .http_bar = one.http_bar});
  }
  return {};
}

}  // namespace

result<peer_spec> parse_peer_spec(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == text.npos) return bad("'name=command' is wanted");
  peer_spec made{.name = std::string{text.substr(0, sign)}, .command = std::string{text.substr(sign + 1)}};
  const bool printable = std::all_of(made.name.begin(), made.name.end(), [](char c) { return c >= ' ' && c < 0x7f; });
  if (made.name.empty() || made.name.size() > longest_name || !printable)
    return bad("a name has 1 to " + std::to_string(longest_name) + " printable characters");
  if (made.command.find_first_not_of(' ') == std::string::npos) return bad("there is no command after the '='");
  if (made.name == "rmcp") made.stdio_bar = faster_than_rmcp;
  return made;
}

result<std::vector<peer_spec>> peer_specs(const settings& s, report& into) {
  std::vector<peer_spec> all;
  if (s.typescript_peers) {
    auto invited = invite_typescript(all, into);
    if (!invited) return invited.error();
  }
  for (const std::string& text : s.peers) {
    auto one = parse_peer_spec(text);
    if (!one) return prefixed("--peer " + text, one.error());
    const auto same = [&](const peer_spec& other) { return other.name == one->name; };
    if (std::any_of(all.begin(), all.end(), same)) return bad("--peer: there are two with the name " + one->name);
    all.push_back(std::move(*one));
  }
  return all;
}

const char* name_of(other_clients::wire one) noexcept { return one == other_clients::wire::stdio ? "stdio" : "HTTP"; }

other_clients::other_clients(const std::vector<peer_spec>& who, wire over, report& into) : over_(over), report_(into) {
  for (const peer_spec& one : who)
    participants_.push_back(std::make_unique<participant>(one, over == wire::stdio ? one.stdio_bar : one.http_bar));
}

task<void> other_clients::leave_out(std::size_t which, error why) {
  lost_ = true;
  report_.warn(why.what + "; it is left out over " + name_of(over_));
  co_await participants_[which]->client.end();
  participants_.erase(participants_.begin() + static_cast<std::ptrdiff_t>(which));
}

task<void> other_clients::join(keeper& by, call_target to) {
  for (std::size_t i = 0; i < participants_.size();) {
    auto joined = co_await participants_[i]->client.join(by, to);
    if (joined)
      ++i;
    else
      co_await leave_out(i, joined.error());
  }
}

// Returns nullopt if it failed; then the next client has moved to this index.
task<std::optional<peer_times>> other_clients::run(std::size_t which, int count, int in_flight) {
  auto times = co_await participants_[which]->client.run(count, in_flight);
  if (times) co_return std::move(*times);
  co_await leave_out(which, times.error());
  co_return std::nullopt;
}

task<void> other_clients::warm_up(int count) {
  for (std::size_t i = 0; i < participants_.size();) {
    const auto begin = std::chrono::steady_clock::now();
    bool there = true;
    for (int calls = 0; there && calls < warm_up_calls; calls += count) {
      if (std::chrono::steady_clock::now() - begin > warm_up_time) break;
      const auto times = co_await run(i, count, 1);
      there = times.has_value();
    }
    if (there) ++i;
  }
}

task<void> other_clients::run_round(int count) {
  for (std::size_t i = 0; i < participants_.size();) {
    const auto times = co_await run(i, count, 1);
    if (!times) continue;
    distribution& into = participants_[i++]->latency;
    for (const std::chrono::nanoseconds time : times->each) into.add(time);
    into.end_round();
  }
}

task<void> other_clients::run_concurrently(int count, int in_flight, bool keep) {
  for (std::size_t i = 0; i < participants_.size();) {
    const auto times = co_await run(i, count, in_flight);
    if (!times) continue;
    std::vector<double>& into = participants_[i++]->per_second;
    const std::chrono::duration<double> took = times->took;
    if (keep && took.count() > 0) into.push_back(count / took.count());
  }
}

task<void> other_clients::end() {
  for (const auto& one : participants_) co_await one->client.end();
}

std::vector<candidate> other_clients::rows() const {
  std::vector<candidate> made;
  for (const auto& one : participants_) made.push_back({.name = one->client.name(), .latency = one->latency});
  return made;
}

std::vector<goal> other_clients::ratios(const settings& s, const distribution& ours) const {
  std::vector<goal> made;
  for (const auto& one : participants_) {
    made.push_back({.name = (one->bar ? "P9 p50, " : "p50, ") + one->client.name() + " over " + name_of(over_),
                    .figure = one->latency.ratio_to(ours),
                    .unit = "x ours",
                    .bar = one->bar ? s.judged(*one->bar) : std::nullopt,
                    .wanted = goal::side::at_least});
  }
  return made;
}

std::vector<goal> other_clients::rates() const {
  std::vector<goal> made;
  for (const auto& one : participants_)
    made.push_back({.name = one->client.name(), .figure = median(one->per_second), .unit = "calls/s"});
  return made;
}

}  // namespace hawser::bench
