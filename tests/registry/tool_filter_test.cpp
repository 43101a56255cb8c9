// SPDX-License-Identifier: MIT
#include "../../registry/tool_filter.hpp"

#include <chrono>
#include <random>
#include <tuple>

#include "../support/ut.hpp"

namespace tool_filter_test {

using namespace hawser;

tool_filter filter_of(const std::vector<std::string>& patterns) { return tool_filter::parse(patterns).value(); }

// By the definition, tried everywhere.
bool slowly_matches(std::string_view glob, std::string_view text) {
  if (glob.empty()) return text.empty();
  if (glob[0] == '*')
    return slowly_matches(glob.substr(1), text) || (!text.empty() && slowly_matches(glob, text.substr(1)));
  return !text.empty() && glob[0] == text[0] && slowly_matches(glob.substr(1), text.substr(1));
}

tool_row row_of(std::string_view name, const tool& t, availability state = availability::available) {
  return {.name = name, .server_name = "s", .definition = &t, .hash = 0, .server = {}, .state = state};
}

const suite<"filter"> tests = [] {
  "S039 S040 the last pattern that matches wins, and a list lets in only what it names"_test = [] {
    for (const auto& [patterns, name, admitted] : std::vector<std::tuple<std::vector<std::string>, std::string, bool>>{
             {{}, "web__fetch", true},  // no list is `*`
             {{"*"}, "web__fetch", true},
             {{"*", "!web_*"}, "web__fetch", false},
             {{"*", "!web_*"}, "files__read", true},
             {{"!web_*", "*"}, "web__fetch", true},
             {{"!web_*"}, "files__read", false},  // nothing lets it in
             {{"view_file", "grep", "context7_*"}, "grep", true},
             {{"view_file", "grep", "context7_*"}, "context7__get", true},
             {{"view_file", "grep", "context7_*"}, "grep2", false},
             {{"*", "!*__delete*", "safe__*"}, "safe__delete_all", true},
             {{"*", "!*__delete*", "safe__*"}, "db__delete_all", false},
             {{"Web*"}, "web__fetch", false},  // T-10: no folding of case
             {{"a.*"}, "a.b", true},
             {{"a*b*c"}, "a--b--b--c", true},
             {{"a*b*c"}, "a--c--b", false},
             {{"*c"}, "abc", true},
             {{"*ab"}, "aab", true}}) {
      expect(filter_of(patterns).admits_name(name) == admitted) << name << admitted;
    }
  };

  "a pattern that could never match is refused with its text"_test = [] {
    for (const std::string bad : {"", "!", "a**", "a?", "!!a", "a!b", "a b", "é", "[ab]", "a/b"}) {
      const auto parsed = tool_filter::parse(std::vector<std::string>{"*", bad});
      expect(parsed.has_error()) << bad;
      if (parsed.has_error())
        expect(parsed.error().code == errc::config && parsed.error().what.starts_with("tool pattern \"" + bad + '"'))
            << parsed.error().what;
    }
  };

  "globs match as their definition says"_test = [] {
    std::mt19937 random{7};
    const auto word = [&](std::string_view letters) {
      std::string text(random() % 9, ' ');
      for (char& c : text) c = letters[random() % letters.size()];
      return text;
    };
    int matches = 0;
    for (int i = 0; i < 50'000; ++i) {
      const std::string glob = word("ab**");
      const std::string text = word("ab");
      expect(hawser::detail::glob_matches(glob, text) == slowly_matches(glob, text)) << glob << text;
      matches += hawser::detail::glob_matches(glob, text) ? 1 : 0;
    }
    expect(matches > 5'000);
  };

  "a pattern made to backtrack takes no time"_test = [] {
    std::string glob;
    for (int i = 0; i < 1000; ++i) glob += "*a";
    glob += "*b";
    const auto begin = std::chrono::steady_clock::now();
    expect(!hawser::detail::glob_matches(glob, std::string(10'000, 'a')));
    expect(std::chrono::steady_clock::now() - begin < std::chrono::seconds{2});
  };

  "the annotations of a tool decide about writing; a missing annotation is no claim"_test = [] {
    using enum tool_access;
    for (const auto& [which, said, admitted] :
         std::vector<std::tuple<tool_access, hint_value, bool>>{{any, hint_value::yes, true},
                                                                {any, hint_value::no, true},
                                                                {any, hint_value::unset, true},
                                                                {not_declared_write, hint_value::yes, true},
                                                                {not_declared_write, hint_value::no, false},
                                                                {not_declared_write, hint_value::unset, true},
                                                                {declared_read_only, hint_value::yes, true},
                                                                {declared_read_only, hint_value::no, false},
                                                                {declared_read_only, hint_value::unset, false}}) {
      const tool t{.name = "t", .hints = {.read_only = said}};
      tool_filter filter;
      filter.access = which;
      expect(filter.admits(row_of("s__t", t)) == admitted) << to_string(which);
    }
  };

  "the words for it are read back, and a bad one is named"_test = [] {
    for (const tool_access which : {tool_access::any, tool_access::not_declared_write, tool_access::declared_read_only})
      expect(parse_tool_access(to_string(which)).value() == which);
    expect(parse_tool_access("Any").error().what ==
           R"(access "Any" is none of "any", "not-declared-write", "declared-read-only")");
  };

  "S073 rows of a server that is away pass, unless only available ones are wanted"_test = [] {
    const tool t{.name = "t"};
    tool_filter filter = filter_of({"s__*"});
    expect(filter.admits(row_of("s__t", t, availability::unavailable)));
    filter.only_available = true;
    expect(!filter.admits(row_of("s__t", t, availability::unavailable)) && filter.admits(row_of("s__t", t)));
    expect(!filter.admits(row_of("other__t", t)));
  };
};

}  // namespace tool_filter_test
