// SPDX-License-Identifier: MIT
#include "envelope.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "../../transports/json/json_text.hpp"
#include "../../transports/json/json_tree.hpp"
#include "../schema/detail/schema_defaults.hpp"
#include "../schema/schema_check.hpp"
#include "detail/truncate.hpp"

namespace hawser {

struct envelope::parts {
  raw_json bytes;
  envelope_options options;
  // Views into the bytes; empty = absent.
  std::string_view content{};
  std::string_view structured{};
  std::string_view meta{};
  bool is_error = false;
  std::size_t values = 0;  // of a server's result

  parts(raw_json result, envelope_options with) : bytes(std::move(result)), options(std::move(with)) {}

  void find_members() {
    for_each_member(bytes.text(), [this](std::string_view name, std::string_view value) {
      if (same_name(name, "content")) content = value;
      if (same_name(name, "structuredContent")) structured = value;
      if (same_name(name, "_meta")) meta = value;
      if (same_name(name, "isError")) is_error = value == "true";
      return true;
    });
  }
};

result<envelope> envelope::read(raw_json result, envelope_options options) {
  const auto bad = [](error why) {
    why.executed = execution::unknown;
    why.phase = "call";
    return why;
  };
  const auto valid = result.check_tree();
  if (!valid) return bad(valid.error());
  const auto made = std::make_shared<parts>(std::move(result), std::move(options));
  made->values = *valid;
  const std::string_view text = made->bytes.text();
  if (text[text.find_first_not_of(" \t\r\n")] != '{')
    return bad({.code = errc::protocol, .what = "the result of the call is not an object"});
  made->find_members();
  // Servers of the first revisions omit `content` if it is empty.
  if (!made->content.empty() && made->content.front() != '[')
    return bad({.code = errc::protocol, .what = "\"content\" of the result is not an array"});
  if (!made->content.empty() && !elements_within(made->content, most_content_blocks))
    return bad({.code = errc::too_large,
                .what = "the result has more than " + std::to_string(most_content_blocks) + " blocks of content"});
  return envelope{made};
}

envelope envelope::make(std::string_view json, envelope_options options) {
  const auto made = std::make_shared<parts>(raw_json{json}, std::move(options));
  made->find_members();
  return envelope{made};
}

envelope envelope::of_text(std::string_view text, envelope_options options) {
  return make(R"({"content":[{"type":"text","text":)" + json_string(text) + "}]}", std::move(options));
}

envelope envelope::of_value(const boost::json::value& value, envelope_options options) {
  const std::string json = boost::json::serialize(value);
  std::string whole =
      R"({"content":[{"type":"text","text":)" + json_string(json) + R"(}],"structuredContent":)" + json + '}';
  if (auto made = read(raw_json{whole}, options)) return *std::move(made);
  return failure(
      "the tool's value cannot be written as JSON: its texts are not UTF-8, it is too deep, or names of it collide",
      std::move(options));
}

envelope envelope::failure(std::string_view text, envelope_options options) {
  return make(R"({"content":[{"type":"text","text":)" + json_string(text) + R"(}],"isError":true})",
              std::move(options));
}

bool envelope::is_error() const noexcept { return parts_->is_error; }

std::string envelope::whole_text() const {
  std::string text;
  if (!parts_->content.empty()) text = detail::text_of_blocks(parts_->content, parts_->options.resources);
  if (text.empty() && !parts_->structured.empty()) text = detail::compact_json(parts_->structured);
  return text;
}

result<std::string> envelope::exact_text() const {
  bool has_blocks = false;
  if (!parts_->content.empty()) {
    for_each_element(parts_->content, [&](std::string_view) {
      has_blocks = true;
      return false;
    });
  }
  if (has_blocks) return detail::exact_text_of_blocks(parts_->content);
  return std::string{parts_->structured};
}

std::string envelope::text() const {
  std::string text = whole_text();
  if (text.empty()) return "(no output)";
  detail::truncate_text(text, parts_->options.max_text);
  return text;
}

std::vector<content_block> envelope::content() const {
  if (parts_->content.empty()) return {};
  return detail::blocks_of(parts_->content);
}

result<void> envelope::fits_tree() const {
  const std::size_t most = parts_->options.max_values;
  if (parts_->values <= most) return {};
  return error{.code = errc::too_large,
               .what = "the result has " + std::to_string(parts_->values) +
                       " JSON values, and no tree is built of more than " + std::to_string(most) +
                       " (max_result_values); its text is available as sent",
               .executed = execution::unknown,
               .phase = "call"};
}

result<std::optional<boost::json::value>> envelope::structured() const {
  if (auto fits = fits_tree(); !fits) return fits.error();
  if (parts_->structured.empty()) return std::optional<boost::json::value>{};
  return std::optional{checked_json_tree(parts_->structured)};
}

boost::json::value envelope::filled_in(boost::json::value structured) const {
  if (!parts_->options.schema.json.empty()) {
    if (const auto schema = json_tree(parts_->options.schema.json)) detail::fill_defaults(structured, *schema);
  }
  return structured;
}

result<boost::json::value> envelope::data() const {
  if (auto fits = fits_tree(); !fits) return fits.error();
  if (!parts_->structured.empty()) return filled_in(checked_json_tree(parts_->structured));
  return parts_->content.empty() ? boost::json::value(boost::json::array()) : detail::blocks_as_json(parts_->content);
}

std::optional<std::string> envelope::violation() const {
  if (parts_->options.schema.json.empty() || parts_->is_error) return std::nullopt;
  if (parts_->structured.empty()) return "the tool has an output schema, and its result has no structuredContent";
  auto checked = schema_violation(parts_->options.schema.json, parts_->structured);
  if (!checked) return "not checked: " + checked.error().what;
  return *std::move(checked);
}

result<boost::json::object> envelope::meta() const {
  if (!parts_->meta.starts_with('{')) return boost::json::object{};
  if (auto fits = fits_tree(); !fits) return fits.error();
  return checked_json_tree(parts_->meta).as_object();
}

std::string_view envelope::raw() const noexcept { return parts_->bytes.text(); }

result<boost::json::object> envelope::to_json() const {
  if (auto fits = fits_tree(); !fits) return fits.error();
  boost::json::object about{{"isError", parts_->is_error}};
  about["content"] = parts_->content.empty() ? boost::json::array{} : detail::blocks_as_json(parts_->content);
  if (!parts_->structured.empty()) about["structuredContent"] = checked_json_tree(parts_->structured);
  if (parts_->meta.starts_with('{')) about["_meta"] = checked_json_tree(parts_->meta);
  boost::json::object whole;
  whole["data"] = parts_->structured.empty() ? about["content"] : filled_in(checked_json_tree(parts_->structured));
  whole["meta"] = std::move(about);
  return whole;
}

}  // namespace hawser
