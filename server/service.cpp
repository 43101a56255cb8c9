// SPDX-License-Identifier: MIT
#include "service.hpp"

#include "../runtime/detail/check.hpp"
#include "../transports/json/json_text.hpp"
#include "../transports/jsonrpc/protocol.hpp"

namespace hawser {

namespace {

error not_served() {
  return error{.code = errc::remote, .what = "not served here", .native = protocol::code::method_not_found};
}

}  // namespace

service::~service() { detail::require(listeners_.empty(), "a service died before the sessions that serve it"); }

task<result<service_result>> service::read_resource(request_context& /*request*/) { co_return not_served(); }
task<result<service_result>> service::get_prompt(request_context& /*request*/) { co_return not_served(); }
task<result<service_result>> service::complete(request_context& /*request*/) { co_return not_served(); }

void service::add_listener(service_listener& session) { listeners_.push_back(&session); }
void service::remove_listener(service_listener& session) noexcept { std::erase(listeners_, &session); }

void service::notify_list_changed(list_kind what) const {
  for (service_listener* session : listeners_) session->on_list_changed(what);
}

void service::notify_resource_updated(std::string_view uri) const {
  for (service_listener* session : listeners_) session->on_resource_updated(uri);
}

error invalid_params(std::string what) {
  return error{.code = errc::remote, .what = std::move(what), .native = protocol::code::invalid_params};
}

error no_such_resource(std::string_view uri) {
  std::string data = R"({"uri":)";
  constexpr std::size_t longest = 4096;  // longer ones are not echoed in full
  append_quoted(data, uri.size() <= longest ? std::string{uri} : shortened(uri));
  return error{.code = errc::remote,
               .what = "there is no resource " + json_string(shortened(uri)),
               .native = protocol::code::resource_not_found,
               .data = data + '}'};
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 200;
  if (text.size() <= most) return std::string{text};
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // do not split a UTF-8 sequence
  return std::string{text.substr(0, end)} + "…";
}

std::string text_result(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 64);  // it may be large; growing would allocate up to twice its size
  result += R"({"content":[{"type":"text","text":)";
  append_quoted(result, text);
  return result += "}]}";
}

std::string failed_result(std::string_view text) {
  std::string result = text_result(text);
  result.pop_back();
  return result += R"(,"isError":true})";
}

}  // namespace hawser
