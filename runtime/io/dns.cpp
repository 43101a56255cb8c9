// SPDX-License-Identifier: MIT
#include "dns.hpp"

#include <ares.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>

#include "../async/operation.hpp"
#include "../loop/detail/handle.hpp"
#include "../loop/detail/loop_core.hpp"
#include "detail/sockaddr.hpp"

namespace hawser {

namespace {

// How long to wait for one family's addresses after the other family has answered (RFC 8305, resolution delay): some
// routers and VPNs never answer for one family.
constexpr duration resolution_delay = std::chrono::milliseconds{50};

// The search domain settings of resolv.conf(5) and the environment. Newer versions of c-ares do not expose them.
struct search_rules {
  int whole_name_dots = 1;  // ndots: names with fewer dots are tried in the search domains first
  bool has_domains = false;
};

search_rules configured_search() {
  const auto dots_in = [](std::string_view options, int otherwise) {
    const std::size_t at = options.find("ndots:");
    return at == std::string_view::npos ? otherwise : std::atoi(std::string{options.substr(at + 6, 3)}.c_str());
  };
  search_rules rules;
  std::array<char, 256> own_name{};  // without other settings, the domain of this machine's host name is searched
  rules.has_domains =
      gethostname(own_name.data(), own_name.size() - 1) != 0 || std::strchr(own_name.data(), '.') != nullptr;
  std::ifstream file{"/etc/resolv.conf"};
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("options")) rules.whole_name_dots = dots_in(line, rules.whole_name_dots);
    if (line.starts_with("search") || line.starts_with("domain")) rules.has_domains = true;
  }
  if (const char* const set = std::getenv("RES_OPTIONS")) rules.whole_name_dots = dots_in(set, rules.whole_name_dots);
  if (const char* const set = std::getenv("LOCALDOMAIN")) rules.has_domains = *set != '\0';
  return rules;
}

// One query with its own c-ares channel: a stop destroys the channel and with it the query, and network changes are
// noticed because every query reads the system's configuration. The two families are queried separately, because c-ares
// answers a combined query only when the slower family has ended, with all its retries. That is done only for the name
// as given, and only if the hosts file does not contain it: a lookup of one family alone could find an address of
// another machine in a search domain, or ignore an entry of the hosts file. In search domains both families are one
// query.
class ares_query final : public operation, private timer {
 public:
  ares_query(const std::string& host, const resolver_options& options) : host_(host), options_(options) {}
  ares_query(const ares_query&) = delete;
  ares_query& operator=(const ares_query&) = delete;
  ~ares_query() { end_channel(); }

  result<std::vector<ip_address>> await_resume() {
    std::vector<ip_address> all;
    for (const family_query* one : {&v6_, &v4_, &both_})
      all.insert(all.end(), one->addresses.begin(), one->addresses.end());
    if (!all.empty()) return all;
    if (cancelled()) return cancelled_error();
    const int status = failure();
    return error{.code = errc::io, .what = "resolve \"" + host_ + "\": " + ares_strerror(status), .native = status};
  }

 private:
  struct family_query {
    ares_query& of;
    int family;
    int status = ARES_SUCCESS;
    bool answered = false;
    std::vector<ip_address> addresses{};
  };

  void start() override {
    make_channel();
    if (status_ == ARES_SUCCESS && !options_.servers.empty()) {
      status_ = ares_set_servers_ports_csv(channel_, options_.servers.c_str());
    }
    if (status_ != ARES_SUCCESS) {
      complete();
      return;
    }
    if (search_hosts_file(v6_) + search_hosts_file(v4_) > 0) {
      finish();
    } else if (host_.ends_with('.') || std::count(host_.begin(), host_.end(), '.') >= search_.whole_name_dots) {
      ask(v6_);
      if (!done_) ask(v4_);
    } else {
      ask(both_);
    }
    arm_timer();
  }

  // Returns the number of addresses found.
  std::size_t search_hosts_file(family_query& one) {
    hostent* found = nullptr;
    if (ares_gethostbyname_file(channel_, host_.c_str(), one.family, &found) != ARES_SUCCESS) return 0;
    for (char** at = found->h_addr_list; *at != nullptr; ++at) {
      sockaddr_storage address{};
      address.ss_family = static_cast<sa_family_t>(one.family);
      void* const to = one.family == AF_INET6 ? static_cast<void*>(&reinterpret_cast<sockaddr_in6&>(address).sin6_addr)
                                              : &reinterpret_cast<sockaddr_in&>(address).sin_addr;
      std::memcpy(to, *at, static_cast<std::size_t>(found->h_length));
      if (const auto made = detail::from_sockaddr(reinterpret_cast<const sockaddr*>(&address)))
        one.addresses.push_back(made->address);
    }
    ares_free_hostent(found);
    return one.addresses.size();
  }

  void ask(family_query& one) {
    ares_addrinfo_hints hints{};
    hints.ai_family = one.family;
    hints.ai_socktype = SOCK_STREAM;
    const bool very_name = &one != &both_ && !host_.ends_with('.');
    ares_getaddrinfo(channel_, (very_name ? host_ + '.' : host_).c_str(), nullptr, &hints, &on_answer, &one);
  }

