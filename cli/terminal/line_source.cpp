// SPDX-License-Identifier: MIT
#include "line_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "standard_input.hpp"

namespace hawser::cli {

result<stream> terminal_line_source::open(loop& home) {
  const int descriptor = ::open("/proc/self/fd/0", O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return error{
        .code = errc::io, .what = std::string{"the terminal cannot be read: "} + std::strerror(errno), .native = errno};
  }
  tcflush(descriptor, TCIFLUSH);
  return stream::adopt(home, descriptor);
}

task<result<std::string>> terminal_line_source::next() {
  while (true) {
    const std::string_view typed = from_.unread();
    if (const std::size_t end = typed.find('\n'); end != std::string_view::npos) {
      std::string line{typed.substr(0, end)};
      from_.consume(end + 1);
      co_return line;
    }
    auto more = co_await from_.read_some();
    if (more) continue;
    std::string rest{from_.unread()};
    if (more.error().code != errc::closed || rest.empty()) co_return std::move(more).error();
    from_.consume(rest.size());
    co_return rest;
  }
}

namespace {

class text_line_source final : public line_source {
 public:
  explicit text_line_source(std::string text) : text_(std::move(text)) {}
  task<result<std::string>> next() override {
    if (at_ == text_.size()) co_return error{.code = errc::closed, .what = "end of input"};
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string line = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    co_return line;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

result<std::unique_ptr<line_source>> open_standard_lines(loop& home) {
  struct stat what{};
  if (fstat(STDIN_FILENO, &what) == 0 && S_ISREG(what.st_mode)) {
    auto text = read_standard_input();
    if (!text) return std::move(text).error();
    return std::make_unique<text_line_source>(*std::move(text));
  }
  auto opened = terminal_line_source::open(home);
  if (!opened) return std::move(opened).error();
  return std::make_unique<terminal_line_source>(*std::move(opened));
}

}  // namespace hawser::cli
