// SPDX-License-Identifier: MIT
// What --json prints of failures, by the real program.
#include "../../../cli/commands/error_document.hpp"

#include <boost/json.hpp>
#include <string>

#include "../../support/contains.hpp"
#include "../hawser_program.hpp"

namespace error_document_test {

using namespace hawser;
using namespace hawser::cli;
using testing::cli_fixture;
using testing::contains;
using testing::ended_program;
namespace json = boost::json;

std::string told(const ended_program& of) {
  return "code " + std::to_string(of.code) + "\nout: " + of.out + "\nerr: " + of.err;
}

// The member `error` of the last document on stdout; an empty object if there is none.
json::object error_in(const ended_program& of) {
  const std::string_view all{of.out};
  const std::string_view text = all.substr(0, all.empty() ? 0 : all.size() - 1);
  boost::system::error_code bad;
  const json::value parsed = json::parse(text.substr(text.rfind('\n') + 1), bad);
  const json::value* found = !bad && parsed.is_object() ? parsed.get_object().if_contains("error") : nullptr;
  return found != nullptr && found->is_object() ? found->get_object() : json::object{};
}

const suite<"error document"> tests = [] {
  "CMD-9 an error has its message, server, phase, code, data and executed"_test = [] {
    error why{.code = errc::remote,
              .what = "no \"such\"\n",
              .native = -32602,
              .executed = execution::unknown,
              .server = "a",
              .phase = "call",
              .data = R"({"n":12345678901234567890123})"};
    expect(error_json(why) ==
           R"({"message":"no \"such\"\n","code":"remote","executed":"unknown","server":"a","phase":"call",)"
           R"("data":{"n":12345678901234567890123},"rpc_code":-32602})")
        << error_json(why);
    expect(error_json({.code = errc::config, .what = "x"}) == R"({"message":"x","code":"config","executed":"no"})");
    expect(with_failures("{}", {}) == "{}");
    const std::vector<error> two{{.code = errc::io, .what = "x"}, {.code = errc::io, .what = "y"}};
    const json::value both = json::parse(with_failures(R"({"tools":[]})", two));
    expect(both.at("error").at("message") == "x" && both.at("errors").at(1).at("message") == "y");
  };

  "CMD-9 every command with --json prints a failure as a document on stdout"_test = [] {
    const cli_fixture w{{"demo", "broken"}};
    using words = std::vector<std::string>;
    struct failing {
      words given;
      int code;
      const char* kind;
    };
    for (const failing& one : {failing{{"get", "broken"}, 4, "spawn"},
                               {{"get", "nobody"}, 1, "tool_unknown"},
                               {{"tools"}, 4, "spawn"},
                               {{"tools", "broken"}, 4, "spawn"},
                               {{"tools", "nobody"}, 1, "tool_unknown"},
                               {{"resources"}, 4, "spawn"},
                               {{"prompts"}, 4, "spawn"},
                               {{"logs", "broken"}, 4, "spawn"},
                               {{"read", "demo://none", "--server", "demo"}, 6, "remote"},
                               {{"prompt", "greet", "--server", "demo"}, 6, "remote"},
                               {{"prompt", "greet", "name"}, 2, "parse"},
                               {{"complete", "--prompt", "greet", "name"}, 2, "parse"},
                               {{"complete", "--prompt", "nothing", "name=A", "--server", "nobody"}, 1, "tool_unknown"},
                               {{"call", "demo__crash"}, 7, "closed"},
                               {{"call", "demo__large", "bytes=many"}, 2, "parse"},
                               {{"call", "demo__slow", "seconds=60", "--timeout", "0.5"}, 5, "timed_out"},
                               {{"auth", "nobody"}, 1, "tool_unknown"},
                               {{"logout", "nobody"}, 1, "tool_unknown"},
                               {{"list", "--config", "/nonexistent.json"}, 3, "config"},
                               {{"list", "--nothing"}, 2, "parse"}}) {
      words with_json = one.given;
      with_json.insert(with_json.begin() + 1, "--json");
      const auto r = w.run(with_json);
      const json::object why = error_in(r);
      expect(r.code == one.code) << one.given.front() << told(r);
      expect(fatal(why.contains("message") && why.contains("code") && why.contains("executed"))) << told(r);
      expect(why.at("code") == one.kind) << one.given.front() << told(r);
      expect(!r.err.empty()) << "people are told, too";
    }
    const auto failed = w.run({"tools", "--json"});
    expect(error_in(failed).at("server") == "broken" && contains(failed.out, "demo__echo")) << told(failed);
    const auto remote = error_in(w.run({"read", "--json", "demo://none", "--server", "demo"}));
    expect(remote.at("server") == "demo" && remote.contains("rpc_code")) << json::serialize(remote);
  };

  "CMD-9 what stands in data is not repeated in meta"_test = [] {
    const cli_fixture w{{"demo"}};
    const auto text = json::parse(w.run({"call", "demo__echo", "text=once", "--json"}).out);
    expect(text.at("data").at(0).at("text") == "once") << json::serialize(text);
    const json::object& about = text.at("meta").as_object();
    expect(about.at("isError") == false && !about.contains("content")) << json::serialize(text);
    const auto sum = json::parse(w.run({"call", "demo__add", "a=1", "b=2", "--json"}).out);
    expect(sum.at("data").at("sum").to_number<double>() == 3.0) << json::serialize(sum);
    expect(!sum.at("meta").as_object().contains("structuredContent") && sum.at("meta").as_object().contains("content"));
  };
};

}  // namespace error_document_test
