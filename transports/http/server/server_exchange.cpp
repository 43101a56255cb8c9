// SPDX-License-Identifier: MIT
#include "server_exchange.hpp"

#include <array>
#include <charconv>
#include <chrono>

#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/detail/check.hpp"

namespace hawser {

namespace {

// Pieces of at least this size are written without a copy, which would hold them twice; smaller ones are joined so that
// they leave in one packet.
constexpr std::size_t large_piece = std::size_t{64} << 10;

std::string_view reason_of(int status) noexcept {
  switch (status) {
    case 200: return "OK";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return status < 400 ? "Done" : "Refused";
  }
}

bool frames_message(std::string_view name) noexcept {
  for (const char* own : {"content-length", "transfer-encoding", "connection", "date"})
    if (equal_ignoring_case(name, own)) return true;
  return false;
}

void append_padded(std::string& text, unsigned number) {
  if (number < 10) text += '0';
  text += std::to_string(number);
}

// RFC 9110, "Date/Time Formats", independent of the locale.
std::string http_date(std::chrono::system_clock::time_point at) {
  constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(at - day)};
  std::string text = days.at(std::chrono::weekday{day}.c_encoding());
  text += ", ";
  append_padded(text, static_cast<unsigned>(date.day()));
  text.append(1, ' ').append(months.at(static_cast<unsigned>(date.month()) - 1)).append(1, ' ');
  text.append(std::to_string(static_cast<int>(date.year()))).append(1, ' ');
  append_padded(text, static_cast<unsigned>(time.hours().count()));
  text += ':';
  append_padded(text, static_cast<unsigned>(time.minutes().count()));
  text += ':';
  append_padded(text, static_cast<unsigned>(time.seconds().count()));
  return text + " GMT";
}

task<result<void>> drain(byte_stream& over) { co_return co_await over.drained(); }

}  // namespace

task<result<void>> drained_at_rate(byte_stream& over, drain_rate rate) {
  while (true) {
    const std::uint64_t before = over.written();
    auto taken = co_await with_timeout(rate.window, drain(over));
    if (taken || taken.error().code != errc::timed_out || over.written() - before < rate.bytes) co_return taken;
  }
}

server_exchange::server_exchange(byte_stream& over, http_head request, std::string body, drain_rate rate,
                                 std::optional<byte_budget::share> held) noexcept
    : over_(over),
      request_(std::move(request)),
      body_(std::move(body)),
      rate_(rate),
      held_(std::move(held)),
      keep_alive_(request_.keep_alive) {}

void server_exchange::release_body() noexcept {
  std::string{}.swap(body_);
  held_.reset();
}

bool server_exchange::without_body(int status) const noexcept {
  return request_.method == "HEAD" || status == 204 || status == 304;
}

void server_exchange::write_head(int status, const http_fields& fields, std::string& head) {
  detail::require(stage_ == response_stage::not_started, "server_exchange: a request is answered once");
  detail::require(status >= 200 && status <= 599, "server_exchange: not the status of an answer");
  bodiless_ = without_body(status);
  head.append("HTTP/1.1 ").append(std::to_string(status)).append(1, ' ').append(reason_of(status)).append("\r\n");
  append_field(head, "Date", http_date(std::chrono::system_clock::now()));
  for (const http_field& field : fields.all())
    if (!frames_message(field.name)) append_field(head, field.name, field.value);
  if (!keep_alive_) {
    append_field(head, "Connection", "close");
  } else if (request_.minor == 0) {
    append_field(head, "Connection", "keep-alive");
  }
}

void server_exchange::reply(int status, const http_fields& fields, std::string body) {
  std::string text;
  write_head(status, fields, text);
  // RFC 9110, "Content-Length": absent with 204; for HEAD the value that GET would have.
  if (status != 204 && status != 304) append_field(text, "Content-Length", std::to_string(body.size()));
  text += "\r\n";
  stage_ = response_stage::ended;
  const bool apart = !bodiless_ && body.size() >= large_piece;
  if (!bodiless_ && !apart) text += body;
  over_.write(text);
  if (apart) over_.hand_over(std::move(body));
}

void server_exchange::begin(int status, const http_fields& fields) {
  std::string head;
  // HTTP/1.0 has no chunked encoding: the end of the connection is the end of the response.
  chunked_ = request_.minor > 0;
  if (!chunked_) keep_alive_ = false;
  write_head(status, fields, head);
  if (chunked_ && !bodiless_) append_field(head, "Transfer-Encoding", "chunked");
  head += "\r\n";
  stage_ = response_stage::streaming;
  over_.write(head);
}

void server_exchange::write_piece(std::string piece) {
  if (piece.empty() || bodiless_) return;  // an empty chunk would end the body
  std::string before;
  if (chunked_) {
    std::array<char, 18> size{};
    char* end = std::to_chars(size.data(), size.data() + 16, piece.size(), 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    before.assign(size.data(), end);
  }
  const std::string_view behind = chunked_ ? "\r\n" : "";
  if (piece.size() < large_piece) {
    over_.write(before.append(piece).append(behind));
  } else {
    over_.write(before);
    over_.hand_over(std::move(piece));
    over_.write(behind);
  }
}

task<result<void>> server_exchange::send(std::string piece) {
  detail::require(stage_ == response_stage::streaming, "server_exchange: a piece comes between begin() and end()");
  write_piece(std::move(piece));
  co_return co_await drained();
}

task<result<void>> server_exchange::drained() {
  auto all = co_await drained_at_rate(over_, rate_);
  if (!all && all.error().code == errc::timed_out) too_slow_ = true;
  co_return all;
}

void server_exchange::end() {
  detail::require(stage_ == response_stage::streaming, "server_exchange: end() comes after begin()");
  stage_ = response_stage::ended;
  if (chunked_ && !bodiless_) over_.write("0\r\n\r\n");
}

}  // namespace hawser
