// SPDX-License-Identifier: MIT
// Secrets are planted wherever Hawser meets any, and looked for in everything that leaves it: what it prints, what it
// traces, the arguments and the environment of every program it starts.
#include <sys/stat.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "../../support/fake_authorization_server.hpp"
#include "../../support/fake_browser.hpp"
#include "../../support/fixture.hpp"
#include "../hawser_program.hpp"

namespace secrets_test {

using namespace hawser::testing;
namespace json = boost::json;

// What was planted, from any thread.
class planted_secrets {
 public:
  std::string plant(std::string one) {
    const std::scoped_lock lock{guard_};
    all_.insert(one);
    return one;
  }
  /// With characters that every encoding writes in another way.
  std::string make() { return plant("s/" + hawser::base64url(hawser::random_bytes(9)) + "+\"q\\&=%~" + number()); }
  /// What stands as texts of these names in an answer.
  void plant_members(const std::string& answer, std::initializer_list<const char*> names) {
    boost::system::error_code bad;
    const json::value read = json::parse(answer, bad);
    if (bad || !read.is_object()) return;
    for (const char* name : names) {
      const json::value* found = read.as_object().if_contains(name);
      if (found != nullptr && found->is_string()) plant(json::value_to<std::string>(*found));
    }
  }
  [[nodiscard]] std::set<std::string> all() const {
    const std::scoped_lock lock{guard_};
    return all_;
  }

 private:
  std::string number() { return std::to_string(++made_); }
  mutable std::mutex guard_;
  std::set<std::string> all_;
  int made_ = 0;
};

std::string in_hex(std::string_view text, const char* digits) {
  std::string hex;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {digits[byte / 16], digits[byte % 16]};
  }
  return hex;
}

std::vector<std::string> forms_of(const std::string& one) {
  const std::string quoted = json::serialize(json::string{one});
  std::string unpadded = hawser::base64(one);
  while (unpadded.ends_with('=')) unpadded.pop_back();
  unpadded.pop_back();  // depends on what follows
  return {one,
          hawser::testing::percent_encoded(one),
          unpadded,
          hawser::base64url(one).substr(0, unpadded.size()),
          in_hex(one, "0123456789abcdef"),
          in_hex(one, "0123456789ABCDEF"),
          quoted.substr(1, quoted.size() - 2)};
}

void expect_none(const std::string& where, const std::string& text, const std::set<std::string>& secrets,
                 const std::set<std::string>& its_own = {}) {
  for (const std::string& one : secrets) {
    if (its_own.contains(one)) continue;
    for (const std::string& form : forms_of(one)) expect(text.find(form) == text.npos) << where << "shows" << form;
  }
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

void write_program(const cli_fixture& work, const std::string& name, const std::string& lines) {
  work.write(name, "#!/bin/sh\n" + lines);
  chmod((work.folder / name).c_str(), 0700);
}

// What a program can see of itself and of those who started it.
std::string notes_itself(const std::string& into) {
  return "{ for p in $$ $PPID $(ps -o ppid= -p $PPID); do tr '\\0' '\\n' < /proc/$p/cmdline; done; env; echo \"$@\"; } "
         ">> " +
         into + " 2> /dev/null\n";
}

// Whatever was asked, and with what, stands in what it says.
void reflect(scripted_connection& with) {
  while (const auto asked = with.request()) {
    const std::string told = asked->head + asked->body;
    if (asked->id().empty()) {
      with.reply("500 Broken", "text/plain", told);
    } else {
      with.json(R"({"jsonrpc":"2.0","id":)" + asked->id() + R"(,"error":{"code":-32000,"message":)" +
                json::serialize(json::string{told}) + "}}");
    }
  }
}

// A server whose lists, and the data of its errors, have in them with what it was asked.
void list_what_was_told(scripted_connection& with) {
  while (const auto asked = with.request()) {
    const std::size_t key = asked->head.find("X-Key: ");
    const std::string told = asked->head.substr(key + 7, asked->head.find('\r', key) - key - 7);
    const std::string text = json::serialize(json::string{"with " + told});
    const auto answer = [&](const std::string& member) {
      with.json(R"({"jsonrpc":"2.0","id":)" + asked->id() + ',' + member + '}');
    };
    if (asked->id().empty()) {
      with.reply("202 Accepted", "text/plain", "");
    } else if (asked->asks("initialize")) {
      answer(
          R"("result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{},"completions":{}},)"
          R"("serverInfo":{"name":"s","version":"1"}})");
    } else if (asked->asks("tools/list")) {
      const std::string twice = json::serialize(json::string{text});
      answer(R"("result":{"tools":[{"name":"w","inputSchema":{"type":"object"}},{"name":)" + text +
             R"(,"inputSchema":5},{"name":)" + json::serialize(json::string{"x-" + told}) + R"(,"title":)" + text +
             R"(,"description":)" + text + R"(,"inputSchema":{"type":"object","properties":{)" + text +
             R"(:{"default":)" + twice + "}}}}]}");
    } else if (asked->asks("completion/complete")) {
      answer(R"("result":{"completion":{"values":[)" + text + "]}}");
    } else if (asked->asks("prompts/list")) {
      answer(R"("result":{"prompts":[{"name":)" + text + R"(,"description":)" + text + R"(,"arguments":[{"name":)" +
             text + "}]}]}");
    } else if (asked->asks("resources/list")) {
      answer(R"("result":{"resources":[{"uri":"a://b","name":)" + text + R"(,"_meta":{)" + text + ":1}}]}");
    } else {
      answer(R"("error":{"code":-32000,"message":)" + text + R"(,"data":{"x":)" + text + "}}");
    }
  }
}

