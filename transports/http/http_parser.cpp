// SPDX-License-Identifier: MIT
#include "http_parser.hpp"

#include <llhttp.h>

#include <algorithm>
#include <utility>

#include "../../runtime/detail/check.hpp"
#include "detail/fast_message_parser.hpp"
#include "detail/head_splitter.hpp"

namespace hawser {

struct http_parser::machine {
  using kind = detail::head_splitter::kind;
  enum class phase : std::uint8_t { idle, head, body, complete, broken };

  machine(side what, http_limits given)
      : from(what), limits(given), pieces(what == side::request ? kind::request : kind::answer) {
    begin_grammar();
  }

  static machine& of(llhttp_t* p) noexcept { return *static_cast<machine*>(p->data); }
  static const llhttp_settings_t& settings() noexcept;
  void begin_grammar() noexcept;
  void restart() noexcept;
  result<std::size_t> feed(std::string_view bytes, http_listener& listener);
  result<void> finish(http_listener& listener);

  llhttp_t parser{};
  side from;
  http_limits limits;
  phase at = phase::idle;
  http_listener* to = nullptr;  // inside feed() only
  http_head head;
  http_field field;  // the field being parsed
  detail::head_splitter pieces;
  std::size_t fields = 0;
  std::size_t informational = 0;
  std::size_t extra = 0;  // bytes of chunk extensions and trailers, which are discarded
  std::uint64_t body = 0;
  detail::fast_message_parser plain;  // handles plain messages instead of llhttp
  bool interim = false;               // the head being parsed is of a 1xx response
  bool within_head = false;           // a head has started and not ended
  bool no_body = false;
  bool leaves_body = false;
  bool until_end = false;  // the body ends with the connection
  error failure{};

