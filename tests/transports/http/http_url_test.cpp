// SPDX-License-Identifier: MIT
#include "../../../transports/http/http_url.hpp"

#include <string>

#include "../../support/ut.hpp"

namespace http_url_test {

using namespace hawser;

std::string text_of(std::string_view url) {
  const auto parsed = http_url::parse(url);
  return parsed ? parsed->text() : "refused";
}

std::string why(std::string_view url) {
  const auto parsed = http_url::parse(url);
  if (parsed) return "not refused: " + parsed->text();
  return parsed.error().code == errc::config ? parsed.error().what : "another error";
}

std::string led_to(std::string_view from, std::string_view reference) {
  const auto resolved = http_url::parse(from).value().resolve(reference);
  return resolved ? resolved->text() : "refused";
}

const suite<"http_url"> tests = [] {
  "a url has its parts"_test = [] {
    const http_url url = http_url::parse("https://Example.COM:8443/mcp/a%20b?x=1&y=%2F#part").value();
    expect(url.tls);
    expect(url.host == "example.com");
    expect(url.port == 8443_u);
    expect(url.target == "/mcp/a%20b?x=1&y=%2F");
    expect(url.authority() == "example.com:8443");
    expect(url.origin() == "https://example.com:8443");
    expect(url.text() == "https://example.com:8443/mcp/a%20b?x=1&y=%2F");
    const http_url plain = http_url::parse("HTTP://host").value();
    expect(!plain.tls && plain.port == 80 && plain.target == "/" && plain.authority() == "host");
    expect(text_of("https://h:443") == "https://h/");
    expect(text_of("http://h:443") == "http://h:443/");
    expect(text_of("http://h:") == "http://h/");
    expect(text_of("http://h?q") == "http://h/?q");
    expect(text_of("http://h/?") == "http://h/?");
    expect(text_of("http://h/#") == "http://h/");
    expect(text_of("http://h//a/../b") == "http://h//a/../b") << "as it was typed";
  };

  "D05 hosts are brought to one form"_test = [] {
    expect(text_of("http://example.com./x") == "http://example.com/x");
    expect(text_of("http://XN--MNCHEN-3YA.de") == "http://xn--mnchen-3ya.de/");
    expect(text_of("http://127.0.0.1:3000") == "http://127.0.0.1:3000/");
    expect(text_of("http://127.0.0.1.") == "http://127.0.0.1/");
    expect(text_of("http://[::1]:3000/a") == "http://[::1]:3000/a");
    expect(text_of("http://[0:0:0:0:0:0:0:1]") == "http://[::1]/");
    expect(text_of("http://[::FFFF:127.0.0.1]") == "http://[::ffff:127.0.0.1]/");
    expect(http_url::parse("http://[::1]/").value().host == "::1");
    expect(text_of("http://my_service-1.local") == "http://my_service-1.local/");
    expect(text_of("http://1.example") == "http://1.example/");
    expect(text_of("http://0xdead.beef.example") == "http://0xdead.beef.example/");
  };

  "D05 T-15 numbers that are no strict dotted quad are refused"_test = [] {
    for (const char* url : {"http://0x7f.1", "http://0x7f000001", "http://0X7F.0.0.1", "http://017.0.0.1",
                            "http://127.1", "http://2130706433", "http://0", "http://127.0.0.01", "http://127.0.0.0x1",
                            "http://256.0.0.1", "http://1.2.3.4.5", "http://1.2.3", "http://127.0.0.1..",
                            "http://example.0x", "http://a.7", "http://0177.0.0.1", "http://00000177.1"})
      expect(text_of(url) == "refused") << url;
    expect(why("http://0x7f.1/") ==
           "url \"http://0x7f.1/\": the host is a number, but no address in the form 192.0.2.1");
  };

  "D05 T-15 addresses with a zone, and other things in brackets, are refused"_test = [] {
    for (const char* url :
         {"http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[::1", "http://[]/", "http://[::g]/",
          "http://[v1.x]/", "http://[127.0.0.1]/", "http://[::ffff:127.1]/", "http://[::1]x/"})
      expect(text_of(url) == "refused") << url << text_of(url);
  };

  "D05 long hosts, empty parts and other alphabets are refused"_test = [] {
    const std::string label(63, 'a');
    const std::string name = label + '.' + label + '.' + label + '.' + std::string(61, 'a');  // 253
    expect(text_of("http://" + name) == "http://" + name + '/');
    expect(text_of("http://" + name + "./") == "http://" + name + '/');
    expect(text_of("http://" + name + "a/") == "refused");
    expect(text_of("http://" + label + "a.com/") == "refused");
    for (const char* url :
         {"http://a..b/", "http://.a/", "http://./", "http://a../", "http://m\xC3\xBCnchen.de/",
          "http://m%C3%BCnchen.de/", "http://ex%61mple.com/", "http://a$b/", "http://a,b/", "http://a*/",
          "http://%31%32%37.0.0.1/", "http://127.0.0.1%2F/", "http://a\\b/", "http://a b/"})
      expect(text_of(url) == "refused") << url << text_of(url);
  };

  "what is no url of a server is refused, and says why"_test = [] {
    for (const char* url : {"",
                            "example.com",
                            "/mcp",
                            "//host/x",
                            "ftp://h/",
                            "file:///etc/passwd",
                            "javascript:alert(1)",
                            "http:",
                            "http:/h",
                            "http://",
                            "http:///x",
                            "https://:443/",
                            "http://h:0/",
                            "http://h:65536/",
                            "http://h:99999999999/",
                            "http://h:-1/",
                            "http://h:8a/",
                            "ws://h/",
                            "http://h/a b",
                            "http://h/\r\nHost: x",
                            "http://h/\x01",
                            "http://h/%zz",
                            "http://h/\\",
                            "http://h/<>",
                            " http://h/",
                            "http://h/ ",
                            "http://h/\xC3\xBC"})
      expect(text_of(url) == "refused") << url << text_of(url);
    using namespace std::string_literals;
    expect(text_of("http://h/\0x"s) == "refused");
    expect(text_of("http://h\0.evil/"s) == "refused");
    expect(text_of("http://h/" + std::string(8183, 'a')) != "refused");
    expect(text_of("http://h/" + std::string(8184, 'a')) == "refused");
    expect(why("ftp://h/x") == "url \"ftp://h/x\": the scheme is neither http nor https");
    expect(why("http://h:0/") == "url \"http://h:0/\": the port is not between 1 and 65535");
  };

  "T-16 secrets of a refused url are not shown, nor what would spoil a terminal"_test = [] {
    expect(why("https://me:secret@h/x?key=secret") ==
           "url \"https://h/x\": it has a user name; credentials do not belong into a url");
    expect(why("https://@h/").find("user name") != std::string::npos);
    for (const char* url : {"https://me:secret@h:0/", "ftp://me:secret@h/", "http://me:secret@@h/",
                            "http://h:0/?secret", "http://me:sec ret@h/#secret", "http://me:secret@h:x/"})
      expect(why(url).find("ret") == std::string::npos && why(url).starts_with("url \"")) << why(url);
    expect(why("http://\x1B[2J/").find('\x1B') == std::string::npos);
    expect(why("x" + std::string(9000, 'a')).size() < 300_ul);
  };

  "T-17 references are resolved by the rules, and checked like a url"_test = [] {
    const char* from = "https://h:8443/a/b?c";
    expect(led_to(from, "/x?y") == "https://h:8443/x?y");
    expect(led_to(from, "x") == "https://h:8443/a/x");
    expect(led_to(from, "../../x") == "https://h:8443/x");
    expect(led_to(from, "/../../x/../y") == "https://h:8443/y");
    expect(led_to(from, "../..") == "https://h:8443/");
    expect(led_to(from, "/..?x") == "https://h:8443/?x");
    expect(led_to(from, "/..x") == "https://h:8443/..x");
    expect(led_to(from, "?x") == "https://h:8443/a/b?x");
    expect(led_to(from, "") == "https://h:8443/a/b?c");
    expect(led_to(from, "#x") == "https://h:8443/a/b?c");
    expect(led_to(from, "//evil/x") == "https://evil/x");
    expect(led_to(from, "http://h:8443/") == "http://h:8443/");
    expect(led_to(from, "https://h:8443/y#z") == "https://h:8443/y");
    for (const char* bad : {"javascript:alert(1)", "//0x7f.1/", "//u:p@h/", "\\\\evil", "/\\evil", "http:x:y", "/a b",
                            "/\r\nX: y", "file:///x", "///x", "http://"})
      expect(led_to(from, bad) == "refused") << bad << led_to(from, bad);
  };

  "T-16 an origin is scheme, host and port"_test = [] {
    const auto same = [](std::string_view a, std::string_view b) {
      return same_origin(http_url::parse(a).value(), http_url::parse(b).value());
    };
    expect(same("https://h/a", "https://H:443/b?c"));
    expect(same("http://h./", "http://h:80"));
    expect(!same("https://h/", "http://h/"));
    expect(!same("https://h/", "https://h:444/"));
    expect(!same("https://h/", "https://h.evil/"));
    expect(!same("http://h:443/", "https://h/"));
    expect(!same("http://127.0.0.1/", "http://[::ffff:127.0.0.1]/"));
  };

  "SEC-3 a URL in an error is never cut within its path, where a secret may stand"_test = [] {
    const std::string secret(300, 's');
    const std::string shown = url_for_error("https://example.com/" + secret + "/mcp");
    expect(shown == R"("https://example.com/...")") << shown;
    expect(url_for_error(std::string(400, 'x')) == "of 400 bytes");
    expect(url_for_error("https://example.com/short?token=1") == R"("https://example.com/short")");
  };
};

}  // namespace http_url_test
