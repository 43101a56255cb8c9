// SPDX-License-Identifier: MIT
// Where the library's own remarks go: a sink that the embedding program sets. Not a logging library: no files, no
// formats, no globals; a logger belongs to its loop and is used on that loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace hawser {

enum class log_level : std::uint8_t { trace, debug, info, warning, error, off };

std::string_view to_string(log_level level) noexcept;

/// The views are valid during the call of the sink only.
struct log_record {
  log_level level = log_level::info;
  std::string_view subject;  ///< who speaks: "keeper", a server's name …
  std::string_view text;
};

using log_sink = std::function<void(const log_record&)>;

class logger {
 public:
  logger() = default;
  logger(log_sink sink, log_level threshold) : sink_(std::move(sink)), threshold_(threshold) {}

  /// Ask before composing an expensive text.
  [[nodiscard]] bool wants(log_level level) const noexcept {
    return sink_ && level >= threshold_ && level != log_level::off;
  }

  [[nodiscard]] const log_sink& sink() const noexcept { return sink_; }
  [[nodiscard]] log_level threshold() const noexcept { return threshold_; }

  /// A sink that throws has lost its record; the library goes on.
  void write(log_level level, std::string_view subject, std::string_view text) const noexcept;

 private:
  log_sink sink_;
  log_level threshold_ = log_level::info;
};

}  // namespace hawser
