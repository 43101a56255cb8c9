// SPDX-License-Identifier: MIT
#include "../../runtime/log.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../runtime/loop/loop.hpp"
#include "../support/ut.hpp"

namespace log_test {

using namespace hawser;

constexpr std::array levels = {log_level::trace, log_level::debug, log_level::info, log_level::warning,
                               log_level::error};

logger into(std::vector<std::string>& lines, log_level threshold) {
  return {[&lines](const log_record& r) {
            lines.push_back(std::string{to_string(r.level)} + '|' + std::string{r.subject} + '|' + std::string{r.text});
          },
          threshold};
}

task<void> remarking(loop& home) {
  home.log().write(log_level::info, "loop", "hello");
  co_return;
}

const suite<"log"> tests = [] {
  "every level has its own name"_test = [] {
    expect(to_string(log_level::trace) == "trace");
    expect(to_string(log_level::debug) == "debug");
    expect(to_string(log_level::info) == "info");
    expect(to_string(log_level::warning) == "warning");
    expect(to_string(log_level::error) == "error");
    expect(to_string(log_level::off) == "off");
    expect(to_string(static_cast<log_level>(99)) == "unknown");
  };

  "a logger without a sink wants nothing and swallows everything"_test = [] {
    const logger silent;
    const logger emptied{nullptr, log_level::trace};
    for (const log_level level : levels) {
      expect(!silent.wants(level) && !emptied.wants(level)) << to_string(level);
      silent.write(level, "nobody", "is told");
      emptied.write(level, "nobody", "is told");
    }
  };

  "a logger wants its threshold and what is graver"_test = [] {
    std::vector<std::string> lines;
    for (std::size_t threshold = 0; threshold < levels.size(); ++threshold) {
      const logger log = into(lines, levels[threshold]);
      for (std::size_t level = 0; level < levels.size(); ++level) {
        expect(log.wants(levels[level]) == (level >= threshold)) << threshold << level;
      }
    }
    expect(lines.empty()) << "asking writes nothing";
  };

  "a logger writes exactly what it wants"_test = [] {
    std::vector<std::string> lines;
    const logger log = into(lines, log_level::warning);
    for (const log_level level : levels) log.write(level, "keeper", "a text");
    expect(lines == std::vector<std::string>{"warning|keeper|a text", "error|keeper|a text"});
  };

  "a logger that is off wants no level"_test = [] {
    std::vector<std::string> lines;
    const logger log = into(lines, log_level::off);
    for (const log_level level : levels) {
      expect(!log.wants(level)) << to_string(level);
      log.write(level, "keeper", "a text");
    }
    expect(lines.empty());
  };

  "a text with a zero byte arrives whole"_test = [] {
    std::vector<std::string> lines;
    into(lines, log_level::trace).write(log_level::trace, "s", std::string_view{"a\0b", 3});
    expect(lines == std::vector{std::string{"trace|s|a\0b", 11}});
  };

  "a copy writes to the same sink"_test = [] {
    std::vector<std::string> lines;
    const logger log = into(lines, log_level::info);
    const logger copy = log;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the point
    copy.write(log_level::info, "a", "1");
    log.write(log_level::info, "b", "2");
    expect(lines == std::vector<std::string>{"info|a|1", "info|b|2"});
  };

  "a sink that throws loses its record and nothing else"_test = [] {
    int asked = 0;
    const logger log{[&](const log_record&) {
                       ++asked;
                       throw std::runtime_error{"no space left on device"};
                     },
                     log_level::info};
    log.write(log_level::error, "keeper", "a text");
    log.write(log_level::error, "keeper", "another");
    expect(asked == 2_i);
  };

  "a loop has the logger it was given, and none by itself"_test = [] {
    std::vector<std::string> lines;
    loop talking{loop::options{.log = into(lines, log_level::info)}};
    talking.run(remarking(talking));
    expect(lines == std::vector<std::string>{"info|loop|hello"});
    const loop quiet;
    expect(!quiet.log().wants(log_level::error));
  };
};

}  // namespace log_test
