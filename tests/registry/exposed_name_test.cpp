// SPDX-License-Identifier: MIT
#include "../../registry/exposed_name.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "../support/tool_lists.hpp"
#include "../support/ut.hpp"

namespace exposed_name_test {

using namespace hawser;

bool clean_and_short(const std::string& name, const naming_options& names) {
  return name.size() <= names.limit && !name.empty() && std::all_of(name.begin(), name.end(), [&](unsigned char c) {
           return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '-' || (c == '.' && names.separator == "."));
         });
}

// Made of what makes names meet: separators, their halves, letters of suffixes, Unicode, nothing at all.
std::string hostile_name(std::mt19937& random) {
  static const std::vector<std::string> pieces{
      "_",  "__",  ".", "-", "a",        "acme",      "status", "é",       "日本", "\xff", "\x80", "_20240101",
      "b8", "x",   " ", "/", "_bcdfghj", "_bcdfghjk", "A",      "tool",    "\n",   "\"",   "🛠",    "get_forecast",
      "0",  "...", "",  "*", "!",        "ａ",        "а",      "e\u0301", "1",    "2",    "3",    "z"};
  std::string name;
  const std::size_t count = random() % 8;
  for (std::size_t i = 0; i < count; ++i) name += pieces[random() % pieces.size()];
  if (random() % 50 == 0) name += std::string(random() % 200, 'l');
  return name;
}

