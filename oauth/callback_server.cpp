// SPDX-License-Identifier: MIT
#include "callback_server.hpp"

#include <algorithm>

#include "../runtime/async/detail/wait_for.hpp"
#include "../runtime/async/event.hpp"
#include "../runtime/async/scope.hpp"
#include "../runtime/async/timeout.hpp"
#include "../transports/http/http_url.hpp"

namespace hawser {

namespace {

constexpr std::size_t most_connections = 16;
constexpr duration browser_patience = std::chrono::seconds{5};  // for each step of the browser
constexpr std::size_t longest_fields = std::size_t{8} << 10;
// Room for a target with 100 KiB of escaped description, so that such an error still ends the login at once.
constexpr std::size_t longest_head = (std::size_t{320} << 10) + longest_fields;
constexpr std::size_t longest_path = 200;

http_server_options options_for(const callback_options& where) {
  http_server_options chosen;
  chosen.port = where.port;
  chosen.limits = {.max_head = longest_head, .max_fields = 100, .max_body = longest_fields};
  chosen.max_connections = most_connections;
  chosen.head_deadline = browser_patience;
  chosen.body_deadline = browser_patience;
  chosen.idle_deadline = browser_patience;
  chosen.write_deadline = browser_patience;
  return chosen;
}

bool is_path(std::string_view text) noexcept {
  return text.starts_with('/') && text.size() <= longest_path && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view{"/-._~"}.find(c) != std::string_view::npos;
         });
}

// T-24: pages consist of constants only.
complete_response page_of(int status, std::string_view title, std::string_view text) {
  complete_response answer{.status = status};
  http_fields& fields = answer.fields;
  fields.add("Content-Type", "text/html; charset=utf-8");
  fields.add("Content-Security-Policy",
             "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  fields.add("Referrer-Policy", "no-referrer");
  fields.add("Cache-Control", "no-store");
  fields.add("X-Content-Type-Options", "nosniff");
  fields.add("Cross-Origin-Opener-Policy", "same-origin");
  if (status == 405) fields.add("Allow", "GET");
  std::string& page = answer.body;
  page = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Hawser: ";
  page.append(title).append("</title></head><body><h1>").append(title).append("</h1><p>").append(text);
  page += "</p></body></html>\n";
  return answer;
}

void show(server_exchange& call, int status, std::string_view title, std::string_view text) {
  const complete_response page = page_of(status, title, text);
  call.reply(page.status, page.fields, page.body);
}

std::size_t size_of(const http_fields& fields) noexcept {
  std::size_t size = 0;
  for (const http_field& one : fields.all()) size += one.name.size() + one.value.size() + 4;
  return size;
}

// The request handler of one login.
struct doorkeeper {
  const std::string& host;
  const std::string& path;
  const secret& state;
  event settled{};
  std::optional<result<authorization_response>> answer{};

  // Decides by the head alone, before the body is read.
  [[nodiscard]] std::optional<complete_response> judge(const http_head& asked) const {
    if (size_of(asked.fields) > longest_fields) return page_of(431, "Not here", "The request is too large.");
    // T-23: DNS rebinding: a page whose own name resolves to 127.0.0.1 sends another Host.
    if (asked.fields.find("host") != std::optional<std::string_view>{host})
      return page_of(403, "Not here", "This address is for one program's login only.");
    const std::string_view target = asked.target;
    if (target.substr(0, target.find('?')) != path) return page_of(404, "Not here", "There is no such page.");
    if (asked.method != "GET") return page_of(405, "Not here", "Only GET is answered here.");
    return std::nullopt;
  }

  void serve(server_exchange& call) {
    const std::string_view target = call.request().target;
    const std::size_t query = std::min(target.find('?'), target.size());
    if (answer) return refuse(call);  // T-22: only once
    auto read = parse_redirect_query(target.substr(std::min(query + 1, target.size())), state);
    if (!read && read.error().code != errc::protocol) return refuse(call);
    answer = std::move(read);
    settled.set();
    if (*answer && !(*answer)->code.empty())
      return show(call, 200, "The answer has arrived",
                  "You can close this page. The program you came from says whether you are logged in.");
    show(call, 200, "Not logged in", "You can close this page. The program you came from says why.");
  }

  static void refuse(server_exchange& call) {
    show(call, 400, "Not this login", "This is not the answer that is waited for. Please begin again in the program.");
  }
};

task<void> answer_one(doorkeeper& door, server_exchange& call) {
  door.serve(call);
  co_return;
}

}  // namespace

callback_server::callback_server(http_server server, const std::string& path)
    : server_(std::move(server)),
      path_(path),
      redirect_uri_("http://127.0.0.1:" + std::to_string(server_->local().port) + path) {
  const auto own = http_url::parse(redirect_uri_);
  host_ = own ? own->authority() : std::string{};
}

result<callback_server> callback_server::listen(loop& home, callback_options where) {
  if (where.path.empty()) {
    where.path = "/callback/" + base64url(random_bytes(16));
  } else if (!is_path(where.path)) {
    return error{.code = errc::config,
                 .what = "the callback path is no plain path: it begins with / and has letters, digits and /-._~ only"};
  }
  auto server = http_server::listen(home, options_for(where));
  if (!server) return prefixed("waiting for the browser's answer", std::move(server).error());
  return callback_server{*std::move(server), where.path};
}

task<result<authorization_response>> callback_server::wait(secret state, duration bound) {
  if (!server_) co_return error{.code = errc::closed, .what = "this login's answer was waited for already"};
  doorkeeper door{.host = host_, .path = path_, .state = state};
  scope serving{co_await this_context()};
  request_handler with = [&door](server_exchange& call) { return answer_one(door, call); };
  head_check first = [&door](const http_head& head) { return door.judge(head); };
  serving.spawn(server_->serve(std::move(with), std::move(first)));
  auto waited = co_await with_timeout(std::min(bound, longest_wait), detail::wait_for(door.settled));
  serving.request_stop();
  co_await serving.join();
  server_.reset();
  if (door.answer) co_return *std::move(door.answer);
  if (!waited && waited.error().code == errc::timed_out)
    co_return error{.code = errc::timed_out,
                    .what = "nobody came back from the browser in time; log in again, and finish there sooner"};
  co_return waited ? cancelled_error() : std::move(waited).error();
}

}  // namespace hawser
