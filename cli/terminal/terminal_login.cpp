// SPDX-License-Identifier: MIT
#include "terminal_login.hpp"

#include <algorithm>

#include "../../transports/http/http_url.hpp"

namespace hawser::cli {

terminal_login::terminal_login(terminal& screen, progress_line& waiting, std::string server, mode by,
                               std::unique_ptr<line_source> lines, std::shared_ptr<const redaction> hidden)
    : screen_(screen),
      progress_(waiting),
      server_(std::move(server)),
      mode_(by),
      lines_(std::move(lines)),
      hidden_(std::move(hidden)) {}

// Only in `resource` (RFC 8707), which is the URL of the server: the `state` is secret too, and needed.
std::string terminal_login::without_secrets(const std::string& url) const {
  constexpr std::string_view parameter = "&resource=";
  const std::size_t begin = url.rfind(parameter);
  if (hidden_ == nullptr || begin == url.npos) return url;
  const std::size_t value = begin + parameter.size();
  const std::size_t end = std::min(url.find('&', value), url.size());
  return url.substr(0, value) + hidden_->apply(std::string_view{url}.substr(value, end - value)) + url.substr(end);
}

void terminal_login::show(const login_prompt& prompt) {
  // The URL is shown in full and on a line of its own, so that it can be copied.
  const auto page = http_url::parse(prompt.url);
  const auto issuer = http_url::parse(prompt.issuer);
  progress_.end();
  if (page && (!issuer || page->host != issuer->host))
    screen_.err.line({"The page to log in at is not on the authorization server's own host, but on ",
                      styled(text_style::bold, escaped(page->host)), "."});
  if (prompt.resource_above_server)
    screen_.err.line({"The login will be valid for ",
                      styled(text_style::bold, escaped(hidden_ ? hidden_->apply(prompt.resource) : prompt.resource)),
                      ", which may include other servers than this one; only this one is sent its token."});
  screen_.err.line({"To log in to ", styled(text_style::bold, escaped(server_)), " at ",
                    styled(text_style::bold, escaped(prompt.issuer)),
                    mode_ == mode::browser ? text_piece{", use the browser that opens, or open this address:"}
                                           : text_piece{", open this address in a browser:"}});
  // Without a browser of ours, the address is needed as it is.
  const std::string shown = mode_ == mode::browser ? without_secrets(prompt.url) : prompt.url;
  screen_.err.line(escaped(shown, whole_line));
  if (shown != prompt.url)
    screen_.err.line("A secret of the configuration is left out of this address; --no-browser shows it whole.");
}

void terminal_login::show_message(const std::string& text) {
  end_prompt();
  screen_.err.line({"hawser: ", escaped(text)});
}

result<void> terminal_login::open(loop& home) {
  if (lines_) return {};
  // Do not read the stdin of a script, unless --no-browser was given.
  if (mode_ == mode::browser && !screen_.interactive())
    return error{.code = errc::closed, .what = "there is no terminal to paste at"};
  auto opened = open_standard_lines(home);
  if (!opened) return std::move(opened).error();
  lines_ = *std::move(opened);
  return {};
}

task<result<std::string>> terminal_login::read_pasted_text() {
  const context where = co_await this_context();
  if (auto opened = open(*where.loop); !opened) {
    progress_.show(safe_text{"waiting for the browser"});
    co_return std::move(opened).error();
  }
  if (screen_.err.is_terminal()) {
    progress_.hold(true);
    screen_.err.print({mode_ == mode::browser
                           ? text_piece{"If it cannot come back by itself, paste the address it ends at: "}
                           : text_piece{"Then paste the address that the browser ends at, or the code it shows: "}});
    screen_.err.write_available();
    asking_ = true;
  }
  auto line = co_await lines_->next();
  asking_ = asking_ && !line;  // the user's Enter has ended the line
  progress_.hold(false);
  if (!line && line.error().code != errc::cancelled) {
    end_prompt();
    progress_.show(safe_text{"waiting for the browser"});
  }
  co_return line;
}

void terminal_login::end_prompt() {
  if (!asking_) return;
  asking_ = false;
  screen_.err.line({});
}

void terminal_login::finish() {
  end_prompt();
  progress_.hold(false);
  progress_.end();
}

}  // namespace hawser::cli
