// SPDX-License-Identifier: MIT
#include "../../host/config/secrets.hpp"

#include "../support/ut.hpp"

namespace secrets_test {

using namespace hawser;

redaction hiding(const server_settings& of) {
  redaction known;
  hide_secrets(of, known);
  return known;
}

server_settings with_variable(const std::string& value) {
  server_settings s{.name = "s"};
  s.transport = stdio_settings{.command = "x", .env = {{"VALUE", value}}};
  return s;
}

server_settings with_header(const std::string& name, const std::string& value) {
  server_settings s{.name = "s"};
  http_settings remote{.url = "https://a.test/mcp"};
  remote.headers.emplace(name, value);
  s.transport = std::move(remote);
  return s;
}

const suite<"secrets of settings"> tests = [] {
  "SEC-3 each line of a secret of several lines is hidden, but the first and the last of a PEM key"_test = [] {
    const std::string first = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    const std::string second = "VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDu";
    const redaction known =
        hiding(with_variable("-----BEGIN PRIVATE KEY-----\n" + first + "\r\n  " + second + "\nabc=\n-----END-----\n"));
    for (const std::string& line : {first, second}) {
      expect(known.apply("12 | " + line + " |") == "12 | [redacted] |") << known.apply(line);
      expect(known.matches(base64(line)));
    }
    for (const std::string line : {"-----BEGIN PRIVATE KEY-----", "abc=", "-----END-----"})
      expect(known.apply(line) == line) << line;
  };

  "SEC-3 a secret is hidden without the blanks and line ends around it, too"_test = [] {
    for (const std::string value : {"correct-horse-battery ", "correct-horse-battery\r", "  correct-horse-battery\n"})
      expect(hiding(with_variable(value)).apply("no \"correct-horse-battery\"") == "no \"[redacted]\"") << value;
  };

  "SEC-3 the password in a URL is hidden on its own, as it is written and decoded"_test = [] {
    const redaction known = hiding(with_variable("postgres://app:p%40ss%2Fw0rd@db.test:5432/main?sslmode=require"));
    expect(known.apply("no password p@ss/w0rd for app at db.test") == "no password [redacted] for app at db.test");
    expect(known.apply("p%40ss%2Fw0rd") == "[redacted]");
    expect(known.apply("sslmode=require, app, 5432") == "sslmode=require, app, 5432");
    const redaction odd = hiding(with_variable("a=redis://:hunter22@one.test b=amqp://u:wi@th#at@two.test"));
    expect(odd.apply("hunter22") == "[redacted]");
    server_settings argument{.name = "s"};
    argument.transport = stdio_settings{.command = "x", .args = {"mysql://root:in-an-argument@h/db"}};
    expect(hiding(argument).apply("root, in-an-argument") == "root, [redacted]");
  };

  "SEC-3 what a Basic authorization encodes is hidden"_test = [] {
    const std::string token = base64("alice:open sesame");
    for (const server_settings& s :
         {with_header("Authorization", "Basic " + token), with_header("X-Forward", "basic " + token + ", more"),
          with_variable("Authorization: Basic " + token)}) {
      const redaction known = hiding(s);
      expect(known.apply("alice says open sesame") == "alice says [redacted]") << known.apply("alice says open sesame");
      expect(known.apply("alice:open sesame!") == "[redacted]!");
      expect(known.apply(token) == "[redacted]");
    }
  };

  "SEC-3 the values of cookies are hidden, but no short ones"_test = [] {
    const redaction known = hiding(with_header("cookie", "theme=dark; sid=9f8e7d6c5b; quoted=\"a value\" ; x"));
    expect(known.apply("session 9f8e7d6c5b is over") == "session [redacted] is over");
    expect(known.apply("dark theme") == "dark theme");
    expect(known.apply("a value") == "a value") << "seven bytes";
  };

  "SEC-3 a value of a query is hidden without its percent codes, too"_test = [] {
    server_settings s{.name = "s"};
    s.transport = http_settings{.url = "https://a.test/mcp?key=ab%2Fcd%2Bef%3D"};
    expect(hiding(s).apply("key ab/cd+ef= is wrong") == "key [redacted] is wrong");
  };
};

}  // namespace secrets_test
