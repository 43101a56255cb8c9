// SPDX-License-Identifier: MIT
#include "../../oauth/browser.hpp"

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../support/every_step.hpp"
#include "../support/run.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/ut.hpp"
#include "hostile_urls.hpp"

namespace browser_test {

using namespace hawser;
using namespace hawser::testing;
using namespace std::chrono_literals;

const std::string page = "https://as.example/authorize?client_id=a%20b&state=x";

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

// A desktop whose programs are scripts of the test, and write down what they were given.
struct desktop {
  desktop() {
    env.from = environment::base::empty;
    env.set["PATH"] = folder.path;
  }
  /// `$log` gets the number of its arguments and each of them, with a zero byte behind it; `end` is what it does then.
  void add(const std::string& name, const std::string& end = "exit 0") const {
    std::ofstream{folder / name} << "#!/bin/sh\nprintf '" + name + " '\"$#\"'\\0' >> " + log() +
                                        "\nprintf '%s\\0' \"$@\" >> " + log() + '\n' + end + '\n';
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
  }
  [[nodiscard]] std::string log() const { return folder / "log"; }
  /// What was written down since the last time, `|` for each zero byte.
  [[nodiscard]] std::string seen() const {
    std::string text = text_of(log());
    std::filesystem::remove(log());
    for (char& c : text) c = c == '\0' ? '|' : c;
    return text;
  }

