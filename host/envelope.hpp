// SPDX-License-Identifier: MIT
// The result of a tool call, as the tool gave it: also one that says no (`isError`) is a result. What failed before
// there was one is an `error` and never comes here.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../transports/message.hpp"
#include "content.hpp"

namespace hawser {

/// The schema of what a tool answers with; empty = it has none.
struct output_schema {
  std::string_view json{};
  std::shared_ptr<const void> keeper{};  ///< what the view points into
};

struct envelope_options {
  output_schema schema{};
  std::size_t max_text = 5'000'000;  ///< bytes of text(); the rest is cut with a note
  resource_form resources = resource_form::text;
};

/// Copies share the bytes, which never change: copying is cheap, and any thread may read its copy. Nothing is parsed
/// before it is asked for, and everything each time it is: keep what you need twice.
class envelope {
 public:
  /// Of a tools/call answer. errc::protocol for what is not one; it may have been executed all the same.
  static result<envelope> read(raw_json result, envelope_options options = {});

  // What native tools answer with.
  static envelope of_text(std::string_view text, envelope_options options = {});
  /// `structured()` is the value, and its JSON is the text.
  static envelope of_value(const boost::json::value& value, envelope_options options = {});
  /// isError.
  static envelope failure(std::string_view text, envelope_options options = {});

  /// The tool itself says that it failed.
  [[nodiscard]] bool is_error() const noexcept;
  /// What a model reads: texts joined by line feeds, other blocks mentioned; the structured value's JSON where there
  /// are no blocks, "(no output)" where there is nothing at all.
  [[nodiscard]] std::string text() const;
  /// The same for a program: nothing is cut, and it is empty where there is nothing.
  [[nodiscard]] std::string whole_text() const;
  /// The bytes of its texts, embedded resources that are texts included, one behind the other and nothing else. Where
  /// there are no blocks, the structured value as it was sent. errc::protocol names the first block that is no text.
  [[nodiscard]] result<std::string> exact_text() const;
  [[nodiscard]] std::vector<content_block> content() const;
  /// `structuredContent`; any JSON, null too.
  [[nodiscard]] std::optional<boost::json::value> structured() const;
  /// The structured value with the schema's defaults for members that are absent; without one, the blocks.
  [[nodiscard]] boost::json::value data() const;
  /// Where the schema is not satisfied; nothing if it is, if there is none, or if the tool failed, which schemas do not
  /// describe. A schema that cannot be checked is told, too: see schema_violation().
  [[nodiscard]] std::optional<std::string> violation() const;
  /// `_meta`; empty = none.
  [[nodiscard]] boost::json::object meta() const;
  /// The result as it was sent.
  [[nodiscard]] std::string_view raw() const noexcept;
  /// `{data, meta: {isError, content, structuredContent, _meta}}`; the last two only where they are.
  [[nodiscard]] boost::json::object to_json() const;

 private:
  struct parts;
  explicit envelope(std::shared_ptr<const parts> p) noexcept : parts_(std::move(p)) {}
  static envelope made(std::string_view json, envelope_options options);

  std::shared_ptr<const parts> parts_;
};

}  // namespace hawser
