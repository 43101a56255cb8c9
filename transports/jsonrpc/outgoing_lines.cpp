// SPDX-License-Identifier: MIT
#include "outgoing_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "../json/json_text.hpp"
#include "protocol.hpp"

namespace hawser {

namespace {

constexpr std::string_view version_member = R"({"jsonrpc":"2.0",)";

std::string opening(std::string_view method) {
  std::string text{version_member};
  text += R"("method":)";
  append_quoted(text, method);
  return text;
}

// Valid JSON may have line breaks between its tokens, never inside one. On the wire they would end the message, and the
// text between two of them could be a complete message.
char* on_one_line(std::string_view json, char* to) noexcept {
  char* end = std::copy_n(json.data(), json.size(), to);
  const bool broken = json.find('\n') != std::string_view::npos || json.find('\r') != std::string_view::npos;
  if (broken) std::replace_if(to, end, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return end;
}

void append_on_one_line(std::string& to, std::string_view json) {
  const std::size_t before = to.size();
  to.resize(before + json.size());
  on_one_line(json, to.data() + before);
}

}  // namespace

prepared_request::prepared_request(const parts& p) : text_(opening(p.method)) {
  text_ += R"(,"params":{)";
  append_on_one_line(text_, p.members);
  if (!p.members.empty()) text_ += ',';
  append_quoted(text_, protocol::meta::key);
  text_ += ":{";
  append_on_one_line(text_, p.meta);
  if (!p.meta.empty()) text_ += ',';
  append_quoted(text_, protocol::meta::progress_token);
  text_ += ':';
  token_ = argument_ = id_ = text_.size();
  if (!p.argument.empty()) {
    text_ += "},";
    append_quoted(text_, p.argument);
    text_ += ':';
    argument_ = text_.size();
    text_ += R"(},"id":)";
    id_ = text_.size();
  }
  text_ += R"(}},"id":)";
  note_method(p.method);
}

void prepared_request::note_method(std::string_view method) {
  const std::size_t at = text_.find(method, version_member.size());
  const bool plain = at != text_.npos && text_.compare(at + method.size(), 1, "\"") == 0;
  if (!plain || text_.find(protocol::meta::protocol_version) != text_.npos) return;
  method_ = at;
  size_ = method.size();
}

prepared_request prepared_request::verbatim(std::string_view method, std::string_view params) {
  prepared_request r;
  r.text_ = opening(method);
  if (!params.empty()) {
    r.text_ += R"(,"params":)";
    append_on_one_line(r.text_, params);
  }
  r.text_ += R"(,"id":)";
  r.note_method(method);
  return r;
}

prepared_request prepared_request::tool_call(std::string_view name, std::string_view meta) {
  std::string members = R"("name":)";
  append_quoted(members, name);
  return prepared_request{
      {.method = protocol::method::tools_call, .members = members, .meta = meta, .argument = "arguments"}};
}

void prepared_request::append_to(std::string& line, std::int64_t id, std::string_view argument) const {
  constexpr std::size_t longest_id = 20;
  std::array<char, longest_id> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): to_chars fills it
  const auto end_of_id = std::to_chars(buffer.data(), buffer.data() + buffer.size(), id).ptr;
  const std::string_view digits{buffer.data(), static_cast<std::size_t>(end_of_id - buffer.data())};
  const std::string_view text = text_;
  // Allocates everything at once instead of piece by piece.
  const std::size_t before = line.size();
  line.resize(before + text.size() + 2 * longest_id + argument.size() + 2);
  char* end = line.data() + before;
  const auto add = [&end](std::string_view piece) { end = std::copy_n(piece.data(), piece.size(), end); };
  if (token_ > 0) {
    add(text.substr(0, token_));
    add(digits);
  }
  if (argument.empty() || argument_ == token_) {
    add(text.substr(id_));
  } else {
    add(text.substr(token_, argument_ - token_));
    end = on_one_line(argument, end);
    add(text.substr(argument_, id_ - argument_));
  }
  add(digits);
  add("}\n");
  line.resize(static_cast<std::size_t>(end - line.data()));
}

std::string notification_line(std::string_view method, std::string_view params) {
  std::string line = opening(method);
  if (!params.empty()) {
    line += R"(,"params":)";
    append_on_one_line(line, params);
  }
  return line += "}\n";
}

std::string result_line(const request_id& id, std::string_view result) {
  std::string line{version_member};
  line += R"("id":)" + id.json() + R"(,"result":)";
  append_on_one_line(line, result);
  return line += "}\n";
}

namespace {

std::string error_line_for(std::string_view id, int code, std::string_view message, std::string_view data) {
  std::string line{version_member};
  line.append(R"("id":)").append(id).append(R"(,"error":{"code":)").append(std::to_string(code));
  line += R"(,"message":)";
  append_quoted(line, message);
  if (!data.empty()) {
    line += R"(,"data":)";
    append_on_one_line(line, data);
  }
  return line += "}}\n";
}

}  // namespace

std::string error_line(const request_id& id, int code, std::string_view message, std::string_view data) {
  return error_line_for(id.json(), code, message, data);
}

std::string error_line_without_id(int code, std::string_view message) {
  return error_line_for("null", code, message, {});
}

std::string cancelled_line(std::int64_t request, std::string_view reason) {
  std::string params = R"({"requestId":)" + std::to_string(request) + R"(,"reason":)";
  append_quoted(params, reason);
  return notification_line(protocol::notification::cancelled, params += '}');
}

}  // namespace hawser
