// SPDX-License-Identifier: MIT
#include "stdio_server_channel.hpp"

#include <sys/stat.h>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../jsonrpc/outgoing_lines.hpp"
#include "../jsonrpc/protocol_table.hpp"

namespace hawser {

namespace {

// With one socket for both directions, the end of the input is also reported as the end of the output, although the
// client may still read.
bool same_socket(int a, int b) {
  struct stat one{};
  struct stat other{};
  return fstat(a, &one) == 0 && fstat(b, &other) == 0 && S_ISSOCK(one.st_mode) && one.st_ino == other.st_ino &&
         one.st_dev == other.st_dev;
}

}  // namespace

stdio_server_channel::stdio_server_channel(stdio_server_options options) noexcept
    : options_(options), reader_(options.limits) {}

stdio_server_channel::~stdio_server_channel() {
  detail::require(!input_ && !output_, "a channel died before it was closed");
}

task<result<void>> stdio_server_channel::open(receiver& to) {
  if (to_ != nullptr || closing_) co_return error{.code = errc::closed, .what = "a channel is opened once"};
  const context where = co_await this_context();
  to_ = &to;
  reading_ = std::make_unique<scope>(context{where.loop, nullptr});  // ended by close(), not by the stop of the caller
  writing_ = std::make_unique<scope>(context{where.loop, nullptr});
  using direction = descriptor_stream::direction;
  auto input = descriptor_stream::open(*reading_, *where.loop, options_.input, direction::in);
  if (input) input_.emplace(std::move(*input));
  auto output = descriptor_stream::open(*writing_, *where.loop, options_.output, direction::out);
  if (output) output_.emplace(std::move(*output));
  if (!input || !output) {
    closed_reported_ = true;
    auto closed = co_await close();
    ignore(closed, "the first error counts");
    co_return prefixed(input ? "standard output" : "standard input", input ? output.error() : input.error());
  }
  if (!same_socket(options_.input, options_.output)) output_->get().set_write_listener(*this);
  input_->get().listen(*this);
  co_return result<void>{};
}

std::size_t stdio_server_channel::send(const outgoing_message& message) {
  if (!output_ || closing_) return 0;
  if (message.storage != nullptr) {
    output_->get().write(std::move(*message.storage));
  } else {
    output_->get().write(message.line);
  }
  return output_->get().queued();
}

std::size_t stdio_server_channel::queued() const noexcept { return output_ ? output_->get().queued() : 0; }

task<result<void>> stdio_server_channel::drained() {
  if (!output_) co_return error{.code = errc::closed, .what = "the channel is not open"};
  co_return co_await output_->get().drained();
}

void stdio_server_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  if (queued() < cancel_while_queued) send({.line = cancelled_line(request, reason)});
}

void stdio_server_channel::negotiated(const peer_info& info) {
  reader_.accept_batches(protocol::has(protocol::feature::batches, info.revision));
}

void stdio_server_channel::on_bytes() noexcept {
  if (closed_reported_) {
    consume(unread().size());
    return;
  }
  if (auto understood = reader_.read(*this, *to_); !understood) report_closed(understood.error());
}

void stdio_server_channel::on_end(const error& why) noexcept {
  if (closed_reported_) return;
  if (auto understood = reader_.finish(*this, *to_); !understood) {
    report_closed(understood.error());
  } else if (why.code == errc::closed) {
    report_closed(error{.code = errc::closed, .what = "the client closed our standard input"});
  } else {
    report_closed(prefixed("standard input", why));
  }
}

void stdio_server_channel::on_write_failed(const error& /*why*/) noexcept {
  report_closed(error{.code = errc::closed, .what = "the client no longer reads our standard output"});
}

void stdio_server_channel::report_closed(error why) noexcept {
  if (closed_reported_) return;
  closed_reported_ = true;
  reader_.stop();
  why.executed = execution::unknown;
  to_->on_closed(std::move(why));
}

task<result<void>> stdio_server_channel::close() {
  if (closing_) {  // another close() is running; its timeouts apply
    while (!closed_.is_set()) {
      auto waited = co_await shield(std::chrono::seconds{60}, detail::wait_for(closed_));
      ignore(waited, "looked at above");
    }
    co_return result<void>{};
  }
  if (!reading_) co_return result<void>{};
  closing_ = true;
  report_closed(error{.code = errc::closed, .what = "closed on this side"});
  if (output_) co_await output_->close(options_.flush_timeout);
  if (input_) co_await input_->close(duration::zero());  // after the output: see descriptor_stream
  reading_->request_stop();
  co_await reading_->join();
  co_await writing_->join();  // a file may be slow, but everything is written
  output_.reset();
  input_.reset();
  closed_.set();
  co_return result<void>{};
}

}  // namespace hawser
