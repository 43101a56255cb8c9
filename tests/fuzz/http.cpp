// SPDX-License-Identifier: MIT
// The parser of HTTP messages hears the same however the bytes are split, takes nothing of the next message, holds its
// caps, and what it understood can be written down and is read the same. The first two bytes of an input choose the
// side, the caps and the splits.
#include <algorithm>
#include <random>
#include <string>

#include "../../transports/http/http_parser.hpp"
#include "../support/http_reference.hpp"
#include "target.hpp"

namespace hawser::testing {

namespace {

using side = http_parser::side;

struct notes final : http_listener {
  void on_head(const http_head& given) noexcept override {
    ++heads;
    if (completed) must_be_empty("a head after the end");
    head = given;
  }
  void on_body(std::string_view piece) noexcept override {
    if (heads != 1 || completed) must_be_empty("a body outside of its message");
    body += piece;
  }
  void on_complete() noexcept override {
    if (heads != 1 || completed) must_be_empty("an end without a beginning");
    completed = true;
  }
  int heads = 0;
  bool completed = false;
  http_head head;
  std::string body;
};

struct outcome {
  notes heard;
  std::size_t used = 0;
  std::string failure;

  void fail(const error& why) {
    failure = why.what;
    // How much garbage is shown depends on how much has come.
    if (const std::size_t shown = failure.find(" does not begin as"); shown != std::string::npos) failure.resize(shown);
  }
  [[nodiscard]] bool same(const outcome& other) const {
    return heard.heads == other.heard.heads && heard.completed == other.heard.completed &&
           heard.body == other.heard.body && heard.head.fields == other.heard.head.fields &&
           heard.head.status == other.heard.head.status && heard.head.reason == other.heard.head.reason &&
           heard.head.method == other.heard.head.method && heard.head.target == other.heard.head.target &&
           heard.head.length == other.heard.head.length && heard.head.keep_alive == other.heard.head.keep_alive &&
           same_failure(other) && (!failure.empty() || used == other.used);
  }
  // Beside the body, a byte that is wrong and a limit are both refused; which one is seen first depends on the splits.
  [[nodiscard]] bool same_failure(const outcome& other) const {
    return heard.heads == 1 ? failure.empty() == other.failure.empty() : failure == other.failure;
  }
};

struct manner {
  side from = side::response;
  http_limits limits{};
  bool no_body = false;
  std::minstd_rand random{};
  std::size_t longest_piece = 1;
};

outcome parsed(std::string_view bytes, manner how) {
  http_parser parser{how.from, how.limits};
  if (how.no_body) parser.expect_no_body();
  outcome made;
  while (made.used < bytes.size() && !parser.complete()) {
    const std::size_t size = std::min<std::size_t>(bytes.size() - made.used, 1 + how.random() % how.longest_piece);
    const auto fed = parser.feed(bytes.substr(made.used, size), made.heard);
    if (!fed) {
      made.fail(fed.error());
      return made;
    }
    if (*fed > size || (*fed < size && !parser.complete())) must_be_empty("a wrong number of bytes taken");
    made.used += *fed;
  }
  if (const auto finished = parser.finish(made.heard); !finished) made.fail(finished.error());
  if (parser.complete() != made.heard.completed) must_be_empty("complete, but not told");
  return made;
}

void check_limits(const outcome& o, const http_limits& limits) {
  if (o.heard.body.size() > limits.max_body) must_be_empty("a body of more than its cap");
  if (o.heard.head.fields.all().size() > limits.max_fields) must_be_empty("more fields than the cap");
  std::size_t head = o.heard.head.reason.size() + o.heard.head.target.size();
  for (const http_field& f : o.heard.head.fields.all()) {
    head += f.name.size() + f.value.size();
    if (!valid_field_name(f.name) || !valid_field_value(f.value)) must_be_empty("a field that could not be written");
  }
  if (head > limits.max_head) must_be_empty("a head of more than its cap");
}

// A message whose head is known is heard as the first one was.
void check_repeated(std::string_view bytes, const outcome& first, const manner& how) {
  if (!first.heard.completed || how.no_body) return;
  http_parser parser{how.from, how.limits};
  for (int i = 0; i < 3; ++i) {
    outcome again;
    const auto fed = parser.feed(bytes, again.heard);
    if (!fed) return must_be_empty("a message that was read once is refused");
    again.used = *fed;
    if (!parser.complete()) return;  // it ends with the connection
    if (!again.same(first)) must_be_empty("something else when it comes again");
    parser.next();
  }
}

// Where two parsers read different messages, a third one is smuggled.
void check_by_reference(std::string_view bytes, const outcome& o, const manner& how) {
  if (!o.heard.completed) return;
  const auto from = how.from == side::request ? http_reference::side::request : http_reference::side::response;
  const auto again = http_reference{from, bytes, how.no_body}.read();
  if (!again) return must_be_empty("the second parser refuses it");
  if (again->used != o.used) must_be_empty("the second parser sees another end");
  if (again->body != o.heard.body) must_be_empty("the second parser sees another body");
  if (!(again->fields == o.heard.head.fields)) must_be_empty("the second parser sees other fields");
  if (again->status != o.heard.head.status || again->method != o.heard.head.method ||
      again->target != o.heard.head.target)
    must_be_empty("the second parser sees another first line");
}

// Written anew with a plain length, a message that was understood reads the same.
void check_rewritten(const outcome& o, const manner& how) {
  if (!o.heard.completed || how.no_body) return;
  const http_head& head = o.heard.head;
  std::string text = how.from == side::request ? head.method + ' ' + head.target + " HTTP/1.1\r\n"
                                               : "HTTP/1.1 " + std::to_string(head.status) + ' ' + head.reason + "\r\n";
  http_fields fields;
  for (const http_field& f : head.fields.all()) {
    if (equal_ignoring_case(f.name, "transfer-encoding") || equal_ignoring_case(f.name, "content-length")) continue;
    append_field(text, f.name, f.value);
    fields.add(f.name, f.value);
  }
  if (!o.heard.body.empty()) {
    append_field(text, "Content-Length", std::to_string(o.heard.body.size()));
    fields.add("Content-Length", std::to_string(o.heard.body.size()));
  }
  text += "\r\n" + o.heard.body;
  manner again = how;
  again.limits = {.max_head = text.size() + 1, .max_fields = 1000, .max_body = text.size() + 1};
  const outcome reread = parsed(text + (how.from == side::request || !o.heard.body.empty() ? "next" : ""), again);
  if (!reread.heard.completed || reread.heard.body != o.heard.body || !(reread.heard.head.fields == fields) ||
      reread.heard.head.status != head.status || reread.heard.head.target != head.target)
    must_be_empty("reads differently when written anew: " + text + " -> " + reread.failure);
}

}  // namespace

void fuzz_one(std::string_view input) {
  if (input.size() < 2) return;
  const auto choice = static_cast<unsigned char>(input[0]);
  manner how;
  how.from = (choice & 1) != 0 ? side::request : side::response;
  how.no_body = (choice & 2) != 0 && how.from == side::response;
  if ((choice & 4) != 0) how.limits = {.max_head = 64, .max_fields = 3, .max_body = 16, .max_informational = 2};
  how.random.seed(static_cast<unsigned char>(input[1]) + 1U);
  const std::string_view bytes = input.substr(2);
  how.longest_piece = bytes.size() + 1;
  manner one_piece = how;
  const outcome whole = [&] {
    http_parser parser{how.from, how.limits};  // all at once, not by chance
    if (how.no_body) parser.expect_no_body();
    outcome made;
    const auto fed = parser.feed(bytes, made.heard);
    if (!fed) {
      made.fail(fed.error());
      return made;
    }
    made.used = *fed;
    if (const auto finished = parser.finish(made.heard); !finished) made.fail(finished.error());
    return made;
  }();
  check_limits(whole, how.limits);
  check_by_reference(bytes, whole, how);
  for (const std::size_t longest_piece : {std::size_t{1}, std::size_t{7}, bytes.size() + 1}) {
    how.longest_piece = longest_piece;
    if (!parsed(bytes, how).same(whole))
      must_be_empty("something else in pieces of up to " + std::to_string(longest_piece) + ": " + whole.failure +
                    " / " + parsed(bytes, how).failure);
  }
  check_rewritten(whole, one_piece);
  check_repeated(bytes, whole, one_piece);
}

}  // namespace hawser::testing
