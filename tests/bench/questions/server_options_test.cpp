// SPDX-License-Identifier: MIT
#include "../../../bench/questions/server_options.hpp"

#include <cstdlib>

#include "../../support/ut.hpp"

namespace server_options_test {

using namespace hawser;
using bench::server_options;
using bench::settings_for;

const suite<"server_options"> tests = [] {
  "a command has its arguments, folder and variables"_test = [] {
    setenv("HAWSER_TEST_HERE", "as it is", 1);
    const auto made =
        settings_for({.command = {"/opt/it/server", "--x", "1"}, .env = {"A=b=c", "HAWSER_TEST_HERE"}, .cwd = "/tmp"});
    expect(fatal(made.has_value()));
    const auto& child = std::get<stdio_settings>(made->transport);
    expect(child.command == "/opt/it/server" and child.args == std::vector<std::string>{"--x", "1"});
    expect(child.env.at("A") == "b=c" and child.env.at("HAWSER_TEST_HERE") == "as it is" and child.cwd == "/tmp");
    expect(made->name == "server" and made->restart == restart_policy::never);
  };

  "an address has its header fields and its type"_test = [] {
    const auto made = settings_for({.url = "https://example.com:8443/mcp?key=k",
                                    .headers = {"Authorization: Bearer x:y", "X-Empty:"},
                                    .type = "sse"});
    expect(fatal(made.has_value())) << (made ? "" : made.error().what);
    const auto& remote = std::get<http_settings>(made->transport);
    expect(remote.headers.at("Authorization") == "Bearer x:y" and remote.headers.at("X-Empty").empty());
    expect(remote.type == http_settings::kind::sse);
    expect(made->name == "example.com:8443") << made->name;
  };

  "what is wrong is said by its option, and no value is"_test = [] {
    const auto says = [](const server_options& options, std::string_view part) {
      const auto made = settings_for(options);
      expect(made.has_error() and made.error().code == errc::config) << part;
      if (!made) expect(made.error().what.find(part) != std::string::npos) << made.error().what;
      if (!made) expect(made.error().what.find("s3cret") == std::string::npos) << made.error().what;
    };
    says({}, "name one server");
    says({.url = "http://x/", .command = {"y"}}, "name one server");
    says({.url = "http://x/", .env = {"A=s3cret"}}, "--env");
    says({.type = "http", .command = {"x"}}, "--type");
    says({.command = {"x"}, .env = {"=s3cret"}}, "--env");
    says({.command = {"x"}, .env = {"HAWSER_TEST_UNSET"}}, "HAWSER_TEST_UNSET");
    says({.url = "http://x/", .headers = {"s3cret"}}, "--header");
    says({.url = "http://x/", .headers = {"two words: s3cret"}}, "--header");
    says({.url = "http://x/", .headers = {"A: s3cret\r\nB: c"}}, "--header");
    says({.command = {"x"}, .arguments = "[1]"}, "--arguments");
    says({.command = {"x"}, .arguments = "{"}, "--arguments");
    const auto bad = settings_for({.url = "ftp://x/"});
    expect(bad.has_error() and bad.error().what.starts_with("--url")) << bad.error().what;
  };
};

}  // namespace server_options_test
