// SPDX-License-Identifier: MIT
// Feeds HTTP to the parser and records the result as one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../../transports/http/http_parser.hpp"
#include "ut.hpp"

namespace hawser::testing::http_reading {

using side = http_parser::side;

// Records the parser's events.
struct parser_events final : http_listener {
  void on_head(const http_head& head) noexcept override {
    heads.push_back(head);
    text += head.status != 0 ? std::to_string(head.status) : head.method + ' ' + head.target;
    if (head.reason.find('\x1B') != std::string::npos) text += "a reason that spoils a terminal";
    for (const http_field& f : head.fields.all()) text += '|' + f.name + '=' + f.value;
    text += head.keep_alive ? "|keep>" : "|close>";
  }
  void on_body(std::string_view piece) noexcept override { text += piece; }
  void on_complete() noexcept override { text += '.'; }
  std::vector<http_head> heads;
  std::string text;
};

struct outcome {
  std::string text;  // the events, then the kind of error, if any
  std::string why;
  std::size_t used = 0;
};

struct settings {
  http_limits limits{};
  std::vector<std::size_t> ends{};
  bool no_body = false;
  bool finish = true;
};

// One message in pieces that end at the given positions.
inline outcome read(side from, std::string_view bytes, const settings& how = {}) {
  http_parser parser{from, how.limits};
  if (how.no_body) parser.expect_no_body();
  parser_events to;
  outcome made;
  std::vector<std::size_t> ends = how.ends;
  ends.push_back(bytes.size());
  const auto fail = [&](const error& e) {
    made.why = e.what;
    made.text = to.text + '!' + std::string{to_string(e.code)};
    return made;
  };
  for (const std::size_t end : ends) {
    while (made.used < end && !parser.complete()) {
      const auto fed = parser.feed(bytes.substr(made.used, end - made.used), to);
      if (!fed.has_value()) return fail(fed.error());
      made.used += *fed;
    }
  }
  if (how.finish) {
    const auto finished = parser.finish(to);
    if (!finished.has_value()) return fail(finished.error());
  }
  made.text = to.text;
  return made;
}

inline outcome answer(std::string_view bytes, const settings& how = {}) { return read(side::response, bytes, how); }
inline outcome request(std::string_view bytes, const settings& how = {}) { return read(side::request, bytes, how); }
inline bool refused(const outcome& o) { return o.text.ends_with("!protocol") && o.why.starts_with("http: the "); }
inline bool over(const outcome& o) { return o.text.ends_with("!too_large") && o.why.starts_with("http: the "); }

// Expects the same outcome, with bodies joined, wherever the bytes are split.
inline void expect_same_split_anywhere(side from, std::string_view bytes, settings how = {}) {
  const outcome whole = read(from, bytes, how);
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    how.ends = {first};
    const outcome split = read(from, bytes, how);
    expect(split.text == whole.text && split.why == whole.why) << first << split.text << whole.text << split.why;
    if (whole.why.empty()) expect(split.used == whole.used) << first;
  }
  how.ends.clear();
  for (std::size_t i = 1; i <= bytes.size(); ++i) how.ends.push_back(i);
  expect(read(from, bytes, how).text == whole.text) << "byte by byte";
}

}  // namespace hawser::testing::http_reading