const suite<"names"> tests = [] {
  "S129 a clean tool is called server, separator, tool"_test = [] {
    for (const auto& [separator, server, tool, exposed] :
         std::vector<std::tuple<std::string, std::string, std::string, std::string>>{
             {"__", "git", "status", "git__status"},
             {"_", "git", "status", "git_status"},
             {".", "git", "status", "git.status"},
             {"__", "my-server_2", "read_file", "my-server_2__read_file"},
             {"__", "files", "read_document", "files__read_document"},  // a word is not a suffix
             {"__", "acme", "_status", "acme___status"},
             {"_", "acme", "_status", "acme__status"},
             {"_", "acme", "get_status", "acme_get_status"},
             {"__", "", "now", "now"},  // native
             {"__", "", "read__now", "read__now"}}) {
      const naming_options names{.separator = separator};
      expect(exposed_name(names, server, tool) == exposed) << exposed_name(names, server, tool);
    }
  };

  "EMB-6 whether a server could have an exposed name is known from both names"_test = [] {
    const naming_options usual;
    for (const auto& [server, exposed] :
         std::vector<std::pair<std::string, std::string>>{{"git", "git__status"},
                                                          {"git", "git___status"},
                                                          {"my server", "my_server__status_mlsgq1bf"},
                                                          {"my_server", "my_server__status_mlsgq1bf"},
                                                          {"a__b", "a__b__c_mlsgq1bf"},
                                                          {"a", "a__b__c_mlsgq1bf"}})
      expect(could_expose(usual, server, exposed)) << server << exposed;
    for (const auto& [server, exposed] :
         std::vector<std::pair<std::string, std::string>>{{"git", ""},
                                                          {"git", "git"},
                                                          {"git", "git__"},
                                                          {"git", "status"},
                                                          {"git", "git_status"},
                                                          {"git", "github__status"},
                                                          {"github", "git__status"},
                                                          {"my server", "my_server__status"},  // would have a suffix
                                                          {"a__b", "a__b__c"},                 // the same
                                                          {"git", "git__sta tus"},
                                                          {"git", "git__" + std::string(60, 'x')},
                                                          {"git", "hub__status_mlsgq1bf"}})
      expect(!could_expose(usual, server, exposed)) << server << exposed;
    std::mt19937 random{7};
    for (int i = 0; i < 20'000; ++i) {
      const std::string separator = std::vector<std::string>{"__", "_", "."}[random() % 3];
      const naming_options names{.separator = separator, .limit = random() % 2 == 0 ? 64U : 32U};
      const std::string server = 's' + hostile_name(random);
      const std::string exposed = exposed_name(names, server, hostile_name(random));
      expect(could_expose(names, server, exposed)) << server << exposed;
    }
  };

  "S130 anything else is cleaned, cut and suffixed, the same way for ever"_test = [] {
    // These bytes are in users' permission files and prompts: a change here is a breaking change.
    for (const auto& [server, tool, exposed] : std::vector<std::tuple<std::string, std::string, std::string>>{
             {"acme_", "status", "acme___status_@"},
             {"a__b", "c", "a__b__c_@"},
             {"", "", "_@"},
             {"git", "", "git___@"},
             {"git", "größe", "git__gr__e_@"},
             {"git", "日本", "git_____@"},
             {"git", "a b/c", "git__a_b_c_@"},
             {"git", "report_20240101", "git__report_20240101_@"},  // ends like one of ours
             {"", "with space", "with_space_@"},
             {"git", std::string(100, 'x'), "git__" + std::string(50, 'x') + "_@"},
             {std::string(100, 's'), "x", std::string(55, 's') + "_@"}}) {
      const std::string name = exposed_name({}, server, tool);
      const std::string stem = exposed.substr(0, exposed.size() - 1);
      expect(name.starts_with(stem) && name.size() == stem.size() + 8) << name << "for" << exposed;
      expect(name == exposed_name({}, server, tool));
    }
    expect(exposed_name({}, "acme_", "status") == "acme___status_mlsgq1bf") << exposed_name({}, "acme_", "status");
    expect(exposed_name({}, "git", "größe") == "git__gr__e_v0g9sv8k") << exposed_name({}, "git", "größe");
    expect(exposed_name({}, "", "") == "_dlrtlzlz") << exposed_name({}, "", "");
    expect(exposed_name({}, "git", std::string(100, 'x')).ends_with("x_nprqd6dt"))
        << exposed_name({}, "git", std::string(100, 'x'));
  };

  "a name may be as long as the limit, and no longer"_test = [] {
    for (const std::size_t limit : {32UL, 64UL, 128UL}) {
      const naming_options names{.limit = limit};
      const std::string fits = "s__" + std::string(limit - 3, 't');
      expect(exposed_name(names, "s", std::string(limit - 3, 't')) == fits);
      const std::string cut = exposed_name(names, "s", std::string(limit - 2, 't'));
      expect(cut.size() == limit && cut != fits && cut[limit - 9] == '_') << cut;
    }
  };

  "T-09 H04 a character cannot move from one name to the other"_test = [] {
    for (const std::string separator : {"__", "_", "."}) {
      const naming_options names{.separator = separator};
      expect(exposed_name(names, "acme_", "status") != exposed_name(names, "acme", "_status")) << separator;
      expect(exposed_name(names, "a", "b__c") != exposed_name(names, "a__b", "c")) << separator;
      expect(exposed_name(names, "a", "b_c") != exposed_name(names, "a_b", "c")) << separator;
      expect(exposed_name(names, "a", "b.c") != exposed_name(names, "a.b", "c")) << separator;
      expect(exposed_name(names, "é", "x") != exposed_name(names, "ü", "x")) << separator;
    }
  };

  "T-09 nobody can name a tool so that it gets another one's suffixed name"_test = [] {
    for (const auto& [server, tool] :
         std::vector<std::pair<std::string, std::string>>{{"git", "größe"}, {"acme_", "status"}, {"", "a b"}}) {
      const std::string victim = exposed_name({}, server, tool);
      expect(exposed_name({}, "", victim) != victim) << "as a native tool";
      for (std::size_t cut = 1; cut + 2 < victim.size(); ++cut) {
        if (victim.substr(cut, 2) == "__")
          expect(exposed_name({}, victim.substr(0, cut), victim.substr(cut + 2)) != victim) << victim << cut;
      }
    }
  };

  "T-09 random and hostile pairs never share a name, whatever the separator and the limit"_test = [] {
    std::mt19937 random{9};
    const std::size_t pairs = testing::instrumented ? 20'000 : 200'000;
    for (const naming_options& names :
         {naming_options{}, naming_options{.separator = "_"}, naming_options{.separator = ".", .limit = 128},
          naming_options{.separator = "__", .limit = 32}}) {
      std::map<std::string, std::pair<std::string, std::string>> owners;
      for (std::size_t i = 0; i < pairs; ++i) {
        std::string server = hostile_name(random);
        if (server.empty()) server = "s";  // native tools may meet a server's: the registry refuses the newcomer
        const std::pair pair{server, hostile_name(random)};
        const std::string name = exposed_name(names, pair.first, pair.second);
        expect(clean_and_short(name, names)) << name;
        const auto [found, fresh] = owners.try_emplace(name, pair);
        expect(found->second == pair) << name;
      }
      expect(owners.size() > pairs / 2) << "the test makes different names";
    }
  };

  "settings that would not work are refused by name"_test = [] {
    expect(validate_naming({}).has_value() && validate_naming({.separator = ".", .limit = 128}).has_value());
    expect(validate_naming({.separator = "::"}).error().what == R"(name separator "::" is none of "__", "_", ".")");
    expect(validate_naming({.separator = ""}).error().code == errc::config);
    expect(validate_naming({.limit = 31}).error().what == "name limit 31 is not between 32 and 128");
    expect(validate_naming({.limit = 129}).has_error());
  };
};

}  // namespace exposed_name_test
