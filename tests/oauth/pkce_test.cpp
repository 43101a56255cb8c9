// SPDX-License-Identifier: MIT
#include "../../oauth/pkce.hpp"

#include <set>

#include "../support/ut.hpp"

namespace pkce_test {

using namespace boost::ut;
using namespace hawser;

const suite<"pkce"> all = [] {
  "the challenge is the example of RFC 7636, appendix B"_test = [] {
    expect(pkce_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") ==
           std::string{"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"});
  };

  "a verifier has 43 to 128 unreserved characters and is unique"_test = [] {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
      const pkce_pair made = pkce_pair::make();
      const std::string verifier{made.verifier.reveal()};
      expect(verifier.size() >= 43_ul);
      expect(verifier.size() <= 128_ul);
      expect(verifier.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
             std::string::npos);
      expect(made.challenge == pkce_challenge(verifier));
      expect(seen.insert(verifier).second);
    }
  };
};

}  // namespace pkce_test
