// SPDX-License-Identifier: MIT
// The library's log: records go to a sink that the embedding program sets. Not a logging library: no files, no formats,
// no globals. A logger belongs to its loop and is used on that loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace hawser {

enum class log_level : std::uint8_t { trace, debug, info, warning, error, off };

std::string_view to_string(log_level level) noexcept;

/// The views are valid only during the call to the sink.
struct log_record {
  log_level level = log_level::info;
  std::string_view subject;  ///< the source of the record: "keeper", a server's name …
  std::string_view text;
};

using log_sink = std::function<void(const log_record&)>;

class logger {
 public:
  logger() = default;
  logger(log_sink sink, log_level threshold) : sink_(std::move(sink)), threshold_(threshold) {}

  /// Check this before building an expensive text.
  [[nodiscard]] bool wants(log_level level) const noexcept {
    return sink_ && level >= threshold_ && level != log_level::off;
  }

  [[nodiscard]] const log_sink& sink() const noexcept { return sink_; }
  [[nodiscard]] log_level threshold() const noexcept { return threshold_; }

  /// If the sink throws, the record is lost and the library continues.
  void write(log_level level, std::string_view subject, std::string_view text) const noexcept;

 private:
  log_sink sink_;
  log_level threshold_ = log_level::info;
};

}  // namespace hawser
