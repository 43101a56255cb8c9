// SPDX-License-Identifier: MIT
// A web server with a fixed set of pages that records its requests. A page with status 0 resets the connection; in a
// body, `$ORIGIN` is the server's origin and `$PORT` its port.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scripted_http_server.hpp"

namespace hawser::testing {

struct static_page {
  std::string body{};
  int status = 200;
  std::string type = "application/json";
};

class static_http_server {
 public:
  /// By path, with or without the query; any other path gives 404.
  explicit static_http_server(std::map<std::string, static_page> all)
      : all_(std::move(all)), script_([this](scripted_connection& with) {
          while (const auto asked = with.request()) answer(with, target_of(*asked));
        }) {}

  [[nodiscard]] std::string origin() const { return script_.origin(); }
  [[nodiscard]] http_url url(std::string_view path) const { return script_.url(path); }
  [[nodiscard]] std::vector<received_request> seen() const { return script_.seen(); }
  /// The requested targets in order, separated by spaces.
  [[nodiscard]] std::string asked() const {
    std::string all;
    for (const received_request& one : seen()) all.append(all.empty() ? "" : " ").append(target_of(one));
    return all;
  }
  [[nodiscard]] std::string filled(std::string text) const {
    for (std::size_t at = 0; (at = text.find("$ORIGIN", at)) != std::string::npos;) text.replace(at, 7, origin());
    const std::string port = std::to_string(script_.port());
    for (std::size_t at = 0; (at = text.find("$PORT", at)) != std::string::npos;) text.replace(at, 5, port);
    return text;
  }

 private:
  static std::string target_of(const received_request& asked) {
    const std::size_t begin = asked.head.find(' ') + 1;
    return asked.head.substr(begin, asked.head.find(' ', begin) - begin);
  }
  void answer(scripted_connection& with, const std::string& target) const {
    auto page = all_.find(target);
    if (page == all_.end()) page = all_.find(target.substr(0, target.find('?')));
    if (page == all_.end()) return with.reply("404 Not Found", "text/html", "<html>what?</html>");
    if (page->second.status == 0) return with.reset(), with.end();
    with.reply(std::to_string(page->second.status) + " Said", page->second.type, filled(page->second.body));
  }

  const std::map<std::string, static_page> all_;
  scripted_http_server script_;
};

}  // namespace hawser::testing
