// SPDX-License-Identifier: MIT
#include "../../oauth/login_requirement.hpp"

#include "../support/ut.hpp"

namespace login_requirement_test {

using namespace hawser;
using kind = login_requirement::kind;

const suite<"login requirement"> tests = [] {
  "a required login is reported each time, with the last reason, until there is a login"_test = [] {
    int reported = 0;
    login_requirement requirement{[&reported] { ++reported; }};
    expect(requirement.current() == kind::none && requirement.reason().empty());
    const error first = requirement.require_login("first reason");
    expect(first.code == errc::auth && first.what == "first reason");
    expect(requirement.require_login("second reason").what == "second reason");
    expect(requirement.current() == kind::login && requirement.reason() == "second reason" && reported == 2);
    requirement.clear();
    expect(requirement.current() == kind::none && requirement.reason().empty());
  };

  "a step-up is not reported as a missing login, and a 401 ends it"_test = [] {
    int reported = 0;
    login_requirement requirement{[&reported] { ++reported; }};
    expect(requirement.require_step_up("a scope is missing").code == errc::auth);
    expect(requirement.current() == kind::step_up);
    expect(requirement.require_login("the login is over").what == "the login is over");
    expect(requirement.current() == kind::step_up && requirement.reason() == "the login is over" && reported == 0);
    requirement.end_step_up();
    expect(requirement.current() == kind::none);
    expect(requirement.require_login("no login").code == errc::auth && reported == 1);
    requirement.end_step_up();
    expect(requirement.current() == kind::login) << "a 401 provides no login";
  };

  "the last challenge decides the scope, and the last one that has metadata decides those"_test = [] {
    login_requirement requirement{{}};
    const std::vector<std::string> first{R"(Bearer resource_metadata="https://a.example/m", scope="read write")"};
    const std::vector<std::string> second{R"(Bearer error="invalid_token")"};
    const auto with_both = read_challenges(first);
    requirement.remember_challenge(bearer_challenge(with_both));
    expect(requirement.resource_metadata_url() == "https://a.example/m");
    expect(requirement.challenged_scope() == "read write");
    const auto with_neither = read_challenges(second);
    requirement.remember_challenge(bearer_challenge(with_neither));
    expect(requirement.resource_metadata_url() == "https://a.example/m" && !requirement.challenged_scope());
    requirement.remember_challenge(nullptr);
    expect(requirement.resource_metadata_url() == "https://a.example/m");
  };
};

}  // namespace login_requirement_test