  [[nodiscard]] std::string_view subject() const noexcept { return from == side::request ? "request" : "answer"; }
  int fail(errc code, std::string_view why) {
    failure = error{.code = code, .what = "http: the " + std::string{subject()} + ' ' + std::string{why}};
    at = phase::broken;
    return HPE_USER;
  }
  error fault(llhttp_errno_t code) const;
  int head_complete();
  int field_complete();
  int more_extra(std::size_t count);
  int more_body(std::string_view piece);
  int body_too_large() {
    return fail(errc::too_large, "has a body of more than " + std::to_string(limits.max_body) + " bytes");
  }
};

// Callbacks terminate the process if memory runs out: no exception may unwind through C.
const llhttp_settings_t& http_parser::machine::settings() noexcept {
  static const llhttp_settings_t settings = [] {
    llhttp_settings_t s;
    llhttp_settings_init(&s);
    s.on_url = [](llhttp_t* p, const char* text, std::size_t size) noexcept {
      of(p).head.target.append(text, size);
      return 0;
    };
    s.on_status = [](llhttp_t* p, const char* text, std::size_t size) noexcept {
      of(p).head.reason.append(text, size);
      return 0;
    };
    s.on_header_field = [](llhttp_t* p, const char* text, std::size_t size) noexcept {
      of(p).field.name.append(text, size);
      return of(p).more_extra(size);
    };
    s.on_header_value = [](llhttp_t* p, const char* text, std::size_t size) noexcept {
      of(p).field.value.append(text, size);
      return of(p).more_extra(size);
    };
    s.on_header_value_complete = [](llhttp_t* p) noexcept { return of(p).field_complete(); };
    s.on_headers_complete = [](llhttp_t* p) noexcept { return of(p).head_complete(); };
    s.on_chunk_extension_name = [](llhttp_t* p, const char*, std::size_t size) noexcept {
      return of(p).more_extra(size);
    };
    s.on_chunk_extension_value = s.on_chunk_extension_name;
    s.on_chunk_complete = [](llhttp_t* p) noexcept {
      of(p).extra = 0;
      return 0;
    };
    s.on_body = [](llhttp_t* p, const char* text, std::size_t size) noexcept { return of(p).more_body({text, size}); };
    s.on_message_complete = [](llhttp_t* p) noexcept -> int {
      machine& m = of(p);
      if (m.interim) {
        m.interim = false;
        m.head = {};
        m.within_head = false;
        m.to->on_interim();
        return 0;
      }
      m.at = phase::complete;
      m.to->on_complete();
      return HPE_PAUSED;  // so that no byte of the next message is consumed
    };
    return s;
  }();
  return settings;
}

void http_parser::machine::begin_grammar() noexcept {
  llhttp_init(&parser, from == side::request ? HTTP_REQUEST : HTTP_RESPONSE, &settings());
  parser.data = this;
}

int http_parser::machine::more_extra(std::size_t count) {
  if (at != phase::body) return 0;
  extra += count;
  if (extra <= limits.max_head) return 0;
  return fail(errc::too_large, "has more than " + std::to_string(limits.max_head) + " bytes beside its body");
}

int http_parser::machine::more_body(std::string_view piece) {
  // The part within the limit is delivered, so that the outcome does not depend on how the bytes are split.
  const std::uint64_t room = limits.max_body == 0 ? piece.size() : limits.max_body - body;
  const std::string_view fits = piece.substr(0, room);
  body += fits.size();
  if (!fits.empty()) to->on_body(fits);
  return fits.size() < piece.size() ? body_too_large() : 0;
}

int http_parser::machine::field_complete() {
  if (++fields > limits.max_fields)
    return fail(errc::too_large, "has more than " + std::to_string(limits.max_fields) + " header fields");
  while (field.value.ends_with(' ') || field.value.ends_with('\t')) field.value.pop_back();
  // Trailers are dropped: none is needed here, and merging them into the head is dangerous.
  if (at != phase::body) head.fields.add(std::move(field.name), std::move(field.value));
  field = {};
  return 0;
}

int http_parser::machine::head_complete() {
  // An unsolicited upgrade is ignored (RFC 9110, "Upgrade": the server may ignore it).
  parser.upgrade = 0;
  if (parser.http_major != 1 || parser.http_minor > 1) return fail(errc::protocol, "is not in HTTP/1.1 or HTTP/1.0");
  if (from == side::response && parser.status_code < 100) return fail(errc::protocol, "has no status of three digits");
  if (from == side::response && parser.status_code < 200) {
    if (parser.status_code == 101) return fail(errc::protocol, "switches to another protocol, which nobody asked for");
    if (++informational > limits.max_informational)
      return fail(errc::protocol,
                  "has more than " + std::to_string(limits.max_informational) + " interim ones before it");
    // RFC 9112, "Message Body Length": these have no body. llhttp expects one if the fields announce it.
    if (head.fields.find("content-length") || head.fields.find("transfer-encoding"))
      return fail(errc::protocol, "has an interim one with a body before it");
    interim = true;
    return 1;
  }
  if (const auto coding = head.fields.find("transfer-encoding")) {
    // RFC 9112, "Message Body Length": with any other coding the end of the body is ambiguous.
    if (head.fields.count("transfer-encoding") != 1 || !equal_ignoring_case(*coding, "chunked"))
      return fail(errc::protocol, "has a transfer encoding other than chunked");
    if (parser.http_minor == 0) return fail(errc::protocol, "is in HTTP/1.0 and chunked");
    if (head.fields.find("content-length")) return fail(errc::protocol, "has a content length and is chunked");
  }
  if (from == side::request) {
    head.method = llhttp_method_name(static_cast<llhttp_method_t>(parser.method));
    // llhttp accepts several spaces, and other protocols of this form.
    if (pieces.opening() != head.method + ' ' + head.target + " HTTP/1." + std::to_string(parser.http_minor) + "\r\n")
      return fail(errc::protocol, "has a line of another form than \"METHOD target HTTP/1.1\"");
  } else {
    head.status = parser.status_code;
    if (!valid_field_value(head.reason)) head.reason.clear();  // it is shown to users, in terminals
  }
  no_body = no_body || parser.status_code == 204 || parser.status_code == 304;
  if (no_body) parser.flags |= F_SKIPBODY;
  head.minor = parser.http_minor;
  head.keep_alive = llhttp_should_keep_alive(&parser) != 0;
  if ((parser.flags & F_CONTENT_LENGTH) != 0) head.length = parser.content_length;
  until_end = llhttp_message_needs_eof(&parser) != 0;
  const bool over = !no_body && limits.max_body != 0 && head.length.value_or(0) > limits.max_body;
  at = phase::body;
  within_head = false;
  to->on_head(head);
  if (over) return body_too_large();
  return no_body ? 1 : 0;
}

error http_parser::machine::fault(llhttp_errno_t code) const {
  const bool first_line = fields == 0 && field.name.empty() && informational == 0 && at == phase::head;
  const bool no_http = code == HPE_INVALID_CONSTANT || code == HPE_INVALID_METHOD || code == HPE_PAUSED_H2_UPGRADE ||
                       code == HPE_INVALID_VERSION || code == HPE_INVALID_URL;
  if (first_line && (no_http || detail::begins_as_another_protocol(pieces.opening())))
    return error{.code = errc::protocol,
                 .what = "http: the " + std::string{subject()} + detail::not_http(pieces.opening())};
  const char* reason = llhttp_get_error_reason(&parser);
  std::string why = reason != nullptr && *reason != '\0' ? reason : llhttp_errno_name(code);
  if (why.front() >= 'A' && why.front() <= 'Z' && why.size() > 1 && why[1] >= 'a' && why[1] <= 'z')
    why.front() = static_cast<char>(why.front() - 'A' + 'a');
  return error{.code = errc::protocol, .what = "http: the " + std::string{subject()} + " is malformed: " + why};
}

void http_parser::machine::restart() noexcept {
  at = phase::idle;
  body = 0;
  no_body = leaves_body = false;
  if (plain.forget()) return;  // a plain message leaves only its head, which is kept for comparison
  begin_grammar();
  head = {};
  field = {};
  pieces.restart();
  fields = informational = extra = 0;
  interim = within_head = until_end = false;
}

result<std::size_t> http_parser::machine::feed(std::string_view bytes, http_listener& listener) {
  to = &listener;
  std::size_t used = 0;
  if (at == phase::idle && from == side::response && !no_body && plain.begin(bytes, limits, head)) at = phase::body;
  if (plain.begun() && at == phase::body) {
    used = plain.feed(bytes, head, listener);
    if (plain.ended()) at = phase::complete;
    return used;
  }
  while (used < bytes.size() && at != phase::complete && at != phase::broken) {
    std::string_view piece = bytes.substr(used);
    bool bare = false;
    if (at == phase::idle) at = phase::head;
    if (at == phase::head) {
      if (pieces.size() == limits.max_head) {
        fail(errc::too_large, "has a head of more than " + std::to_string(limits.max_head) + " bytes");
        break;
      }
      piece = pieces.next(piece, limits.max_head, bare);
      // llhttp skips empty lines here, too; but they mean that the previous message ended elsewhere.
      if (from == side::response && (pieces.opening().starts_with('\r') || pieces.opening().starts_with('\n'))) {
        fail(errc::protocol, "begins with an empty line");
        break;
      }
      within_head = true;
    }
    const llhttp_errno_t code = llhttp_execute(&parser, piece.data(), piece.size());
    if (code == HPE_OK) {
      used += piece.size();
      if (leaves_body) at = phase::complete;
      if (bare) fail(errc::protocol, "has a carriage return or a line feed alone in its head");
    } else if (at == phase::complete) {  // paused, at the end of the message
      used += static_cast<std::size_t>(llhttp_get_error_pos(&parser) - piece.data());
    } else if (at != phase::broken) {
      failure = fault(code);
      at = phase::broken;
    }
  }
  if (at == phase::broken) return failure;
  return used;
}

result<void> http_parser::machine::finish(http_listener& listener) {
  if (at == phase::broken) return failure;
  if (at == phase::complete) return {};
  if (at == phase::body && until_end) {
    at = phase::complete;
    listener.on_complete();
    return {};
  }
  std::string how = "ended before it began";
  if (at == phase::head) how = "is truncated: the connection ended within its head";
  if (at == phase::body)
    how = "is truncated: the connection ended after " + std::to_string(body + plain.delivered()) + " bytes of its body";
  fail(errc::closed, how);
  return failure;
}

http_parser::http_parser(side what, http_limits limits) : machine_(std::make_unique<machine>(what, limits)) {}
http_parser::http_parser(http_parser&&) noexcept = default;
http_parser& http_parser::operator=(http_parser&&) noexcept = default;
http_parser::~http_parser() = default;

void http_parser::expect_no_body() noexcept {
  machine_->no_body = true;
  machine_->head = {};  // drops the previous head: llhttp parses this message and appends to it
}
void http_parser::skip_body() noexcept {
  machine_->leaves_body = true;
  machine_->plain.skip_body();
}

result<std::size_t> http_parser::feed(std::string_view bytes, http_listener& to) { return machine_->feed(bytes, to); }

result<void> http_parser::finish(http_listener& to) { return machine_->finish(to); }

bool http_parser::between_messages() const noexcept { return machine_->at == machine::phase::idle; }

bool http_parser::within_head() const noexcept { return machine_->within_head; }

bool http_parser::complete() const noexcept { return machine_->at == machine::phase::complete; }

const http_head& http_parser::head() const noexcept { return machine_->head; }

http_head http_parser::take_head() noexcept { return std::exchange(machine_->head, {}); }

void http_parser::trim() noexcept {
  if (!between_messages()) return;
  machine_->head = {};
  machine_->plain.trim();
}

void http_parser::next() noexcept {
  detail::require(complete(), "http_parser::next: the message is not complete");
  machine_->restart();
}

}  // namespace hawser
