// SPDX-License-Identifier: MIT
// The result of a tool call. A result with `isError` is a result, too. A failure before there was a result is an
// `error`, not an envelope.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../transports/jsonrpc/message.hpp"
#include "content.hpp"

namespace hawser {

/// A tool's output schema; empty = none.
struct output_schema {
  std::string_view json{};
  std::shared_ptr<const void> owner{};  ///< owns the text that the view refers to
};

struct envelope_options {
  output_schema schema{};
  std::size_t max_text = 5'000'000;  ///< bytes of text(); the rest is truncated with a note
  /// JSON values of a result of which trees are built: a value takes up to about 200 bytes in one.
  std::size_t max_values = tree_limits.max_values;
  resource_form resources = resource_form::text;
};

/// Copies share immutable bytes: copying is cheap, and any thread may read its copy. Each accessor parses anew on every
/// call; store a value that is needed twice. Those that return a tree return errc::too_large for a result with more
/// than envelope_options::max_values JSON values; raw() and the texts are available for every result.
class envelope {
 public:
  /// From the result of tools/call. errc::protocol if it is not valid; the call may have been executed anyway.
  static result<envelope> read(raw_json result, envelope_options options = {});

  // Results of native tools.
  static envelope of_text(std::string_view text, envelope_options options = {});
  /// `structured()` is the value; its JSON is the text.
  static envelope of_value(const boost::json::value& value, envelope_options options = {});
  /// isError.
  static envelope failure(std::string_view text, envelope_options options = {});

  /// The tool reported a failure.
  [[nodiscard]] bool is_error() const noexcept;
  /// The text for a model: text blocks joined by line feeds, other blocks mentioned; the JSON of structuredContent if
  /// there are no blocks, "(no output)" if there is nothing.
  [[nodiscard]] std::string text() const;
  /// The text for a program: not truncated, and empty if there is nothing.
  [[nodiscard]] std::string whole_text() const;
  /// The exact bytes of all text blocks and text resources, concatenated. If there are no blocks, structuredContent as
  /// sent. errc::protocol names the first block that is not text.
  [[nodiscard]] result<std::string> exact_text() const;
  [[nodiscard]] std::vector<content_block> content() const;
  /// `structuredContent`; any JSON value, including null.
  [[nodiscard]] result<std::optional<boost::json::value>> structured() const;
  /// structuredContent with the schema's defaults for absent members; without structuredContent, the content blocks.
  [[nodiscard]] result<boost::json::value> data() const;
  /// How structuredContent violates the schema; nullopt if it is valid, if there is no schema, or if the result is an
  /// error, which schemas do not describe. A schema that cannot be checked is reported, too: see schema_violation().
  [[nodiscard]] std::optional<std::string> violation() const;
  /// `_meta`; empty = none.
  [[nodiscard]] result<boost::json::object> meta() const;
  /// The result as sent.
  [[nodiscard]] std::string_view raw() const noexcept;
  /// `{data, meta: {isError, content, structuredContent, _meta}}`; the last two only if present.
  [[nodiscard]] result<boost::json::object> to_json() const;

 private:
  struct parts;
  explicit envelope(std::shared_ptr<const parts> p) noexcept : parts_(std::move(p)) {}
  static envelope make(std::string_view json, envelope_options options);
  [[nodiscard]] result<void> fits_tree() const;
  [[nodiscard]] boost::json::value filled_in(boost::json::value structured) const;

  std::shared_ptr<const parts> parts_;
};

}  // namespace hawser
