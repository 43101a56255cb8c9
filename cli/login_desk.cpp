// SPDX-License-Identifier: MIT
#include "login_desk.hpp"

#include "../transports/http_url.hpp"

namespace hawser::cli {

login_desk::login_desk(terminal& screen, progress& waiting, std::string server, way by,
                       std::unique_ptr<line_source> lines)
    : screen_(screen), waiting_(waiting), server_(std::move(server)), by_(by), lines_(std::move(lines)) {}

void login_desk::show(const login_prompt& prompt) {
  // The URL is shown in full and on a line of its own, so that it can be copied.
  const auto page = http_url::parse(prompt.url);
  const auto issuer = http_url::parse(prompt.issuer);
  waiting_.end();
  if (page && (!issuer || page->host != issuer->host))
    screen_.err.line({"The page to log in at is not on the authorization server's own host, but on ",
                      in(ink::bold, escaped(page->host)), "."});
  if (prompt.resource_above_server)
    screen_.err.line({"The login will be valid for ", in(ink::bold, escaped(prompt.resource)),
                      ", which may include other servers than this one; only this one is sent its token."});
  screen_.err.line({"To log in to ", in(ink::bold, escaped(server_)), " at ", in(ink::bold, escaped(prompt.issuer)),
                    by_ == way::browser ? piece{", use the browser that opens, or open this address:"}
                                        : piece{", open this address in a browser:"}});
  screen_.err.line(escaped(prompt.url, whole_line));
}

void login_desk::remark(const std::string& text) {
  end_question();
  screen_.err.line({"hawser: ", escaped(text)});
}

result<void> login_desk::open(loop& home) {
  if (lines_) return {};
  // Do not read the stdin of a script, unless --no-browser was given.
  if (by_ == way::browser && !screen_.interactive())
    return error{.code = errc::closed, .what = "there is no terminal to paste at"};
  auto opened = standard_lines(home);
  if (!opened) return std::move(opened).error();
  lines_ = *std::move(opened);
  return {};
}

task<result<std::string>> login_desk::pasted() {
  const context where = co_await this_context();
  if (auto opened = open(*where.loop); !opened) {
    waiting_.show(safe_text{"waiting for the browser"});
    co_return std::move(opened).error();
  }
  if (screen_.err.is_terminal()) {
    waiting_.hold(true);
    screen_.err.print({by_ == way::browser
                           ? piece{"If it cannot come back by itself, paste the address it ends at: "}
                           : piece{"Then paste the address that the browser ends at, or the code it shows: "}});
    screen_.err.push();
    asking_ = true;
  }
  auto line = co_await lines_->next();
  asking_ = asking_ && !line;  // the user's Enter has ended the line
  waiting_.hold(false);
  if (!line && line.error().code != errc::cancelled) {
    end_question();
    waiting_.show(safe_text{"waiting for the browser"});
  }
  co_return line;
}

void login_desk::end_question() {
  if (!asking_) return;
  asking_ = false;
  screen_.err.line({});
}

void login_desk::finish() {
  end_question();
  waiting_.hold(false);
  waiting_.end();
}

}  // namespace hawser::cli
