// SPDX-License-Identifier: MIT
#include "detail/tls_stream.hpp"

#include <openssl/err.h>

#include <algorithm>
#include <utility>

#include "../../runtime/detail/check.hpp"

namespace hawser::detail {

namespace {

constexpr std::size_t least_read = 2048;
// Above this size the stream takes over the memory.
constexpr std::size_t worth_moving = std::size_t{64} * 1024;
// The maximum payload of a record, and the maximum that a record adds to it.
constexpr std::size_t record_size = std::size_t{16} * 1024;
constexpr std::size_t record_cost = 64;
constexpr std::size_t max_unread = stream_limits{}.max_unread;

void count_handshakes(int written, int /*version*/, int type, const void* /*bytes*/, std::size_t /*size*/, SSL* of,
                      void* wire) noexcept {
  if (written == 0 && type == SSL3_RT_HANDSHAKE && SSL_is_init_finished(of) == 1)
    ++static_cast<tls_wire*>(wire)->late_handshakes;
}

}  // namespace

tls_stream::tls_stream(stream over, std::shared_ptr<tls_context> with, std::string subject)
    : context_(std::move(with)),
      wire_{.over = std::move(over), .of = context_->core()},
      ssl_(SSL_new(wire_.of.context.get())),
      subject_(std::move(subject)) {
  BIO* bio = BIO_new(wire_.of.wire_method.get());
  require(ssl_ != nullptr && bio != nullptr, "OpenSSL has no memory for a connection");
  BIO_set_data(bio, &wire_);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);  // owns it
  SSL_set_app_data(ssl_.get(), &wire_);
  SSL_set_msg_callback(ssl_.get(), count_handshakes);
  SSL_set_msg_callback_arg(ssl_.get(), &wire_);
  if (wire_.of.role == tls_core::side::client) {
    SSL_set_connect_state(ssl_.get());
  } else {
    SSL_set_accept_state(ssl_.get());
  }
  sent_.set();
}

tls_stream::~tls_stream() {
  // OpenSSL would treat a connection without a close_notify as an attack and invalidate its session, but many HTTP
  // connections end like that, and messages have lengths.
  SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

void tls_stream::listen(byte_listener& to) {
  to_ = &to;
  wire_.over.listen(*this);  // reports what came with the handshake, in a later loop iteration
}

void tls_stream::on_bytes() noexcept {
  const std::size_t before = plain_.size();
  const bool had_ended = read_end_ != nullptr;
  decrypt();
  send_unsent();
  send_out();
  if (plain_.size() > before && !closing_) to_->on_bytes();
  if (read_end_ && !had_ended && !closing_) to_->on_end(*read_end_);
}

void tls_stream::on_end(const error& why) noexcept {
  if (read_end_) return;
  if (why.code == errc::closed) {
    end_reading({.code = errc::io, .what = subject_ + ": truncated: the connection ended without a close_notify"});
  } else {
    end_reading(prefixed(subject_, why));
  }
  if (!closing_) to_->on_end(*read_end_);
}

void tls_stream::decrypt() {
  SSL* ssl = ssl_.get();
  while (true) {
    if (read_end_) {
      wire_.over.consume(wire_.over.unread().size());  // data after the end is ignored
      return;
    }
    const std::size_t encrypted = wire_.over.unread().size();
    const auto pending = static_cast<std::size_t>(std::max(SSL_pending(ssl), 0));
    if (encrypted == 0 && pending == 0) return;
    const auto room = plain_.reserve(std::max(least_read, pending));
    std::size_t count = 0;
    ERR_clear_error();
    const int done = SSL_read_ex(ssl, room.at, room.size, &count);
    if (done == 1) {
      plain_.commit(count);
      wire_.received += count;
      if (plain_.size() > max_unread)
        end_reading({.code = errc::too_large, .what = subject_ + ": more bytes arrived than anybody took"});
      continue;
    }
    const int why = SSL_get_error(ssl, done);
    if (why == SSL_ERROR_WANT_READ) {
      if (wire_.over.unread().size() == encrypted) return;
    } else if (why == SSL_ERROR_ZERO_RETURN) {
      end_reading({.code = errc::closed, .what = "end of stream"});
    } else {
      const std::string reason = openssl_reason();
      const error broken{
          .code = errc::protocol,
          .what = subject_ + ": " + (wire_.has_too_many_handshakes() ? "too many TLS handshake messages" : reason)};
      end_writing(broken);
      end_reading(broken);
    }
  }
}

void tls_stream::expect(std::size_t count) {
  if (count > plain_.size()) plain_.reserve(count - plain_.size() + record_size);
}

void tls_stream::write(std::string_view bytes) {
  if (closing_ || write_end_ || bytes.empty()) return;
  if (unsent_.empty()) {
    encrypt(bytes);
    send_out();
  } else {
    unsent_.append(bytes);
  }
}

void tls_stream::encrypt(std::string_view bytes) {
  wire_.out.reserve(wire_.out.size() + bytes.size() + (bytes.size() / record_size + 1) * record_cost);
  while (!bytes.empty()) {
    std::size_t taken = 0;
    ERR_clear_error();
    const int done = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &taken);
    if (done == 1) {
      bytes.remove_prefix(taken);
      continue;
    }
    if (SSL_get_error(ssl_.get(), done) == SSL_ERROR_WANT_READ) {
      // Part of a session ticket or of a key update has arrived, and OpenSSL needs the rest first.
      unsent_.append(bytes);
      sent_.reset();
    } else {
      end_writing({.code = errc::protocol, .what = subject_ + ": " + openssl_reason()});
    }
    return;
  }
}

