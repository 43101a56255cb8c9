// SPDX-License-Identifier: MIT
// Signatures are checked by OpenSSL's other half, keys come from its generator.
#include "../../oauth/signing_key.hpp"

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "../../oauth/client_authentication.hpp"
#include "../support/ut.hpp"

namespace signing_key_test {

using namespace hawser;

struct key_pair {
  explicit key_pair(EVP_PKEY* made) : key(made, EVP_PKEY_free) { expect(fatal(made != nullptr)); }
  std::shared_ptr<EVP_PKEY> key;

  [[nodiscard]] secret pem(const char* password = nullptr) const {
    BIO* out = BIO_new(BIO_s_mem());
    const EVP_CIPHER* cipher = password != nullptr ? EVP_aes_128_cbc() : nullptr;
    const int length = password != nullptr ? static_cast<int>(std::string_view{password}.size()) : 0;
    PEM_write_bio_PKCS8PrivateKey(out, key.get(), cipher, password, length, nullptr, nullptr);
    char* text = nullptr;
    const long size = BIO_get_mem_data(out, &text);
    secret made{std::string_view{text, static_cast<std::size_t>(size)}};
    BIO_free(out);
    return made;
  }
};

const key_pair& p256() {
  static const key_pair made{EVP_EC_gen("P-256")};
  return made;
}
const key_pair& p384() {
  static const key_pair made{EVP_EC_gen("P-384")};
  return made;
}
const key_pair& rsa() {
  static const key_pair made{EVP_RSA_gen(2048U)};
  return made;
}
const key_pair& ed25519() {
  static const key_pair made{EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")};
  return made;
}

std::vector<std::string> parts_of(const secret& jwt) {
  std::vector<std::string> parts;
  std::string_view rest = jwt.reveal();
  for (std::size_t dot = 0; dot != std::string_view::npos;) {
    dot = rest.find('.');
    parts.emplace_back(rest.substr(0, dot));
    rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
  }
  return parts;
}

boost::json::object object_of(const std::string& part) {
  return boost::json::parse(from_base64url(part).value()).as_object();
}

// The form OpenSSL wants of what a JWT has.
std::string der_of(std::string_view plain) {
  const auto half = static_cast<int>(plain.size() / 2);
  const auto* bytes = reinterpret_cast<const unsigned char*>(plain.data());
  ECDSA_SIG* parts = ECDSA_SIG_new();
  ECDSA_SIG_set0(parts, BN_bin2bn(bytes, half, nullptr), BN_bin2bn(bytes + half, half, nullptr));
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(parts, &der);
  std::string made{reinterpret_cast<char*>(der), static_cast<std::size_t>(size)};
  OPENSSL_free(der);
  ECDSA_SIG_free(parts);
  return made;
}

bool verifies(const key_pair& by, std::string_view algorithm, const secret& jwt) {
  const auto parts = parts_of(jwt);
  if (parts.size() != 3) return false;
  const std::string text = parts[0] + '.' + parts[1];
  std::string signature = from_base64url(parts[2]).value();
  if (algorithm.starts_with("ES")) {
    if (signature.size() != (algorithm == "ES256" ? 64 : 96)) return false;
    signature = der_of(signature);
  }
  const EVP_MD* digest = algorithm == "EdDSA" ? nullptr : algorithm == "ES384" ? EVP_sha384() : EVP_sha256();
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* padding = nullptr;
  EVP_DigestVerifyInit(context, &padding, digest, nullptr, by.key.get());
  if (algorithm == "PS256") {
    EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(padding, 32);
  }
  const int good = EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                                    reinterpret_cast<const unsigned char*>(text.data()), text.size());
  EVP_MD_CTX_free(context);
  return good == 1;
}

struct row {
  const key_pair& key;
  std::string_view algorithm;
  bool usual;
};

std::vector<row> rows() {
  return {{p256(), "ES256", true},
          {p384(), "ES384", true},
          {rsa(), "RS256", true},
          {rsa(), "PS256", false},
          {ed25519(), "EdDSA", true}};
}

void refused(const secret& pem, std::string_view algorithm, std::string_view says) {
  const auto got = signing_key::from_pem(pem, algorithm);
  expect(fatal(!got.has_value())) << says;
  expect(got.error().code == errc::config);
  expect(got.error().what.find(says) != std::string::npos) << got.error().what;
}

const suite<"signing"> tests = [] {
  "every algorithm signs what its other half verifies"_test = [] {
    for (const row& one : rows()) {
      const auto key = signing_key::from_pem(one.key.pem(), one.algorithm);
      expect(fatal(key.has_value())) << one.algorithm;
      expect(key->algorithm() == one.algorithm);
      const int times = one.algorithm.starts_with("ES") ? 500 : 5;  // one number in 256 begins with a zero
      for (int i = 0; i < times; ++i) {
        const auto jwt = key->sign({{"iss", "me"}, {"i", i}});
        expect(fatal(jwt.has_value())) << one.algorithm;
        expect(verifies(one.key, one.algorithm, *jwt)) << one.algorithm;
        const auto parts = parts_of(*jwt);
        expect(object_of(parts[0]) == boost::json::object{{"alg", one.algorithm}, {"typ", "JWT"}});
        expect(object_of(parts[1]) == boost::json::object{{"iss", "me"}, {"i", i}});
      }
    }
  };

  "a key without an algorithm is used in the way that is usual for it"_test = [] {
    for (const row& one : rows()) {
      if (one.usual) expect(signing_key::from_pem(one.key.pem()).value().algorithm() == one.algorithm);
    }
  };

  "a key's name goes into the head"_test = [] {
    const auto key = signing_key::from_pem(p256().pem(), "ES256", "key 1");
    expect(object_of(parts_of(key.value().sign({}).value())[0]).at("kid").as_string() == "key 1");
  };

  "an algorithm that does not fit the key is refused"_test = [] {
    for (const row& one : rows()) {
      for (const row& other : rows()) {
        const bool same_kind = one.key.key == other.key.key;
        expect(signing_key::from_pem(one.key.pem(), other.algorithm).has_value() == same_kind)
            << one.algorithm << other.algorithm;
      }
    }
    refused(p256().pem(), "RS256", "RS256");
    for (const std::string_view unknown : {"none", "HS256", "es256", "ES256K"}) refused(p256().pem(), unknown, "ES256");
    refused(key_pair{EVP_EC_gen("P-521")}.pem(), "", "P-256");
    refused(key_pair{EVP_RSA_gen(1024U)}.pem(), "RS256", "2048");
  };

  "what is no private key is refused without a word of it"_test = [] {
    const std::string pem{p256().pem().reveal()};
    for (const std::string& bad :
         {std::string{}, std::string{"hello"}, pem.substr(0, pem.size() / 2), std::string(100'000, 'A'),
          std::string{"-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n-----END PRIVATE KEY-----\n"},
          std::string{"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"}})
      refused(secret{bad}, "", "PEM");
  };

  "an encrypted key is refused, and nobody is asked for a password"_test = [] {
    refused(p256().pem("password"), "", "encrypted");
  };

  "an assertion has issuer, audience, issue time, expiry and a unique id"_test = [] {
    token_endpoint_context at{.issuer = "https://as.example/t1"};
    at.key = std::make_shared<signing_key>(signing_key::from_pem(p256().pem()).value());
    at.now = [] { return std::int64_t{1'800'000'000}; };
    std::string first;
    for (int i = 0; i < 2; ++i) {
      url_encoded_form into;
      const auto fields = authenticate_client({.id = "me"}, at, into);
      expect(fatal(fields.has_value()));
      expect(fields->empty());
      const std::string start =
          "client_id=me&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
          "&client_assertion=";
      expect(fatal(into.text().starts_with(start))) << into.text();
      const secret jwt{into.text().substr(start.size())};
      expect(verifies(p256(), "ES256", jwt));
      const boost::json::object claims = object_of(parts_of(jwt)[1]);
      expect(claims.at("iss").as_string() == "me" && claims.at("sub").as_string() == "me");
      expect(claims.at("aud").as_string() == "https://as.example/t1");
      expect(claims.at("iat").as_int64() == 1'800'000'000);
      expect(claims.at("exp").as_int64() == 1'800'000'300);
      const std::string id{claims.at("jti").as_string()};
      expect(id.size() >= 20_ul && id != first);
      first = id;
    }
  };
};

}  // namespace signing_key_test
