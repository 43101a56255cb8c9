// SPDX-License-Identifier: MIT
#include "outgoing_lines.hpp"

#include <array>
#include <charconv>

#include "json_text.hpp"
#include "protocol.hpp"

namespace hawser {

namespace {

constexpr std::string_view version = R"({"jsonrpc":"2.0",)";

std::string opening(std::string_view method) {
  std::string text{version};
  text += R"("method":)";
  append_quoted(text, method);
  return text;
}

}  // namespace

prepared_request::prepared_request(const parts& p) {
  to_token_ = opening(p.method);
  to_token_ += R"(,"params":{)";
  to_token_ += p.members;
  if (!p.members.empty()) to_token_ += ',';
  append_quoted(to_token_, protocol::meta::key);
  to_token_ += ":{";
  to_token_ += p.meta;
  if (!p.meta.empty()) to_token_ += ',';
  append_quoted(to_token_, protocol::meta::progress_token);
  to_token_ += ':';
  without_argument_ = R"(}},"id":)";
  if (p.argument.empty()) return;
  to_argument_ = "},";
  append_quoted(to_argument_, p.argument);
  to_argument_ += ':';
  to_id_ = R"(},"id":)";
}

prepared_request prepared_request::verbatim(std::string_view method, std::string_view params) {
  prepared_request r;
  r.without_argument_ = opening(method);
  if (!params.empty()) {
    r.without_argument_ += R"(,"params":)";
    r.without_argument_ += params;
  }
  r.without_argument_ += R"(,"id":)";
  return r;
}

prepared_request prepared_request::tool_call(std::string_view name, std::string_view meta) {
  std::string members = R"("name":)";
  append_quoted(members, name);
  return prepared_request{
      {.method = protocol::method::tools_call, .members = members, .meta = meta, .argument = "arguments"}};
}

void prepared_request::append_to(std::string& line, std::int64_t id, std::string_view argument) const {
  std::array<char, 24> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): to_chars fills it
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), id).ptr;
  const std::string_view digits{buffer.data(), static_cast<std::size_t>(end - buffer.data())};
  if (!to_token_.empty()) {
    line += to_token_;
    line += digits;
  }
  if (argument.empty() || to_argument_.empty()) {
    line += without_argument_;
  } else {
    line += to_argument_;
    line += argument;
    line += to_id_;
  }
  line += digits;
  line += "}\n";
}

std::string notification_line(std::string_view method, std::string_view params) {
  std::string line = opening(method);
  if (!params.empty()) {
    line += R"(,"params":)";
    line += params;
  }
  return line += "}\n";
}

std::string result_line(const request_id& id, std::string_view result) {
  std::string line{version};
  line += R"("id":)" + id.json() + R"(,"result":)";
  line += result;
  return line += "}\n";
}

std::string error_line(const request_id& id, int code, std::string_view message, std::string_view data) {
  std::string line{version};
  line += R"("id":)" + id.json() + R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":)";
  append_quoted(line, message);
  if (!data.empty()) {
    line += R"(,"data":)";
    line += data;
  }
  return line += "}}\n";
}

std::string cancelled_line(std::int64_t request, std::string_view reason) {
  std::string params = R"({"requestId":)" + std::to_string(request) + R"(,"reason":)";
  append_quoted(params, reason);
  return notification_line(protocol::notification::cancelled, params += '}');
}

}  // namespace hawser