void tls_stream::send_unsent() {
  if (unsent_.empty()) return;
  const std::string waiting = std::exchange(unsent_, {});
  encrypt(waiting);
  if (unsent_.empty()) sent_.set();
}

void tls_stream::send_out() {
  std::string& out = wire_.out;
  if (out.size() > worth_moving) {
    wire_.over.write(std::exchange(out, {}));
  } else if (!out.empty()) {
    wire_.over.write(std::string_view{out});
    out.clear();
  }
}

void tls_stream::end_reading(error why) {
  if (!unsent_.empty()) end_writing(why);  // what it waits for will not arrive
  read_end_ = std::make_unique<error>(std::move(why));
}

void tls_stream::end_writing(error why) {
  if (!write_end_) write_end_ = std::make_unique<error>(std::move(why));
  unsent_.clear();
  sent_.set();
}

void tls_stream::drop_unsent() noexcept {
  unsent_.clear();
  wire_.out.clear();
  wire_.over.drop_unsent();
}

task<result<void>> tls_stream::drained() {
  auto sent = co_await sent_.wait();
  if (!sent) co_return sent.error();
  if (write_end_) co_return *write_end_;
  co_return co_await wire_.over.drained();
}

task<result<void>> tls_stream::shutdown() {
  if (closing_) co_return result<void>{};
  auto sent = co_await drained();
  if (!sent) co_return sent.error();
  if (closing_) co_return result<void>{};
  ERR_clear_error();
  SSL_shutdown(ssl_.get());  // sends our close_notify; the other one is received like data
  send_out();
  end_writing({.code = errc::closed, .what = "this side has ended the stream"});
  co_return co_await wire_.over.shutdown();
}

task<void> tls_stream::close() {
  closing_ = true;
  end_writing({.code = errc::closed, .what = "closed before everything was written"});
  co_await wire_.over.close();
}

void tls_stream::trim() noexcept {
  if (plain_.empty()) plain_ = byte_buffer{};
  wire_.out.shrink_to_fit();
  unsent_.shrink_to_fit();
  SSL_free_buffers(ssl_.get());  // no effect in the middle of a record
  wire_.over.trim();
}

}  // namespace hawser::detail
