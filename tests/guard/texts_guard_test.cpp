// SPDX-License-Identifier: MIT
// What is read and shown on the loop without a peer: configuration files, redaction, the terminal; and the seeds of all
// fuzz targets, repeated, through the live transports.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../cli/terminal/escape.hpp"
#include "../../host/config/config.hpp"
#include "../../runtime/redaction.hpp"
#include "../../transports/json/json_text.hpp"
#include "../support/source_root.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/ut.hpp"
#include "hostile_case.hpp"
#include "victims.hpp"

namespace texts_guard_test {

using namespace hawser;
using namespace hawser::testing;

std::size_t all_of_it(std::size_t size) { return size; }

std::string variable(std::string_view /*name*/) { return "value"; }

// Reads a file of this text, as `hawser` does with the one that it was given.
task<std::string> reads_config(std::string text) {
  const temporary_folder folder;
  std::ofstream{folder / "mcp.json"} << text;
  auto got = co_await load_config(folder / "mcp.json",
                                  [](std::string_view name) -> std::optional<std::string> { return variable(name); });
  co_return std::string{};
}
std::string config_of(std::string_view servers) { return R"({"mcpServers":{)" + std::string{servers} + "}}"; }

// The seeds of a fuzz target, one after another, until there is so much.
std::string seeds(const std::string& target, std::size_t size) {
  std::string once;
  const auto folder = std::filesystem::path{source_root()} / "tests/data/fuzz" / ("fuzz_" + target);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::ostringstream text;
    text << std::ifstream{file, std::ios::binary}.rdbuf();
    once += text.str() + '\n';
  }
  return repeated(once, size / std::max<std::size_t>(once.size(), 1) + 1).substr(0, size);
}

void says_seeds(hostile_side& h, const std::string& target) {
  stdio_wire wire = h.stdio();
  const std::string call = wire.until_call(one_tool);
  wire.say(seeds(target, h.size));
  wire.say("\n");
  wire.answer(call, plain_result);
  wire.drain();
}

// Answers the first request with the seeds, behind a head or as they are.
[[noreturn]] void serves_seeds(const hostile_side& h, const std::string& target, const std::string& head) {
  h.serve_web([&](scripted_connection& with) {
    while (with.request()) {
      with.say(head);
      with.say(seeds(target, h.size));
      with.end();
      with.hang();
      return;
    }
  });
}