  temporary_folder folder;
  environment env;
};

task<result<std::string>> open_once(environment env, std::string url) {
  const context where = co_await this_context();
  browser shown{*where.loop, std::move(env)};
  co_return co_await shown.open(std::move(url));
}

std::string open(const desktop& on, const std::string& url = page) {
  const auto taken = run(open_once(on.env, url));
  return taken ? *taken : std::string{to_string(taken.error().code)} + ": " + taken.error().what;
}

void end_process(const std::string& pid_file) {
  const int pid = std::atoi(text_of(pid_file).c_str());
  expect(fatal(pid > 1));
  expect(kill(pid, 0) == 0) << "it goes on";
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

task<void> open_at_a_step(loop& l, const desktop& on) {
  const counted alive;
  browser shown{l, on.env};
  auto taken = co_await shown.open(page);
  if (taken) expect(*taken == std::string{"xdg-open"});
}

task<void> many_times(const desktop& on, int times) {
  const context where = co_await this_context();
  browser shown{*where.loop, on.env};
  for (int i = 0; i < times; ++i) {
    auto taken = co_await shown.open(page);
    expect(taken.has_value());
  }
  siginfo_t left{};
  expect(waitid(P_ALL, 0, &left, WEXITED | WNOHANG | WNOWAIT) != 0 || left.si_pid == 0) << "no zombie";
}

const suite<"browser"> all = [] {
  "S122 the programs of the desktop are tried in their order, with the address as one argument"_test = [] {
    const std::vector<std::pair<std::string, std::string>> order{{"xdg-open", "xdg-open 1|" + page + '|'},
                                                                 {"gio", "gio 2|open|" + page + '|'},
                                                                 {"wslview", "wslview 1|" + page + '|'},
                                                                 {"kde-open", "kde-open 1|" + page + '|'},
                                                                 {"gnome-open", "gnome-open 1|" + page + '|'}};
    for (const char* display : {"DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"}) {
      desktop on;
      on.env.set[display] = ":0";
      // Beginning with the last: each one that is added comes before those that are there.
      for (auto one = order.rbegin(); one != order.rend(); ++one) {
        on.add(one->first);
        expect(open(on) == one->first) << display;
        expect(on.seen() == one->second);
      }
    }
  };

  "S122 BROWSER comes first; its commands have words, a place for the address, and others behind them"_test = [] {
    desktop on;
    on.env.set["DISPLAY"] = ":0";
    for (const char* name : {"xdg-open", "mine", "other"}) on.add(name);
    const std::vector<std::pair<std::string, std::string>> commands{
        {"mine", "mine 1|" + page + '|'},
        {"mine --new %s --x", "mine 3|--new|" + page + "|--x|"},
        {"mine --url=%s", "mine 1|--url=" + page + '|'},
        {"  mine\t-a  -b ", "mine 3|-a|-b|" + page + '|'},
        {"mine %s &", "mine 1|" + page + '|'},
        {"::mine:other", "mine 1|" + page + '|'},
        {"missing:other %s", "other 1|" + page + '|'},
        {on.folder / "other", "other 1|" + page + '|'},
        {"missing", "xdg-open 1|" + page + '|'},
        {"", "xdg-open 1|" + page + '|'},
        {": & :", "xdg-open 1|" + page + '|'},
    };
    for (const auto& [value, expected] : commands) {
      on.env.set["BROWSER"] = value;
      expect(!open(on).empty());
      const std::string seen = on.seen();
      expect(seen == expected) << value << seen;
    }
  };

  "without a display only BROWSER is tried, and who has neither hears so at once"_test = [] {
    desktop on;
    for (const char* name : {"xdg-open", "gio", "mine"}) on.add(name);
    expect(open(on).starts_with("spawn: no browser could be opened: there is no display"));
    expect(on.seen().empty());
    on.env.set["BROWSER"] = "mine";
    expect(open(on) == std::string{"mine"});
  };

  "E22 openers that are missing or exit with 1 are passed over, and named when nobody is left"_test = [] {
    desktop on;
    on.env.set["DISPLAY"] = ":0";
    on.add("xdg-open", "exit 3");
    on.add("gio", "kill -9 $$");
    on.add("kde-open");
    expect(open(on) == std::string{"kde-open"});
    std::filesystem::remove(on.folder / "kde-open");
    const std::string failure = open(on);
    expect(failure.starts_with("spawn: no browser could be opened: xdg-open exited with 3; gio ended by signal 9"))
        << failure;
    expect(failure.find("\"gnome-open\": No such file") != std::string::npos) << failure;
    expect(failure.find("state=") == std::string::npos) << "queries are no matter for messages";
  };

  "E22 an opener that hangs has taken the address after half a second, and may go on: it may be the browser"_test = [] {
    desktop on;
    on.env.set["DISPLAY"] = ":0";
    on.add("xdg-open", "echo $$ > " + on.folder.path + "/pid; exec /bin/sleep 60");
    on.add("gio");
    const auto begun = std::chrono::steady_clock::now();
    expect(open(on) == std::string{"xdg-open"});
    const auto took = std::chrono::steady_clock::now() - begun;
    expect(took >= 500ms);
    expect(took < 10s);
    expect(on.seen() == "xdg-open 1|" + page + '|') << "and nobody else was asked";
    end_process(on.folder / "pid");
  };

  "E22 who was started is reaped"_test = [] {
    desktop on;
    on.env.set["DISPLAY"] = ":0";
    on.add("xdg-open", "exit 1");
    on.add("gio");
    run(many_times(on, 20));
  };

  "T-31 an opener sees what a desktop needs, and nothing that could be a secret"_test = [] {
    setenv("HAWSER_TEST_TOKEN", "canary", 1);
    setenv("DISPLAY", ":77", 1);
    setenv("XDG_CURRENT_DESKTOP", "test", 1);
    const environment chosen = desktop_environment();
    unsetenv("HAWSER_TEST_TOKEN");
    unsetenv("DISPLAY");
    unsetenv("XDG_CURRENT_DESKTOP");
    expect(chosen.from == environment::base::empty);
    expect(chosen.set.count("HAWSER_TEST_TOKEN") == 0_ul);
    expect(chosen.set.count("DISPLAY") == 1_ul);
    expect(chosen.set.count("XDG_CURRENT_DESKTOP") == 1_ul);
    expect(chosen.set.count("PATH") == 1_ul);
    for (const auto& [name, value] : chosen.set) expect(value != "canary");
    desktop on;
    on.env.set["DISPLAY"] = ":0";
    on.add("xdg-open", "/usr/bin/env > " + on.folder.path + "/env");
    setenv("HAWSER_TEST_TOKEN", "canary", 1);
    expect(open(on) == std::string{"xdg-open"});
    unsetenv("HAWSER_TEST_TOKEN");
    const std::string seen = text_of(on.folder / "env");
    expect(seen.find("DISPLAY=:0") != std::string::npos) << seen;
    expect(seen.find("canary") == std::string::npos);
  };

  "addresses that may be opened are opened as they are"_test = [] {
    for (const std::string url :
         {"https://a.example/", "https://a.example:8443/x/y?z=%27&w=(1);2!~*", "http://127.0.0.1:1/x",
          "http://localhost:8080/authorize?a=b", "http://[::1]:99/", "https://xn--bcher-kva.example/?a=%0A%00"}) {
      const auto read = parse_browser_url(url);
      expect(fatal(read.has_value())) << url << (read ? "" : read.error().what);
      expect(read->text() == url);
    }
    expect(parse_browser_url("HTTPS://A.Example/?Q").value().text() == std::string{"https://a.example/?Q"});
  };

  "E02 of 200 hostile addresses none starts anything but one program with one clean argument"_test = [] {
    desktop on;
    on.env.set["BROWSER"] = "recorder";
    on.add("recorder");
    const std::vector<std::string> hostile = hostile_urls(on.folder.path);
    expect(hostile.size() >= 200_ul);
    int launched = 0;
    for (const std::string& url : hostile) {
      const std::string outcome = open(on, url);
      const std::string raw = text_of(on.log());
      static_cast<void>(on.seen());
      if (outcome != "recorder") {
        expect(raw.empty()) << "launched although refused:" << url;
        expect(outcome.starts_with("protocol: ")) << outcome;
        for (const char c : outcome) expect(static_cast<unsigned char>(c) >= 0x20) << "an error that spoils a terminal";
        continue;
      }
      ++launched;
      // Exactly one launch with one argument; the zero bytes say where each ends.
      const std::string begins = std::string{"recorder 1"} + '\0';
      expect(fatal(raw.starts_with(begins) && raw.ends_with('\0'))) << raw << url;
      const std::string argument = raw.substr(begins.size(), raw.size() - begins.size() - 1);
      expect(argument.find('\0') == std::string::npos) << url;
      expect(argument.starts_with("https://") || argument.starts_with("http://127.") ||
             argument.starts_with("http://localhost") || argument.starts_with("http://[::1]"))
          << argument;
      expect(argument.size() <= 8192_ul);
      expect(argument.find_first_of(" \"'`<>\\^{|}$#") == std::string::npos) << argument;
      for (const char c : argument) expect(c > 0x20 && c < 0x7F) << argument;
      const auto again = http_url::parse(argument);
      expect(again.has_value() && again->text() == argument) << argument;
    }
    // Those that are strange, but good addresses, of which later versions of Boost.URL know one more; the others never
    // got as far.
    expect(launched >= 20_i) << launched;
    expect(launched <= 25_i) << launched;
    expect(on.folder.entries() == 1) << "nobody left anything behind but the recorder";
  };

  "opening can be stopped at every step, and what was started goes on"_test = [] {
    desktop on;
    on.env.set["DISPLAY"] = ":0";
    on.add("xdg-open");
    expect(every_step([&](loop& l) { return open_at_a_step(l, on); }) > 0_i);
    while (waitpid(-1, nullptr, 0) > 0) {
    }
  };
};

}  // namespace browser_test
