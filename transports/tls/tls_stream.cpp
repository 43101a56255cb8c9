// SPDX-License-Identifier: MIT
#include "detail/tls_stream.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>

#include "../../runtime/detail/check.hpp"
#include "../../runtime/io/address.hpp"

namespace hawser::detail {

namespace {

constexpr std::size_t least_read = 2048;
// Above this size the stream takes over the memory.
constexpr std::size_t worth_moving = std::size_t{64} * 1024;
// The maximum payload of a record, and the maximum that a record adds to it.
constexpr std::size_t record_size = std::size_t{16} * 1024;
constexpr std::size_t record_cost = 64;
constexpr std::size_t max_unread = stream_limits{}.max_unread;

void count_handshakes(int written, int /*version*/, int type, const void* /*bytes*/, std::size_t /*size*/, SSL* ssl,
                      void* wire) noexcept {
  if (written == 0 && type == SSL3_RT_HANDSHAKE && SSL_is_init_finished(ssl) == 1)
    ++static_cast<tls_wire*>(wire)->late_handshakes;
}

}  // namespace

tls_stream::tls_stream(stream socket, std::shared_ptr<tls_context> context, std::string subject)
    : context_(std::move(context)),
      wire_{.socket = std::move(socket), .core = context_->core()},
      ssl_(SSL_new(wire_.core.context.get())),
      subject_(std::move(subject)) {
  BIO* bio = BIO_new(wire_.core.wire_method.get());
  require(ssl_ != nullptr && bio != nullptr, "OpenSSL has no memory for a connection");
  BIO_set_data(bio, &wire_);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);  // owns it
  SSL_set_app_data(ssl_.get(), &wire_);
  SSL_set_msg_callback(ssl_.get(), count_handshakes);
  SSL_set_msg_callback_arg(ssl_.get(), &wire_);
  if (wire_.core.role == tls_core::side::client) {
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

result<void> tls_stream::expect_host(const std::string& host, std::uint16_t port) {
  error unusable{.code = errc::config, .what = subject_ + ": not a host that a certificate can be for"};
  // OpenSSL would accept any host for an empty name.
  if (host.empty() || host.find('\0') != std::string::npos) return unusable;
  X509_VERIFY_PARAM* rules = SSL_get0_param(ssl_.get());
  // The subject's common name is no longer used as a host name (RFC 9110, section 4.3.4).
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (const auto address = ip_address::parse(host)) {
    const std::size_t size = address->kind() == ip_address::family::v4 ? 4 : 16;
    if (X509_VERIFY_PARAM_set1_ip(rules, address->bytes().data(), size) != 1) return unusable;
  } else {
    if (X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size()) != 1) return unusable;
    // Without OpenSSL's macro for it, whose cast g++ would warn about here.
    if (SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 const_cast<char*>(host.c_str())) != 1)
      return unusable;
  }
  wire_.session_key = host + ' ' + std::to_string(port);
  if (const auto session = wire_.core.sessions.take(wire_.session_key)) SSL_set_session(ssl_.get(), session.get());
  return {};
}

result<bool> tls_stream::handshake_step() {
  ERR_clear_error();
  const int done = SSL_do_handshake(ssl_.get());
  const int why = done == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), done);
  if (why == SSL_ERROR_WANT_READ) {
    send_out();
    return false;
  }
  if (done == 1) {
    send_out();
    return true;
  }
  error failed = handshake_error(ssl_.get(), wire_, subject_);
  send_out();  // the alert that names the reason
  return failed;
}

result<void> tls_stream::check_negotiated() {
  SSL* ssl = ssl_.get();
  if (wire_.core.role == tls_core::side::client) {
    // OpenSSL has already failed the handshake otherwise; checked again, because this must not depend on any setting.
    if (const long verified = SSL_get_verify_result(ssl); verified != X509_V_OK)
      return error{.code = errc::protocol, .what = subject_ + ": " + X509_verify_cert_error_string(verified)};
    const unsigned char* chosen = nullptr;
    unsigned int length = 0;
    SSL_get0_alpn_selected(ssl, &chosen, &length);
    const std::string_view protocol{reinterpret_cast<const char*>(chosen), length};
    if (!protocol.empty() && protocol != "http/1.1")
      return error{.code = errc::protocol, .what = subject_ + ": the server chose a protocol that was not offered"};
  }
  ++wire_.core.handshakes;
  if (SSL_session_reused(ssl) == 1) ++wire_.core.resumed;
  return {};
}

task<result<void>> tls_stream::handshake() {
  while (true) {
    auto stepped = handshake_step();
    if (!stepped) co_return stepped.error();
    if (*stepped) co_return check_negotiated();
    auto more = co_await wire_.socket.read_some();
    if (more) continue;
    error why = more.error();
    if (why.code == errc::cancelled) co_return why;
    co_return prefixed(subject_ + ": the connection ended during the handshake", std::move(why));
  }
}

void tls_stream::listen(byte_listener& listener) {
  listener_ = &listener;
  wire_.socket.listen(*this);  // reports what came with the handshake, in a later loop iteration
}

void tls_stream::on_bytes() noexcept {
  const std::size_t before = plain_.size();
  const bool had_ended = read_end_ != nullptr;
  decrypt();
  send_unsent();
  send_out();
  if (plain_.size() > before && !closing_) listener_->on_bytes();
  if (read_end_ && !had_ended && !closing_) listener_->on_end(*read_end_);
}

void tls_stream::on_end(const error& why) noexcept {
  if (read_end_) return;
  if (why.code == errc::closed) {
    end_reading({.code = errc::io, .what = subject_ + ": truncated: the connection ended without a close_notify"});
  } else {
    end_reading(prefixed(subject_, why));
  }
  if (!closing_) listener_->on_end(*read_end_);
}

void tls_stream::decrypt() {
  SSL* ssl = ssl_.get();
  while (true) {
    if (read_end_) {
      wire_.socket.consume(wire_.socket.unread().size());  // data after the end is ignored
      return;
    }
    const std::size_t encrypted = wire_.socket.unread().size();
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
      if (wire_.socket.unread().size() == encrypted) return;
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
    wire_.socket.write(std::exchange(out, {}));
  } else if (!out.empty()) {
    wire_.socket.write(std::string_view{out});
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
  wire_.socket.drop_unsent();
}

task<result<void>> tls_stream::drained() {
  auto sent = co_await sent_.wait();
  if (!sent) co_return sent.error();
  if (write_end_) co_return *write_end_;
  co_return co_await wire_.socket.drained();
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
  co_return co_await wire_.socket.shutdown();
}

task<void> tls_stream::close() {
  closing_ = true;
  end_writing({.code = errc::closed, .what = "closed before everything was written"});
  co_await wire_.socket.close();
}

void tls_stream::trim() noexcept {
  if (plain_.empty()) plain_ = byte_buffer{};
  wire_.out.shrink_to_fit();
  unsent_.shrink_to_fit();
  SSL_free_buffers(ssl_.get());  // no effect in the middle of a record
  wire_.socket.trim();
}

}  // namespace hawser::detail
