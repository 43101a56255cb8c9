// SPDX-License-Identifier: MIT
#include "dns.hpp"

#include <ares.h>
#include <netdb.h>

#include <map>
#include <mutex>

#include "detail/handle.hpp"
#include "detail/loop_core.hpp"
#include "detail/sockaddr.hpp"
#include "operation.hpp"

namespace hawser {

namespace {

// One question with a c-ares channel of its own: a stop destroys the channel and with it the question, and a change
// of network is noticed because every question reads the system's configuration.
class ares_question final : public operation, private timer {
 public:
  ares_question(const std::string& host, const resolver_options& options) : host_(host), options_(options) {}
  ares_question(const ares_question&) = delete;
  ares_question& operator=(const ares_question&) = delete;
  ~ares_question() { end_channel(); }

  result<std::vector<ip_address>> await_resume() {
    if (!addresses_.empty()) return std::move(addresses_);
    if (cancelled()) return cancelled_error();
    return error{.code = errc::io, .what = "resolve \"" + host_ + "\": " + ares_strerror(status_), .native = status_};
  }

 private:
  void start() override {
    make_channel();
    if (status_ == ARES_SUCCESS && !options_.servers.empty()) {
      status_ = ares_set_servers_ports_csv(channel_, options_.servers.c_str());
    }
    if (status_ != ARES_SUCCESS) {
      complete();
      return;
    }
    ares_addrinfo_hints hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(channel_, host_.c_str(), nullptr, &hints, &on_answer, this);
    wait_on();
  }

  void make_channel() {
    ::ares_options o{};
    o.timeout = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(options_.try_timeout).count());
    o.tries = options_.tries;
    o.sock_state_cb = [](void* self, ares_socket_t socket, int readable, int writable) {
      static_cast<ares_question*>(self)->watch(socket, readable != 0, writable != 0);
    };
    o.sock_state_cb_data = this;
    status_ = ares_init_options(&channel_, &o, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
  }

  void cancel() noexcept override {
    answered_ = true;  // the callback that end_channel() provokes is not the end of this operation
    end_channel();
    complete();
  }

  static void on_answer(void* arg, int status, int /*timeouts*/, ares_addrinfo* info) {
    auto& self = *static_cast<ares_question*>(arg);
    if (status == ARES_SUCCESS) {
      for (const ares_addrinfo_node* node = info->nodes; node != nullptr; node = node->ai_next) {
        if (const auto found = detail::from_sockaddr(node->ai_addr)) self.addresses_.push_back(found->address);
      }
      if (self.addresses_.empty()) status = ARES_ENODATA;
    }
    if (info != nullptr) ares_freeaddrinfo(info);
    if (self.answered_) return;
    self.answered_ = true;
    self.status_ = status;
    self.timer::cancel();
    self.complete();  // the channel itself ends with this object: c-ares is still on the stack here
  }

  void watch(ares_socket_t socket, bool readable, bool writable) {
    if (!readable && !writable) {
      polls_.erase(socket);
      return;
    }
    auto& poll = polls_[socket];
    if (!poll) {
      poll.reset(new uv_poll_t{});
      if (uv_poll_init_socket(detail::uv_of(home()), poll.get(), socket) != 0) {
        delete poll.release();  // never became a handle; the question ends by its timeout
        polls_.erase(socket);
        return;
      }
      poll->data = this;
    }
    const int events = (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0);
    detail::uv_of(home());  // which is to look at the poll handle again
    uv_poll_start(poll.get(), events, [](uv_poll_t* ready, int status, int what) {
      if (ready->data == nullptr) return;
      auto& self = *static_cast<ares_question*>(ready->data);
      uv_os_fd_t fd = 0;
      uv_fileno(reinterpret_cast<const uv_handle_t*>(ready), &fd);
      const bool both = status < 0;  // let c-ares find out what is wrong with its socket
      ares_process_fd(self.channel_, both || (what & UV_READABLE) != 0 ? fd : ARES_SOCKET_BAD,
                      both || (what & UV_WRITABLE) != 0 ? fd : ARES_SOCKET_BAD);
      self.wait_on();
    });
  }

  // c-ares keeps its own deadlines and wants to be called when they pass.
  void wait_on() {
    timer::cancel();
    if (answered_) return;
    timeval left{};
    if (ares_timeout(channel_, nullptr, &left) == nullptr) return;
    // c-ares rounds down to milliseconds: one more, or the timer would go round at 0 until it is due.
    home().start(*this, std::chrono::seconds{left.tv_sec} + std::chrono::microseconds{left.tv_usec} +
                            std::chrono::milliseconds{1});
  }
  void on_expired() noexcept override {
    ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    wait_on();
  }

  void end_channel() noexcept {
    timer::cancel();
    if (channel_ == nullptr) return;
    ares_destroy(std::exchange(channel_, nullptr));
    polls_.clear();
  }

  const std::string& host_;
  const resolver_options& options_;
  ares_channel channel_ = nullptr;
  std::map<ares_socket_t, detail::owned<uv_poll_t>> polls_;
  std::vector<ip_address> addresses_;
  int status_ = ARES_SUCCESS;
  bool answered_ = false;
};

// Enough of a name that is none to recognise it by.
std::string printable(std::string_view host) {
  std::string text{host.substr(0, 80)};
  for (char& c : text) c = c >= ' ' && c <= '~' ? c : '?';
  return host.size() > text.size() ? text + "..." : text;
}

bool is_localhost(std::string host) {
  if (host.ends_with('.')) host.pop_back();
  for (char& c : host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return host == "localhost" || host.ends_with(".localhost");  // RFC 6761
}

// Whether it can only be an address, in one of the forms that ip_address refuses: 127.1, 0x7f.1, 2130706433.
bool ends_in_number(std::string_view host) noexcept {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string_view last = host.substr(host.rfind('.') + 1);
  const bool hexadecimal = last.starts_with("0x") || last.starts_with("0X");
  if (hexadecimal) last.remove_prefix(2);
  const std::string_view digits = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
  return (hexadecimal || !last.empty()) && last.find_first_not_of(digits) == std::string_view::npos;
}

}  // namespace

ares_resolver::ares_resolver(resolver_options options) : options_(std::move(options)) {
  // c-ares counts these calls itself, but the counting is not safe from several threads.
  static std::once_flag once;
  std::call_once(once, [] { ares_library_init(ARES_LIB_INIT_ALL); });
}

task<result<std::vector<ip_address>>> ares_resolver::resolve(std::string host) {
  if (const auto literal = ip_address::parse(host)) co_return std::vector{*literal};
  if (is_localhost(host)) co_return std::vector{ip_address::loopback_v4(), ip_address::loopback_v6()};
  // 253 characters is DNS's own limit; c-ares would cut at a NUL, and read 017.0.0.1 in a way of its own.
  if (host.empty() || host.size() > 254 || host.find('\0') != std::string::npos || ends_in_number(host)) {
    co_return error{.code = errc::io, .what = "resolve \"" + printable(host) + "\": not a host name"};
  }
  co_return co_await ares_question{host, options_};
}

}  // namespace hawser
