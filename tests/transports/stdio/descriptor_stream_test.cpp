// SPDX-License-Identifier: MIT
// Descriptors of somebody else, and what becomes of them. Whole conversations over them are own_stdio_channel_test's.
#include "../../../transports/stdio/descriptor_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "../../../runtime/async/timeout.hpp"
#include "../../../runtime/io/detail/unique_fd.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace descriptor_stream_test {

using namespace hawser;
using namespace std::chrono_literals;
using hawser::detail::unique_fd;
using testing::run;

task<result<std::string>> all_of(stream& from) {
  auto piece = co_await from.read_some();
  while (piece) piece = co_await from.read_some();
  if (piece.error().code != errc::closed) co_return piece.error();
  co_return std::string{from.unread()};
}

// What is in it, up to its end, which must come in time.
task<std::string> read_to_the_end(int descriptor) {
  const context where = co_await this_context();
  scope copying{where};
  auto made = descriptor_stream::open(copying, *where.loop, descriptor, descriptor_stream::direction::in);
  expect(fatal(made.has_value()));
  auto got = co_await with_timeout(5s, all_of(made->get()));
  co_await made->close(0ms);
  copying.request_stop();
  co_await copying.join();
  co_return got ? *got : got.error().what;
}

const suite<"borrowed stream"> tests = [] {
  "a pipe, named or not, whose writer has gone before anybody looked has its bytes and its end"_test = [] {
    const testing::temporary_folder f;
    const std::string path = f / "fifo";
    expect(fatal(mkfifo(path.c_str(), 0600) == 0));
    for (const std::string_view text : {"last words\n", ""}) {
      const unique_fd reading{open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
      {
        const unique_fd writing{open(path.c_str(), O_WRONLY | O_CLOEXEC)};
        expect(write(writing.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
      }
      fcntl(reading.get(), F_SETFL, O_RDONLY);
      expect(run(read_to_the_end(reading.get())) == std::string{text});
      expect((fcntl(reading.get(), F_GETFL) & O_NONBLOCK) == 0) << "it is given back as it was";

      int ends[2] = {-1, -1};
      expect(fatal(pipe2(ends, O_CLOEXEC) == 0));
      const unique_fd unnamed{ends[0]};
      expect(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
      close(ends[1]);
      expect(run(read_to_the_end(unnamed.get())) == std::string{text});
      expect((fcntl(unnamed.get(), F_GETFL) & O_NONBLOCK) == 0);
    }
  };

  "a file is read to its end by the pool"_test = [] {
    const testing::temporary_folder f;
    const std::string text(300'000, 'x');
    const unique_fd file{open((f / "a").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    expect(write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    expect(lseek(file.get(), 0, SEEK_SET) == 0);
    expect(run(read_to_the_end(file.get())) == text);
  };
};

}  // namespace descriptor_stream_test