  void make_channel() {
    ::ares_options o{};
    o.timeout = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(options_.try_timeout).count());
    o.tries = options_.tries;
    o.sock_state_cb = [](void* self, ares_socket_t socket, int readable, int writable) noexcept {
      static_cast<ares_query*>(self)->watch(socket, readable != 0, writable != 0);
    };
    o.sock_state_cb_data = this;
    std::string only_servers = "b";  // DNS only; the hosts file has already been searched
    o.lookups = only_servers.data();
    status_ = ares_init_options(&channel_, &o,
                                ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS);
  }

  void cancel() noexcept override {
    done_ = true;  // the callbacks caused by end_channel() must not complete this operation
    end_channel();
    complete();
  }

  static void on_answer(void* arg, int status, int /*timeouts*/, ares_addrinfo* info) noexcept {
    auto& one = *static_cast<family_query*>(arg);
    if (status == ARES_SUCCESS) {
      for (const ares_addrinfo_node* node = info->nodes; node != nullptr; node = node->ai_next) {
        if (const auto found = detail::from_sockaddr(node->ai_addr)) one.addresses.push_back(found->address);
      }
      if (one.addresses.empty()) status = ARES_ENODATA;
    }
    if (info != nullptr) ares_freeaddrinfo(info);
    one.status = status;
    one.answered = true;
    one.of.on_family_answered(one);
  }

  // The channel is destroyed with this object, not here: c-ares is still on the stack.
  void on_family_answered(const family_query& one) {
    if (done_) return;
    if (both_.answered) {
      finish();
    } else if (v6_.answered && v4_.answered) {
      const bool nobody = is_uninformative(v6_.status) && is_uninformative(v4_.status);
      if (nobody && !host_.ends_with('.') && search_.has_domains) {  // without any it would be the same query again
        ask(both_);
      } else {
        finish();
      }
    } else if (!one.addresses.empty()) {
      other_family_deadline_ = event_loop().now() + resolution_delay;
    }
  }

  void finish() {
    done_ = true;
    timer::cancel();
    complete();
  }

  static bool is_uninformative(int status) { return status == ARES_ENODATA || status == ARES_ENOTFOUND; }

  // An unreachable server is more informative than the absence of addresses for the other family.
  [[nodiscard]] int failure() const {
    if (status_ != ARES_SUCCESS) return status_;
    if (both_.answered) return both_.status;
    return is_uninformative(v4_.status) && !is_uninformative(v6_.status) ? v6_.status : v4_.status;
  }

  void watch(ares_socket_t socket, bool readable, bool writable) {
    if (!readable && !writable) {
      polls_.erase(socket);
      return;
    }
    auto& poll = polls_[socket];
    if (!poll) {
      int made = 0;
      poll = detail::make_handle<uv_poll_t>(event_loop(), made, uv_poll_init_socket, socket);
      if (!poll) {  // the query ends by its timeout
        polls_.erase(socket);
        return;
      }
      poll->data = this;
    }
    const int events = (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0);
    uv_poll_start(poll.get(), events, [](uv_poll_t* ready, int status, int what) noexcept {
      if (ready->data == nullptr) return;
      auto& self = *static_cast<ares_query*>(ready->data);
      uv_os_fd_t fd = 0;
      uv_fileno(reinterpret_cast<const uv_handle_t*>(ready), &fd);
      const bool both = status < 0;  // c-ares determines the error of its socket
      ares_process_fd(self.channel_, both || (what & UV_READABLE) != 0 ? fd : ARES_SOCKET_BAD,
                      both || (what & UV_WRITABLE) != 0 ? fd : ARES_SOCKET_BAD);
      self.arm_timer();
    });
  }

  // c-ares keeps its own deadlines and must be called when they expire.
  void arm_timer() {
    timer::cancel();
    if (done_) return;
    duration length = duration::max();
    timeval left{};
    if (ares_timeout(channel_, nullptr, &left) != nullptr) {
      // c-ares rounds down to milliseconds. Add one; otherwise the timer would restart with 0 until it is due.
      length =
          std::chrono::seconds{left.tv_sec} + std::chrono::microseconds{left.tv_usec} + std::chrono::milliseconds{1};
    }
    if (other_family_deadline_) length = std::min(length, *other_family_deadline_ - event_loop().now());
    if (length != duration::max()) event_loop().start(*this, length);
  }
  void on_expired() noexcept override {
    ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    if (!done_ && other_family_deadline_ && event_loop().now() >= *other_family_deadline_) finish();
    arm_timer();
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
  std::map<ares_socket_t, detail::unique_handle<uv_poll_t>> polls_;
  family_query v6_{*this, AF_INET6};
  family_query v4_{*this, AF_INET};
  family_query both_{*this, AF_UNSPEC};
  std::optional<time_point> other_family_deadline_;  // deadline for the other family after one has answered
  const search_rules search_ = configured_search();
  int status_ = ARES_SUCCESS;  // of creating the channel
  bool done_ = false;
};

// The beginning of an invalid host name, safe to print in an error.
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

// Whether the host can only be an IPv4 address in a form that ip_address rejects: 127.1, 0x7f.1, 2130706433.
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
  // ares_library_init counts its calls, but the counter is not thread-safe.
  static std::once_flag once;
  std::call_once(once, [] { ares_library_init(ARES_LIB_INIT_ALL); });
}

task<result<std::vector<ip_address>>> ares_resolver::resolve(std::string host) {
  if (const auto literal = ip_address::parse(host)) co_return std::vector{*literal};
  if (is_localhost(host)) co_return std::vector{ip_address::loopback_v4(), ip_address::loopback_v6()};
  // DNS limits names to 253 characters. c-ares would truncate at a NUL, and it parses 017.0.0.1 differently.
  if (host.empty() || host.size() > 254 || host.find('\0') != std::string::npos || ends_in_number(host)) {
    co_return error{.code = errc::io, .what = "resolve \"" + printable(host) + "\": not a host name"};
  }
  co_return co_await ares_query{host, options_};
}

}  // namespace hawser
