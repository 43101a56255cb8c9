// SPDX-License-Identifier: MIT
#include "stdio_channel.hpp"

#include <algorithm>

#include "../../runtime/async/detail/wait_for.hpp"
#include "../../runtime/async/sleep.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/redaction.hpp"
#include "../json/json_text.hpp"
#include "../jsonrpc/outgoing_lines.hpp"
#include "../jsonrpc/protocol_table.hpp"
#include "detail/first_characters.hpp"
#include "error_lines.hpp"

namespace hawser {

namespace {

// Limits for quotes of stderr and stdout in a one-sentence error.
constexpr std::size_t quoted_errors = 600;
constexpr std::size_t quoted_output = 200;

task<result<exit_status>> exit_and_all_output(child& of, event& output_ended, event& errors_ended) {
  auto status = co_await of.exited();
  if (!status) co_return status.error();
  // Output written before the exit may still be in the pipes. A grandchild may hold them open: then only the status is
  // reported.
  auto heard = co_await output_ended.wait();
  ignore(heard, "what was read so far is all there is");
  auto drained = co_await errors_ended.wait();
  ignore(drained, "what was read so far is all there is");
  co_return *status;
}

}  // namespace

void stdio_channel::stderr_reader::on_bytes() noexcept {
  kept.append(from->unread());
  from->consume(from->unread().size());
}

stdio_channel::stdio_channel(keeper& starter, stdio_channel_options options)
    : keeper_(starter), options_(std::move(options)), reader_(options_.limits), errors_(options_.max_kept_stderr) {
  options_.what.input = options_.what.input == stdio::socket ? stdio::socket : stdio::pipe;
  options_.what.output = options_.what.output == stdio::socket ? stdio::socket : stdio::pipe;
}

stdio_channel::~stdio_channel() { detail::require(!child_, "a channel died before it was closed"); }

task<result<void>> stdio_channel::open(receiver& to) {
  if (opened_ || opening_ || closing_) co_return error{.code = errc::closed, .what = "a channel is opened once"};
  const context where = co_await this_context();
  opening_ = true;
  auto started = co_await keeper_.spawn(options_.what);
  opening_ = false;
  if (closing_) {  // close() was called while the process started
    if (started) {
      auto ended = co_await started->shutdown(options_.ladder);
      ignore(ended, "nobody has used it");
    }
    closed_.set();
    co_return error{.code = errc::closed, .what = "closed on this side"};
  }
  if (!started) co_return started.error();
  opened_ = true;
  to_ = &to;
  hidden_ = where.loop->redactions();
  child_.emplace(std::move(*started));
  tasks_ = std::make_unique<scope>(context{where.loop, nullptr});  // ended by close(), not by the stop of the caller
  input_ = &child_->input();
  output_ = &child_->output();
  input_->set_write_listener(*this);
  output_->listen(*this);
  if (options_.what.errors == stdio::pipe || options_.what.errors == stdio::socket) {
    errors_.from = &child_->errors();
    errors_.from->listen(errors_);
  } else {
    errors_.ended.set();
  }
  tasks_->spawn(watch_exit(*this));
  co_return result<void>{};
}

// The end of its output is the end of a server, because a launcher may exit while its child serves. But a server that
// was killed or failed has ended, even if another process holds its pipes open.
task<void> stdio_channel::watch_exit(stdio_channel& self) {
  auto status = co_await self.child_->exited();
  if (!status || *status == exit_status{}) co_return;
  auto last_bytes = co_await sleep_for(self.options_.exit_timeout);
  ignore(last_bytes, "the channel is being closed");
  self.ending("is gone", duration::zero());  // the wait is over
}

std::size_t stdio_channel::send(const outgoing_message& message) {
  if (closed_reported_ || input_ == nullptr) return 0;
  const std::uint64_t begin = sent_;
  sent_ += message.line.size();
  input_->write(message.line);
  const std::uint64_t written = input_->written();
  if (written >= sent_) {
    if (!unsent_.empty()) unsent_.clear();
    return 0;
  }
  while (!unsent_.empty() && unsent_.front().begin < written) unsent_.pop_front();
  if (message.request) unsent_.push_back({begin, message.line.size(), *message.request});
  return sent_ - written;
}

std::size_t stdio_channel::queued() const noexcept { return input_ != nullptr ? input_->queued() : 0; }

void stdio_channel::trim() noexcept {
  if (output_ != nullptr) output_->trim();
}

task<result<void>> stdio_channel::drained() {
  if (input_ == nullptr) co_return error{.code = errc::closed, .what = "the channel is not open"};
  co_return co_await input_->drained();
}

bool stdio_channel::withdraw(std::int64_t request) noexcept {
  if (closed_reported_ || input_ == nullptr) return false;
  const auto found =
      std::find_if(unsent_.begin(), unsent_.end(), [&](const unsent_request& one) { return one.id == request; });
  if (found == unsent_.end() || !input_->take_back(found->begin, found->size)) return false;
  const std::size_t size = found->size;
  sent_ -= size;
  for (auto later = unsent_.erase(found); later != unsent_.end(); ++later) later->begin -= size;
  return true;
}

void stdio_channel::cancel(std::int64_t request, std::string_view reason) noexcept {
  if (queued() < cancel_while_queued) send({.line = cancelled_line(request, reason)});
}

void stdio_channel::negotiated(const peer_info& info) {
  negotiated_ = true;
  reader_.accept_batches(protocol::has(protocol::feature::batches, info.revision));
}

void stdio_channel::on_bytes() noexcept {
  if (closed_reported_) {  // it may keep writing while it is shut down
    consume(unread().size());
    return;
  }
  if (auto understood = reader_.read(*this, *to_); !understood) report_closed(with_noise(understood.error()));
}

void stdio_channel::on_end(const error& why) noexcept {
  output_ended_.set();
  if (closed_reported_) return;
  auto understood = reader_.finish(*this, *to_);
  if (!understood) {
    report_closed(with_noise(understood.error()));
  } else {
    ending(why.code == errc::closed ? "closed its output" : why.what, options_.exit_timeout);
  }
}

void stdio_channel::on_write_failed(const error& /*why*/) noexcept {
  ending("closed its input", options_.exit_timeout);
}

void stdio_channel::ending(std::string_view what_it_did, duration patience) {
  if (ending_ || closed_reported_ || closing_) return;
  ending_ = true;
  tasks_->spawn(report_exit(*this, std::string{what_it_did}, patience));
}

task<void> stdio_channel::report_exit(stdio_channel& self, std::string what_it_did, duration patience) {
  auto status =
      co_await with_timeout(patience, exit_and_all_output(*self.child_, self.output_ended_, self.errors_.ended));
  std::string what;
  if (status) {
    what = "the server " + status->to_string();
  } else {
    // It may have exited while another process holds its stderr open.
    const auto at_once = duration::zero();
    auto exited = co_await with_timeout(at_once, self.child_->exited());
    what = exited ? "the server " + exited->to_string() : "the server " + what_it_did + " and goes on running";
  }
  self.report_closed(error{.code = errc::closed, .what = what + self.explanation()});
}

// Secrets are redacted before a text is cut: a partial one would not be recognised any more.
std::string stdio_channel::quoted(std::string_view text) const {
  return json_string(hidden_->apply_truncated(text, quoted_output));
}

error stdio_channel::with_noise(error why) const {
  if (why.code == errc::protocol && reader_.noise() > 0) why.what += explanation();
  return why;
}

std::string stdio_channel::explanation() const {
  std::string text;
  if (!hidden_) return text;
  // A prompt has no line end.
  std::string_view stray = reader_.first_noise();
  if (stray.empty() && output_ != nullptr && !closed_reported_) stray = output_->unread();
  if (!reader_.has_read_message() && !stray.empty())
    text += "; its stdout begins with " + quoted(stray) +
            ", which is no MCP message: check that its command and arguments start an MCP server over stdio";
  const std::string said = hidden_->apply(stderr_tail());
  std::string_view log = said;
  // Text that was cut may start with the rest of a secret.
  if (stderr_tail().size() >= options_.max_kept_stderr) log.remove_prefix(std::min(log.find('\n'), log.size()));
  const std::string_view telling = find_error_lines(log, negotiated_ ? error_position::last : error_position::first);
  if (!telling.empty()) return text + "; its stderr: " + json_string(detail::first_characters(telling, quoted_errors));
  std::string_view last = said;
  while (last.ends_with('\n')) last.remove_suffix(1);
  if (last.size() > quoted_errors) last.remove_prefix(last.size() - quoted_errors);
  if (!last.empty()) text += "; its last words: " + json_string(last);
  return text;
}

void stdio_channel::report_closed(error why) noexcept {
  if (closed_reported_) return;
  closed_reported_ = true;
  reader_.stop();
  // The server may keep reading until it is shut down: what is reported as not executed must never be sent.
  input_->drop_unsent();
  const std::uint64_t written = input_->written();
  for (const unsent_request& request : unsent_) {
    if (request.begin < written) continue;  // some of it was sent
    error not_sent = why;
    not_sent.executed = execution::no;
    to_->on_request_failed(request.id, std::move(not_sent));
  }
  unsent_.clear();
  why.executed = execution::unknown;
  to_->on_closed(std::move(why));
}

// Another close() is running. Its timeouts apply, and the stop of this caller does not shorten the wait.
task<result<void>> stdio_channel::until_closed() {
  while (!closed_.is_set()) {
    auto waited = co_await shield(std::chrono::seconds{60}, detail::wait_for(closed_));
    ignore(waited, "looked at above");
  }
  co_return result<void>{};
}

task<result<void>> stdio_channel::close() {
  if (closing_) co_return co_await until_closed();
  if (opening_) {
    closing_ = true;  // open() shuts down the process it has started
    co_return co_await until_closed();
  }
  if (!child_) co_return result<void>{};
  closing_ = true;
  report_closed(error{.code = errc::closed, .what = "closed on this side"});
  tasks_->request_stop();
  co_await tasks_->join();
  auto ended = co_await child_->shutdown(options_.ladder);
  input_ = output_ = nullptr;
  child_.reset();
  tasks_.reset();
  closed_.set();
  if (!ended && ended.error().code != errc::closed) co_return ended.error();
  co_return result<void>{};
}

}  // namespace hawser
