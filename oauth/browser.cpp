// SPDX-License-Identifier: MIT
#include "browser.hpp"

#include <algorithm>
#include <iterator>

#include "../runtime/async/timeout.hpp"
#include "oauth_http.hpp"

namespace hawser {

namespace {

constexpr duration grace = std::chrono::milliseconds{500};
constexpr std::size_t most_openers = 16;

constexpr std::string_view desktop_names =
    " BROWSER CHROME_DESKTOP DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION DISPLAY GDK_BACKEND GNOME_DESKTOP_SESSION_ID HOME"
    " ICEAUTHORITY KDE_FULL_SESSION KDE_SESSION_UID KDE_SESSION_VERSION LANG LANGUAGE LOGNAME MOZ_ENABLE_WAYLAND"
    " NIXOS_OZONE_WL PATH QT_QPA_PLATFORM SESSION_MANAGER SHELL TERM TMPDIR TZ USER WAYLAND_DISPLAY WSLENV"
    " WSL_DISTRO_NAME WSL_INTEROP XAUTHORITY XMODIFIERS ";

bool of_desktop(std::string_view name) {
  return name.starts_with("LC_") || name.starts_with("XDG_") ||
         desktop_names.find(' ' + std::string{name} + ' ') != std::string_view::npos;
}

std::string variable(const environment& env, std::string_view name) {
  for (const std::string& entry : env.compose()) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return {};
}

std::vector<std::string> split(std::string_view text, std::string_view at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(at), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

using words = std::vector<std::string>;

// Replaces `%s` with the URL in each argument, or else appends the URL. The URL contains no `%s` itself.
words with_address(words from, const std::string& url) {
  bool placed = false;
  for (std::size_t i = 1; i < from.size(); ++i) {
    if (const std::size_t at = from[i].find("%s"); at != std::string::npos) {
      from[i].replace(at, 2, url);
      placed = true;
    }
  }
  if (!placed) from.push_back(url);
  return from;
}

std::vector<words> openers_for(const environment& env, const std::string& url) {
  std::vector<words> all;
  for (const std::string& entry : split(variable(env, "BROWSER"), ":")) {
    words parts = split(entry, " \t\r\n");
    if (!parts.empty() && parts.back() == "&") parts.pop_back();  // a shell habit; has no meaning here
    if (!parts.empty()) all.push_back(with_address(std::move(parts), url));
  }
  const bool has_display = !variable(env, "DISPLAY").empty() || !variable(env, "WAYLAND_DISPLAY").empty() ||
                           !variable(env, "WSL_DISTRO_NAME").empty();
  if (has_display) {
    for (const words& known : {words{"xdg-open"}, {"gio", "open"}, {"wslview"}, {"kde-open"}, {"gnome-open"}})
      all.push_back(with_address(known, url));
  }
  if (all.size() > most_openers) all.resize(most_openers);
  return all;
}

task<result<exit_status>> end_of(detached_process& opener) { co_return co_await opener.exited(); }

}  // namespace

result<http_url> parse_browser_url(std::string_view url) {
  auto read = parse_untrusted_url(url, "the page to be opened");
  if (!read) return read;
  // Other characters with a meaning for shells or terminals cannot occur in a URL. Openers are often scripts.
  if (read->target.find_first_of("'$") != std::string::npos)
    return error{.code = errc::protocol,
                 .what = "the page to be opened: url \"" + url_for_message(*read) +
                         "\": it has a ' or $, which must be escaped"};
  return read;
}

environment desktop_environment() {
  environment chosen{.from = environment::base::empty};
  for (const std::string& entry : environment{.from = environment::base::inherit}.compose()) {
    const std::size_t equals = entry.find('=');
    if (of_desktop(std::string_view{entry}.substr(0, equals)))
      chosen.set[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return chosen;
}

browser::browser(loop& home, environment env) : loop_(home), env_(std::move(env)) {}

task<result<void>> browser::try_opener(command what) {
  auto opener = detached_process::start(loop_, what);
  if (!opener) co_return std::move(opener).error();
  auto ended = co_await with_timeout(grace, end_of(*opener));
  // Many openers start the browser and keep running.
  if (opener->running()) running_.push_back(*std::move(opener));
  if (ended && *ended == exit_status{}) co_return result<void>{};
  if (ended) co_return error{.code = errc::spawn, .what = what.program + ' ' + ended->to_string()};
  if (ended.error().code == errc::cancelled) co_return std::move(ended).error();
  co_return result<void>{};  // still running, or its exit status is unknown
}

task<result<std::string>> browser::open(std::string url) {
  std::erase_if(running_, [](const detached_process& one) { return !one.running(); });
  const auto checked = parse_browser_url(url);
  if (!checked) co_return checked.error();
  std::string tried;
  for (words& one : openers_for(env_, checked->text())) {
    command what{.program = std::move(one.front()), .env = env_};
    what.arguments.assign(std::make_move_iterator(one.begin() + 1), std::make_move_iterator(one.end()));
    const std::string name = what.program;
    auto taken = co_await try_opener(std::move(what));
    if (taken) co_return name;
    if (taken.error().code == errc::cancelled) co_return std::move(taken).error();
    tried += (tried.empty() ? "" : "; ") + taken.error().what;
  }
  co_return error{
      .code = errc::spawn,
      .what = "no browser could be opened: " + (tried.empty() ? "there is no display, and BROWSER names none" : tried)};
}

}  // namespace hawser
