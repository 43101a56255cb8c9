// SPDX-License-Identifier: MIT
#include "../../../transports/http/challenge.hpp"

#include "../../support/ut.hpp"

namespace challenge_test {

using namespace boost::ut;
using namespace hawser;

// As a line each: `Scheme|token68|name=value|…`.
std::string summary(const std::vector<std::string>& fields) {
  std::string text;
  for (const challenge& one : read_challenges(fields)) {
    text += one.scheme + '|' + one.token68;
    for (const auto& [name, value] : one.parameters) text.append("|").append(name).append("=").append(value);
    text += '\n';
  }
  return text;
}

struct example {
  std::string line;
  std::string expected;
};

void check(const std::vector<example>& all) {
  for (const auto& [line, expected] : all)
    expect(summary({line}) == expected) << line << "is read as" << summary({line});
}

const suite<"challenge"> all = [] {
  "the forms that servers write are read"_test = [] {
    check({
        {"Bearer", "Bearer|\n"},
        {"bearer realm=\"mcp\"", "bearer||realm=mcp\n"},
        {R"(Bearer resource_metadata="https://a.example/.well-known/oauth-protected-resource/mcp", scope="a b")",
         "Bearer||resource_metadata=https://a.example/.well-known/oauth-protected-resource/mcp|scope=a b\n"},
        {R"(Bearer error="invalid_token",error_description="it, \"the token\", has expired")",
         "Bearer||error=invalid_token|error_description=it, \"the token\", has expired\n"},
        {"Bearer ERROR=insufficient_scope, Scope=\"x\"", "Bearer||error=insufficient_scope|scope=x\n"},
        {"Bearer realm = \"a\" , scope\t=\tb", "Bearer||realm=a|scope=b\n"},
        {R"(Bearer realm="")", "Bearer||realm=\n"},
        {R"(Bearer realm="a\\b\c")", "Bearer||realm=a\\bc\n"},
        {"Bearer realm=\"caf\xC3\xA9\ttab\"", "Bearer||realm=caf\xC3\xA9\ttab\n"},
    });
  };