const suite<"guard: texts"> tests = [] {
  "FRZ-11 a configuration of very many servers"_test = [] {
    check_cost({.victim =
                    [](victim_side& v) {
                      std::string servers;
                      for (std::size_t i = 0; servers.size() + 80 < v.size; ++i)
                        servers +=
                            (i > 0 ? ",\"s" : "\"s") + std::to_string(i) + R"(":{"command":"true","env":{"A":"${A}"}})";
                      return reads_config(config_of(servers));
                    },
                .size = 50'000,
                .message = all_of_it,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 a configuration of very many variables"_test = [] {
    check_cost({.victim =
                    [](victim_side& v) {
                      return reads_config(config_of(
                          R"("s":{"command":"true","args":[)" +
                          joined(v.size / 40, [](std::size_t) { return "\"" + repeated("${A}", 9) + "\""; }) + "]}"));
                    },
                .size = 100'000,
                .message = all_of_it,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 a configuration of one text of very many variables"_test = [] {
    check_cost({.victim =
                    [](victim_side& v) {
                      return reads_config(config_of(R"("s":{"command":"true","args":[")" +
                                                    repeated("${A:-${", v.size / 14) + repeated("${A}", v.size / 8) +
                                                    "\"]}"));
                    },
                .size = 500'000,
                .message = all_of_it,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 a configuration that is nested deeply"_test = [] {
    check_cost({.victim =
                    [](victim_side& v) {
                      return reads_config(config_of("\"s\":" + repeated("[", v.size / 2) + repeated("]", v.size / 2)));
                    },
                .size = 500'000,
                .message = all_of_it,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 a configuration of very many mistakes"_test = [] {
    check_cost({.victim =
                    [](victim_side& v) {
                      std::string servers;
                      for (std::size_t i = 0; servers.size() + 80 < v.size; ++i)
                        servers += (i > 0 ? ",\"s\"" : "\"s\"") + std::string{R"(:{"command":7,"x)"} +
                                   std::to_string(i) + R"(":0})";
                      return reads_config(config_of(servers));
                    },
                .size = 500'000,
                .message = all_of_it,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 a configuration of very many comments"_test = [] {
    check_cost({.victim =
                    [](victim_side& v) {
                      return reads_config(repeated("/**/\n", v.size / 10) + repeated("//\n", v.size / 6) + "{}");
                    },
                .size = 500'000,
                .message = all_of_it,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 a long text and very many secrets"_test = [] {
    check_cost({.victim = [](victim_side& v) -> task<std::string> {
                  for (int i = 0; i < 2'000; ++i)
                    v.home.redactions()->add("secret-" + std::to_string(i) + "-abcdefghij");
                  co_await next_event();
                  const std::string text = repeated(
                      "secret-1-abcdefghi%73ecret-2 secret-3-abcdefghij c2VjcmV0LTEtYWJjZGVmZ2hpag== ", v.size / 76);
                  co_await next_event();
                  const std::string shown = v.home.redactions()->apply(text);
                  co_return shown.find("secret-3-abcdefghij") == std::string::npos ? "" : "a secret is shown";
                },
                .size = mebibyte / 16,
                .message = all_of_it,
                .cap = 64 * mebibyte});
  };
  "FRZ-11 a long text that almost is a secret"_test = [] {
    check_cost({.victim = [](victim_side& v) -> task<std::string> {
                  v.home.redactions()->add(std::string(4'000, 'a') + 'b');
                  v.home.redactions()->add(std::string(3'000, 'a') + 'c');
                  co_await next_event();
                  const std::string shown = v.home.redactions()->apply(std::string(v.size, 'a'));
                  co_return std::string{};
                },
                .size = mebibyte / 8,
                .message = all_of_it,
                .cap = 64 * mebibyte});
  };
  for (const char* piece :
       {"%25%5C\\u0025\\n%41\\\\u0041\\\"x", "abcdefgh%2541 qrstuvwxyz\\u0025 abc\\\\n", "%41", "\\u005c",
        "tOkEn-0123456789-abcdefghijklmnopqrstuvwxyz ", "aBcaBcaBcaBcaBcaBcaBcaBcaBcaBcaBcaBcaBcaBc"}) {
    static const char* shown;
    boost::ut::test("FRZ-16 a long text and the most secrets: " + std::string{piece}.substr(0, 12)) = [piece] {
      shown = piece;
      check_cost({.victim = [](victim_side& v) -> task<std::string> {
                    redaction& hidden = *v.home.redactions();
                    for (std::size_t i = 0; i + 1 < redaction::max_secrets; ++i) {
                      hidden.add("tOkEn-" + std::to_string(i * 7919) + "-abcdefghijklmnopqrstuvwxyz");
                      if (i % 8 == 0) co_await next_event();
                    }
                    for (std::size_t i = 0; i < 10; ++i) hidden.add_permanent(repeated("aBc", 20 << i) + '!');
                    const std::string text = repeated(shown, v.size / std::string_view{shown}.size());
                    co_await next_event();
                    const bool found = hidden.matches(text);
                    co_return found&& text.front() == '%' ? "something is found" : "";
                  },
                  .size = mebibyte,
                  .message = all_of_it,
                  .cap = 64 * mebibyte});
    };
  }
  "FRZ-11 a long text for the terminal"_test = [] {
    check_cost({.victim = [](victim_side& v) -> task<std::string> {
                  const std::string text = repeated("\x1b[31m\xe2\x80\xae\xff e\xcc\x81\n", v.size / 14);
                  co_await next_event();
                  const cli::safe_text shown = cli::escaped(text, cli::whole_text);
                  co_await next_event();
                  std::size_t width = shown.columns();
                  co_await next_event();
                  width += shown.fitted(100'000).columns();
                  co_await next_event();
                  width += shown.lines();
                  co_return width > 0 ? "" : "nothing is shown";
                },
                .size = 2 * mebibyte,
                .message = all_of_it,
                .cap = 64 * mebibyte});
  };
  "FRZ-11 a long JSON text for the terminal"_test = [] {
    check_cost({.victim = [](victim_side& v) -> task<std::string> {
                  const std::string text = "[\"" + repeated("\\u001b\xe2\x80\xae", v.size / 9) + "\"]";
                  co_await next_event();
                  const cli::safe_text shown = cli::escaped_json(text);
                  co_return shown.empty() ? "nothing is shown" : "";
                },
                .size = 2 * mebibyte,
                .message = all_of_it,
                .cap = 64 * mebibyte});
  };
  for (const char* target : {"line_framer", "scanner", "json", "escape", "redaction", "url", "credential_set"}) {
    static const char* said;
    boost::ut::test("FRZ-11 seeds as lines of a server: " + std::string{target}) = [target] {
      said = target;
      check_cost({.victim = tries_child,
                  .hostile = [](hostile_side& h) { says_seeds(h, said); },
                  .size = mebibyte,
                  .message = all_of_it});
    };
  }
  "FRZ-11 seeds as a stream of events"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      serves_seeds(h, "sse",
                                   "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
                    },
                .size = 2 * mebibyte,
                .message = all_of_it});
  };
  "FRZ-11 seeds as an HTTP answer"_test = [] {
    check_cost({.victim = tries_site,
                .hostile = [](hostile_side& h) { serves_seeds(h, "http", ""); },
                .size = mebibyte,
                .message = all_of_it});
  };
  "FRZ-11 seeds as a configuration"_test = [] {
    check_cost({.victim = [](victim_side& v) { return reads_config(seeds("config", v.size)); },
                .size = 500'000,
                .message = all_of_it,
                .cap = 32 * mebibyte});
  };
  "FRZ-11 seeds as a challenge"_test = [] {
    check_cost({.victim = tries_site,
                .hostile =
                    [](hostile_side& h) {
                      std::string value = seeds("challenge", h.size);
                      std::erase_if(value, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
                      h.serve_web([&](scripted_connection& with) {
                        while (with.request())
                          with.reply("401 Unauthorized", "text/plain", "", "WWW-Authenticate: " + value + "\r\n");
                      });
                    },
                .size = 30'000,
                .message = all_of_it});
  };
};

}  // namespace texts_guard_test
