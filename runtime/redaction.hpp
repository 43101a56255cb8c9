// SPDX-License-Identifier: MIT
// Removes secrets from texts before they reach logs and traces, in every encoding in which texts carry bytes. This is
// the last line of defence; the first is never to put a `secret` into a text.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "crypto.hpp"
#include "log.hpp"

namespace hawser {

namespace detail {
class secret_index;
}

/// Finds secrets in plain form, in hexadecimal, and in base64 and base64url, also as part of a longer encoded text.
/// Each form is also found percent-encoded or JSON-escaped, in any way, in any mixture and to any depth. A search takes
/// about 10 ms per MiB of text at most, whatever the text and the secrets are; a text that has the beginnings of
/// secrets at so many places that comparing would take longer is redacted there as if they were whole.
class redaction {
 public:
  /// Shorter secrets occur by chance, and redacting them would reveal more than it hides.
  static constexpr std::size_t min_secret_bytes = 6;
  /// Longer ones are found in whole texts, but not at the end of a text that was cut.
  static constexpr std::size_t max_secret_bytes = std::size_t{32} << 10;
  /// Tokens are renewed for as long as a program runs; of those that were added first, the older half is dropped then.
  static constexpr std::size_t max_secrets = 4096;
  static constexpr std::string_view placeholder = "[redacted]";

  redaction();
  redaction(redaction&& other) noexcept;
  redaction& operator=(redaction&& other) noexcept;
  ~redaction();

  /// Adding a known secret makes it the newest.
  void add(std::string_view hidden);
  /// The same for secrets that are never dropped, such as those from the configuration.
  void add_permanent(std::string_view hidden);
  void add(const secret& hidden) { add(hidden.reveal()); }

  [[nodiscard]] std::string apply(std::string_view text) const;
  /// At most the first `most_bytes` of apply(text), cut at a UTF-8 character boundary. Cutting before redacting could
  /// leave the beginning of a secret at the end, which a later search would not find. Only as much of a long text is
  /// searched as this requires for secrets of up to 32 KiB.
  [[nodiscard]] std::string apply_truncated(std::string_view text, std::size_t most_bytes) const;
  /// Whether apply() would change anything.
  [[nodiscard]] bool matches(std::string_view text) const;
  [[nodiscard]] std::size_t size() const noexcept { return permanent_.size() + held_.size() + recent_.size(); }

 private:
  struct range;  // the position of a secret in a text
  friend class scoped_redaction;
  void hold(const secret& hidden);
  void release(const secret& hidden);
  void drop_oldest();
  static std::vector<secret>::iterator find_in(std::vector<secret>& list, std::string_view hidden);
  [[nodiscard]] std::vector<range> ranges_in(std::string_view text) const;

  std::vector<secret> permanent_;
  std::vector<secret> held_;    // one entry per holder
  std::vector<secret> recent_;  // newest last
  std::unique_ptr<detail::secret_index> index_;
};

/// Wraps a logger's sink; an empty sink stays empty. The redaction is used on the thread that logs, and secrets may be
/// added to it on that thread.
log_sink redacted(log_sink sink, std::shared_ptr<const redaction> by);

logger redacted(const logger& by_whom, std::shared_ptr<const redaction> by);

/// The same for any other text sink, such as the trace of a hub.
using text_sink = std::function<void(std::string_view subject, std::string_view text)>;
text_sink redacted(text_sink sink, std::shared_ptr<const redaction> by);

}  // namespace hawser