  "C14 several challenges in one line are told apart by what follows their names"_test = [] {
    check({
        {R"(Basic realm="a", Bearer realm="b", scope="c", DPoP algs="ES256")",
         "Basic||realm=a\nBearer||realm=b|scope=c\nDPoP||algs=ES256\n"},
        {R"(Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple")",
         "Newauth||realm=apps|type=1|title=Login to \"apps\"\nBasic||realm=simple\n"},
        {"Negotiate, NTLM, Bearer scope=x", "Negotiate|\nNTLM|\nBearer||scope=x\n"},
        {"Negotiate YWJj==, Bearer scope=x", "Negotiate|YWJj==\nBearer||scope=x\n"},
        {R"(Basic realm="Bearer scope=fake, Bearer", Bearer scope=x)",
         "Basic||realm=Bearer scope=fake, Bearer\nBearer||scope=x\n"},
        {",, Bearer ,, scope=x ,,, Basic,", "Bearer||scope=x\nBasic|\n"},
        {"Bearer scope=x, a/b", "Bearer||scope=x\n"},
    });
  };

  "C14 what follows a scheme is a token68 only if nothing else can be meant"_test = [] {
    check({
        {"Basic abc", "Basic|abc\n"},
        {"Basic a+b/c-d._~==", "Basic|a+b/c-d._~==\n"},
        {"Basic abc=", "Basic|abc=\n"},
        {"Basic abc=d", "Basic||abc=d\n"},
        {"Basic abc= \t", "Basic|abc=\n"},
        {"Basic abc=, x=y", "Basic|abc=\n"},  // nothing may stand beside a token68
        {"Basic   abc", "Basic|abc\n"},
        {"Basic ==", ""},  // a parameter of nothing
    });
  };

  "C14 what was complete before a fault is kept, and nothing of what runs into it"_test = [] {
    check({
        {"", ""},
        {" \t,", ""},
        {"=", ""},
        {"realm=\"x\"", ""},  // a parameter of nothing
        {"Bearer@", ""},
        {"Bearer\trealm=x", ""},  // RFC 9110 has spaces there
        {"Bearer @", "Bearer|\n"},
        {"Bearer realm=\"open", "Bearer|\n"},
        {"Bearer realm=\"open\\", "Bearer|\n"},
        {"Bearer realm=\"open\\\"", "Bearer|\n"},
        {"Bearer scope=a, realm=\"x\" y=z", "Bearer||scope=a\n"},
        {"Bearer scope=a, resource_metadata=https://a.example/x", "Bearer||scope=a\n"},
        {"Bearer scope=a, realm=", "Bearer||scope=a\n"},
        {"Bearer scope=a, realm==b", "Bearer||scope=a\n"},
        {"Bearer scope=a; realm=b", "Bearer|\n"},
        {"Bearer scope=a, ;, Basic realm=b", "Bearer||scope=a\n"},
        {"Bearer scope=\"a\x01\", realm=b", "Bearer|\n"},
        {std::string{"Bearer scope=\"a\0b\"", 18}, "Bearer|\n"},
        {"Bearer scope=\"a\r\nX: y\"", "Bearer|\n"},
        {"Bearer scope=\"a\x7F\"", "Bearer|\n"},
    });
  };

  "C14 lines stand for themselves: a fault in one does not hide the next, nor does one go on in the next"_test = [] {
    expect(summary({"Basic realm=\"open", "Bearer scope=x"}) == std::string{"Basic|\nBearer||scope=x\n"});
    expect(summary({"Bearer scope=x", "realm=y", "DPoP"}) == std::string{"Bearer||scope=x\nDPoP|\n"});
    expect(summary({}).empty());
  };

  "C14 the first bearer challenge is found whatever its case, and among others"_test = [] {
    const auto three = read_challenges({"Basic realm=a", "BEARER scope=first, bearer scope=second"});
    const challenge* found = bearer_challenge(three);
    expect(fatal(found != nullptr));
    expect(fatal(found->find("scope") != nullptr));
    expect(*found->find("scope") == std::string{"first"});
    expect(found->find("realm") == nullptr);
    expect(bearer_challenge(read_challenges({"Basic realm=Bearer", "Bearerer x=y"})) == nullptr);
    expect(bearer_challenge({}) == nullptr);
  };

  "a parameter that comes twice is what it was first"_test = [] {
    const auto one = read_challenges({"Bearer scope=a, SCOPE=b"});
    expect(fatal(one.size() == 1_ul));
    expect(*one.front().find("scope") == std::string{"a"});
  };

  "a line cut off at any byte gives no parameter that the whole line has not"_test = [] {
    const std::string line = R"(Negotiate YWJj==, Bearer realm="a \"b\", c", scope=x, DPoP algs="ES256 PS256")";
    const auto whole = read_challenges({line});
    expect(fatal(whole.size() == 3_ul));
    for (std::size_t size = 0; size < line.size(); ++size) {
      const auto part = read_challenges({line.substr(0, size)});
      expect(part.size() <= whole.size()) << size;
      for (std::size_t i = 0; i < part.size(); ++i) {
        // A parameter's name that is cut off looks like one more scheme.
        expect(whole[i].scheme.starts_with(part[i].scheme) || part[i].parameters.empty()) << size;
        for (const auto& [name, value] : part[i].parameters) {
          const std::string* known = whole[i].find(name);
          expect(known != nullptr && known->starts_with(value)) << size << name;
        }
      }
    }
  };

  "a line of any size takes time in proportion to it"_test = [] {
    std::string line = "Bearer ";
    while (line.size() < (std::size_t{1} << 20)) line += "a=\"b\",";
    expect(read_challenges({line}).front().parameters.size() > 100'000_ul);
    expect(read_challenges({std::string(std::size_t{1} << 20, ',')}).empty());
    expect(read_challenges({"Bearer " + std::string(std::size_t{1} << 20, 'a')}).size() == 1_ul);
  };
};

}  // namespace challenge_test
