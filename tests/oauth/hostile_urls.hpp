// SPDX-License-Identifier: MIT
// Addresses that a hostile authorization server could name, in the hope that something other than a browser reads them.
#pragma once

#include <string>
#include <vector>

namespace hawser::testing {

/// Each would leave a file in `folder` behind if a shell read it.
inline std::vector<std::string> hostile_urls(const std::string& folder) {
  const std::string touch = "touch " + folder + "/pwned";
  const std::string safe = "https://as.example/authorize?state=x";
  std::vector<std::string> all;
  // What other schemes there are, and how one may try to hide them.
  for (const char* url : {"javascript:alert(1)",
                          "JavaScript:alert(1)",
                          "java\nscript:alert(1)",
                          " javascript:alert(1)",
                          "\tjavascript:alert(1)",
                          "javascript://as.example/%0Aalert(1)",
                          "javascript:https://as.example/",
                          "data:text/html,<script>alert(1)</script>",
                          "data:text/html;base64,PHNjcmlwdD4=",
                          "vbscript:msgbox(1)",
                          "file:///etc/passwd",
                          "file://localhost/etc/passwd",
                          "file:/etc/passwd",
                          "FILE:///etc/passwd",
                          "ftp://as.example/",
                          "ssh://as.example/",
                          "ssh://-oProxyCommand=id/",
                          "telnet://as.example/",
                          "mailto:a@b.example",
                          "tel:+123",
                          "smb://as.example/share",
                          "ms-msdt:/id",
                          "ms-officecmd:{}",
                          "search-ms:query=x",
                          "steam://run/1",
                          "vscode://file/etc/passwd",
                          "x-apple.systempreferences:",
                          "about:blank",
                          "about:config",
                          "chrome://settings",
                          "view-source:https://as.example/",
                          "blob:https://as.example/x",
                          "intent://as.example/#Intent;end",
                          "ws://as.example/",
                          "wss://as.example/",
                          "gopher://as.example/",
                          "dict://as.example/",
                          "ldap://as.example/",
                          "jar:https://as.example/!/",
                          "news:x",
                          "urn:x",
                          "cid:x",
                          "facetime://x",
                          "shell:startup",
                          "res://x",
                          "mk:@MSITStore:x",
                          "help:x",
                          "man:ls",
                          "apt:sudo",
                          "appstream://x",
                          "trash:/",
                          "admin:///etc/shadow",
                          "sftp://as.example/",
                          "afp://as.example/",
                          "nfs://x/",
                          "web+x://a",
                          "h:ttps://as.example/",
                          "https:as.example",
                          "https:/as.example/",
                          "https:///as.example/",
                          "https://",
                          "https://?x",
                          "https://#x",
                          "https://:443/",
                          "http://",
                          "//as.example/authorize",
                          "/etc/passwd",
                          "./xdg-open",
                          "as.example/authorize",
                          "authorize",
                          "",
                          " ",
                          "\n",
                          "-",
                          "--",
                          "--help",
                          "-h",
                          "--version",
                          "--new-window",
                          "-P",
                          "--profile-directory=x",
                          "--app=https://as.example/",
                          "--gpu-launcher=xcalc",
                          "--renderer-cmd-prefix=id",
                          "-no-remote",
                          "--remote-debugging-port=9222",
                          "@file",
                          "~/x",
                          "~root/x",
                          "%s",
                          "%u",
                          "$HOME",
                          "`id`"})
    all.emplace_back(url);
  // In the clear across a network, or to where no login is.
  for (const char* url : {"http://as.example/authorize",
                          "http://192.168.1.1/",
                          "http://10.0.0.1/",
                          "http://169.254.169.254/latest/meta-data",
                          "https://169.254.169.254/",
                          "http://0.0.0.0/",
                          "https://0.0.0.0/",
                          "http://[fe80::1]/",
                          "https://[fe80::1]/",
                          "http://[::]/",
                          "https://[::ffff:169.254.169.254]/",
                          "http://127.0.0.1.as.example/",
                          "http://localhost.as.example/",
                          "http://2130706433/",
                          "http://0x7f000001/",
                          "http://0177.0.0.1/",
                          "http://127.1/",
                          "https://0x7f.1/",
                          "https://2852039166/",
                          "https://224.0.0.1/",
                          "https://255.255.255.255/",
                          "http://metadata.google.internal/"})
    all.emplace_back(url);
  // Whose host is not what it looks like.
  for (const char* url : {"https://user@as.example/",
                          "https://user:password@as.example/",
                          "https://accounts.example@evil.example/",
                          "https://accounts.example%40evil.example/",
                          "https://@as.example/",
                          "https://as.example\\@evil.example/",
                          "https://as.example\\.evil.example/",
                          "https://as.example%00.evil.example/",
                          "https://as.example%2Fevil/",
                          "https://as.example:99999/",
                          "https://as.example:0/",
                          "https://as.example:-1/",
                          "https://as.example:80x/",
                          "https://as..example/",
                          "https://.as.example/",
                          "https://a b.example/",
                          "https://[::1",
                          "https://[::1%25eth0]/",
                          "https://[not-an-address]/",
                          "https://\xD0\xB0s.example/",
                          "https://as.ex\xC2\xADmple/",
                          "https://as\xE3\x80\x82"
                          "example/",
                          "https://as.example\t/",
                          "https://as.example\n/",
                          "https://%61s.example/",
                          "https://-as.example;id/",
                          "https://*/",
                          "https://$HOME/",
                          "https://`id`/",
                          "https://as.example|id/",
                          "https://as.example&id/"})
    all.emplace_back(url);
  // What a shell, a script or a terminal would do something with.
  const std::vector<std::string> behind{
      ";" + touch, "|" + touch, "&&" + touch, "& " + touch, "`" + touch + "`", "$(" + touch + ")", "${IFS}x", "$HOME",
      "';" + touch + ";'", "\";" + touch + ";\"", "'", "\"", "\n" + touch + "\n", "\r\n" + touch, "%0A" + touch,
      " " + touch, " --help", "\t--help", "\v", "\f", std::string{"\0", 1}, std::string{"\0x", 2}, "\x1B[2J",
      "\x1B]0;x\x07", "\x07", "\x7F", "\x80",
      "\xC2\x9B"
      "31m",
      "\xE2\x80\xAE"
      "cod.exe",
      "\xE2\x80\xA8", "\xEF\xBB\xBF", "\xFF", "\\", "\\x", "^", "{x}", "<x>", ">/tmp/x", "<(id)", "|id", "a|b", "\"'\"",
      "#';id", "[x]", "!!", "%", "%1", "%zz", "%u0041", "\xC3\xA9",
      // Good addresses all the same, with everything that a url may have.
      "&a=;id", "&a=(b)", "&a=*", "&a=b!c", "&a=~", "&a=%24(id)", "&a=%60id%60", "&a=%22%27", "&a=%00",
      "&a=%0d%0aX:%20y", "&a=..%2f..%2f", "&a=%s%s%n", "&a=--help", "&a=&&&", "&a=???", "&a=a,b", "&a=@b", "&a=/../..",
      "&a=a:b", "&a=%25s", "&a=+", "&a==="};
  for (const std::string& text : behind) all.push_back(safe + text);
  all.push_back("https://as.example/'; " + touch + " #");
  all.push_back("https://as.example/$(" + touch + ")");
  all.push_back("https://as.example/-oProxyCommand=id");
  all.push_back(safe + std::string(8192, 'a'));
  all.push_back(safe + std::string(1 << 20, 'a'));
  all.push_back(std::string(1 << 20, 'a') + "://as.example/");
  return all;
}

}  // namespace hawser::testing