const suite<"secrets"> tests = [] {
  "T-31 40 secrets are in no output, trace, argument and in nobody else's environment"_test = [] {
    planted_secrets planted;
    fake_authorization_server notes{{.expires_in = "1", .method = "client_secret_post"}};
    fake_authorization_server known{{.method = "client_secret_basic"}};
    const std::string own_key = planted.make();
    known.know("me", own_key);
    for (fake_authorization_server* one : {&notes, &known}) {
      const auto note = [&](const received_request& asked, const fake_authorization_server::usual& usual) {
        for (auto [name, value] : hawser::testing::parse_form(asked.body)) {
          if (name == "code" || name == "code_verifier") planted.plant(value);
        }
        const fake_response said = usual();
        planted.plant_members(said.body, {"access_token", "refresh_token", "client_secret"});
        return said;
      };
      one->replace("/token", note);
      one->replace("/register", note);
    }
    const scripted_http_server mirror{reflect};

    cli_fixture work{{}};
    json::object headers;
    for (int i = 0; i < 8; ++i) headers.emplace("X-Key-" + std::to_string(i), planted.make());
    headers.emplace("Authorization", "Bearer " + planted.make());
    const std::string query_key = planted.plant("query-" + hawser::base64url(hawser::random_bytes(12)));
    std::map<std::string, std::set<std::string>> own;
    json::object servers{
        {"notes", json::object{{"url", notes.resource()}}},
        {"known",
         json::object{
             {"url", known.resource()},
             {"oauth", json::object{{"client_id", "me"}, {"client_secret", own_key}, {"issuer", known.issuer()}}}}},
        {"mirror", json::object{{"url", mirror.origin() + "/mcp?key=" + query_key}, {"headers", headers}}}};
    for (const std::string spy : {"spy", "other"}) {
      json::object env;
      for (int i = 0; i < 8; ++i) {
        const std::string one = planted.make();
        own[spy].insert(one);
        env.emplace("KEY_" + std::to_string(i), one);
      }
      write_program(work, spy,
                    notes_itself(work.folder / (spy + ".seen")) + "exec " + program("hawser") + " demo-server\n");
      servers.emplace(spy, json::object{{"command", work.folder / spy}, {"env", env}});
    }
    work.write("mcp.json", json::serialize(json::object{{"mcpServers", servers}}));
    write_program(
        work, "browser",
        notes_itself(work.folder / "browser.seen") + "printf '%s' \"$1\" > \"$0.new\"; mv \"$0.new\" \"$0.page\"\n");
    work.environment.push_back("BROWSER=" + (work.folder / "browser"));

    std::string seen;
    const auto keep = [&](const ended_program& one) {
      seen += one.out + one.err;
      return one.code;
    };
    const auto log_in = [&](const std::string& server) {
      std::remove((work.folder / "browser.page").c_str());
      const auto running = work.start({"auth", server, "-v"});
      std::string page;
      for (int i = 0; i < 4'000 && page.empty(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds{5});  // another process writes
        page = text_of(work.folder / "browser.page");
      }
      browse(page);
      expect(keep(running->wait()) == 0_i) << server << seen;
    };
    log_in("notes");
    log_in("known");
    for (int i = 0; i < 4; ++i) {
      notes.expire();
      expect(keep(work.run({"call", "--server", "notes", "echo", "-v"})) == 0_i) << seen;
    }
    expect(notes.counts().refreshes >= 4_i);
    // Servers and authorization servers that say again what they were told.
    for (const char* command : {"tools", "resources", "list"}) keep(work.run({command, "-v"}));
    keep(work.run({"tools", "--json"}));
    keep(work.run({"get", "mirror", "-v", "--json"}));
    keep(work.run({"auth", "--status", "--json"}));
    notes.replace("/token", [&](const received_request& asked, const fake_authorization_server::usual&) {
      return fake_response{
          .status = "400 Bad Request",
          .body = json::serialize(json::object{{"error", "invalid_grant"}, {"error_description", asked.body}})};
    });
    notes.expire();
    expect(keep(work.run({"call", "--server", "notes", "echo", "-v"})) != 0_i);
    keep(work.run({"logout", "known", "-v"}));
    keep(work.run({"logout", "notes", "-v", "--json"}));

    const std::set<std::string> secrets = planted.all();
    expect(secrets.size() >= 40_ul) << secrets.size();
    expect(seen.find("[redacted]") != seen.npos) << "somebody did say again what he was told";
    expect_none("the output", seen, secrets);
    expect_none("the browser", text_of(work.folder / "browser.seen"), secrets);
    for (const auto& [spy, its_own] : own) {
      const std::string spied = text_of(work.folder / (spy + ".seen"));
      expect(spied.find("KEY_0=") != spied.npos) << "it has seen its own";
      expect_none(spy, spied, secrets, its_own);
    }
  };

  "SEC-3 what variables are expanded to is not in list, get, errors and logs"_test = [] {
    cli_fixture work{{}};
    const std::string key = "k-" + hawser::base64url(hawser::random_bytes(12));
    const std::string path = "p-" + hawser::base64url(hawser::random_bytes(12));
    const std::string own = "o-" + hawser::base64url(hawser::random_bytes(12));
    work.environment.push_back("SEC3_KEY=" + key);
    work.environment.push_back("SEC3_PATH=" + path);
    const std::string literal = "ghp_" + in_hex(hawser::random_bytes(18), "0123456789abcdef");
    // Its stderr is long, so that quotes of it begin in the middle of something.
    write_program(work, "loud",
                  "i=0; while [ $i -lt 60 ]; do echo \"$i $* $OWN\" >&2; i=$((i+1)); done\nexec " + program("hawser") +
                      " demo-server\n");
    write_program(work, "dies", "i=0; while [ $i -lt 60 ]; do echo \"$i $* $OWN\" >&2; i=$((i+1)); done\nexit 3\n");
    json::object servers{{"far", json::object{{"url", "http://127.0.0.1:1/s/${SEC3_PATH}/mcp"}}}};
    for (const char* name : {"loud", "dies"})
      servers.emplace(name, json::object{{"command", work.folder / name},
                                         {"args", json::array{"--key=${SEC3_KEY}", literal}},
                                         {"env", json::object{{"OWN", own}}}});
    work.write("mcp.json", json::serialize(json::object{{"mcpServers", servers}}));
    std::string seen;
    const auto keep = [&](const std::vector<std::string>& words) {
      const ended_program one = work.run(words);
      seen += one.out + one.err;
      return one.out;
    };
    for (const char* format : {"-v", "--json"}) {
      keep({"list", format});
      for (const char* name : {"far", "loud", "dies"}) keep({"get", name, format});
      const std::string logs = keep({"logs", "loud", format});
      expect(logs.find("59 --key=[redacted] [redacted] [redacted]") != logs.npos) << logs;
      keep({"logs", "dies", format});
    }
    expect_none("the output", seen, {key, path, own, literal});
    // Pieces of them neither, where a text was cut.
    for (const std::string& one : {key, path, own, literal})
      expect(seen.find(one.substr(one.size() - 10)) == seen.npos) << seen;
  };

  "SEC-3 printed lists, tools that are left out and the data of errors have no secrets"_test = [] {
    const scripted_http_server server{list_what_was_told};
    cli_fixture work{{}};
    const std::string key = "k-" + hawser::base64url(hawser::random_bytes(12));
    work.environment.push_back("SEC3_KEY=" + key);
    const json::object far{{"url", server.origin() + "/mcp"}, {"headers", json::object{{"X-Key", "${SEC3_KEY}"}}}};
    work.write("mcp.json", json::serialize(json::object{{"mcpServers", json::object{{"far", far}}}}));
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"prompts"},
                                               {"resources"},
                                               {"tools"},
                                               {"get", "far"},
                                               {"call", "far__w"},
                                               {"complete", "--server", "far", "--prompt", "p", "a="},
                                               {"prompt", "p"}}) {
      for (const bool as_json : {false, true}) {
        std::vector<std::string> all = words;
        if (as_json) all.emplace_back("--json");
        const ended_program one = work.run(all);
        expect_none(words.front(), one.out + one.err, {key});
        const bool said = (one.out + one.err).find("[redacted]") != std::string::npos;
        expect(said || words.front() == "prompt") << words.front() << one.out << one.err;
        if (words.front() == "tools") expect(one.out.find("[redacted]") != std::string::npos) << one.out;
      }
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator{work.folder.path}) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file{entry.path()};
      const std::string text{std::istreambuf_iterator<char>{file}, {}};
      expect(text.find(key) == std::string::npos) << "S083" << entry.path().string();
    }
  };

  "SEC-3 no line of a key of several lines is in logs and errors, and no password of a URL"_test = [] {
    cli_fixture work{{}};
    std::string key = "-----BEGIN PRIVATE KEY-----\n";
    std::set<std::string> secrets;
    for (int i = 0; i < 8; ++i) {
      const std::string line = hawser::base64(hawser::random_bytes(48));
      secrets.insert(line);
      key += line + '\n';
    }
    key += "-----END PRIVATE KEY-----\n";
    const std::string password = "pw-" + hawser::base64url(hawser::random_bytes(9));
    secrets.insert(password);
    const std::string says =
        "printf '%s' \"$KEY\" | sed 's/^/error: bad key line: /' >&2\n"
        "echo \"error: no login with $(echo $DATABASE_URL | cut -d: -f3 | cut -d@ -f1)\" >&2\n";
    write_program(work, "loud", says + "exec " + program("hawser") + " demo-server\n");
    write_program(work, "dies", says + "exit 3\n");
    json::object servers;
    for (const char* name : {"loud", "dies"})
      servers.emplace(
          name, json::object{{"command", work.folder / name},
                             {"env", json::object{{"KEY", key}, {"DATABASE_URL", "db://u:" + password + "@h/x"}}}});
    work.write("mcp.json", json::serialize(json::object{{"mcpServers", servers}}));
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"logs", "loud"}, {"logs", "dies"}, {"get", "dies"}, {"tools", "-v"}}) {
      for (const bool as_json : {false, true}) {
        std::vector<std::string> all = words;
        if (as_json) all.emplace_back("--json");
        const ended_program one = work.run(all);
        expect_none(words.front(), one.out + one.err, secrets);
        expect((one.out + one.err).find("[redacted]") != std::string::npos) << words.front() << one.out << one.err;
      }
    }
  };

  "SEC-3 -v shows no secret that a server has encoded as JSON twice, nor the trace of its definitions"_test = [] {
    const scripted_http_server server{list_what_was_told};
    cli_fixture work{{}};
    const std::string key = "k-" + hawser::base64url(hawser::random_bytes(9)) + "\"/\\q\"";
    const json::object far{{"url", server.origin() + "/mcp"}, {"headers", json::object{{"X-Key", key}}}};
    work.write("mcp.json", json::serialize(json::object{{"mcpServers", json::object{{"far", far}}}}));
    for (const char* format : {"-v", "-vv", "--json"}) {
      const ended_program one = work.run({"tools", format});
      expect_none(format, one.out + one.err, {key});
      expect((one.out + one.err).find(key.substr(0, 12)) == std::string::npos) << one.out << one.err;
      expect((one.out + one.err).find("[redacted]") != std::string::npos) << one.out << one.err;
    }
  };
};

}  // namespace secrets_test
