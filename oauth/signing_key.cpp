// SPDX-License-Identifier: MIT
#include "signing_key.hpp"

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <climits>
#include <optional>
#include <vector>

#include "../runtime/io/file.hpp"

namespace hawser {

namespace {

constexpr std::size_t max_key_bytes = std::size_t{64} << 10;

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* what) const noexcept {
    Free(what);
  }
};

using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using digest_ptr = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free>>;
using ecdsa_ptr = std::unique_ptr<ECDSA_SIG, freed_by<ECDSA_SIG_free>>;

constexpr int min_rsa_bits = 2048;  // RFC 7518, section 3.3

struct scheme {
  std::string_view name;
  int kind;                   // of key
  std::string_view curve;     // empty: any key of that type
  const EVP_MD* (*digest)();  // null: part of the algorithm
  int half;                   // bytes of each of the two integers of an ECDSA signature
  bool pss;
};

// The first that fits a key is the default for it.
constexpr std::array schemes{
    scheme{"ES256", EVP_PKEY_EC, "prime256v1", EVP_sha256, 32, false},
    scheme{"ES384", EVP_PKEY_EC, "secp384r1", EVP_sha384, 48, false},
    scheme{"RS256", EVP_PKEY_RSA, "", EVP_sha256, 0, false},
    scheme{"PS256", EVP_PKEY_RSA, "", EVP_sha256, 0, true},
    scheme{"EdDSA", EVP_PKEY_ED25519, "", nullptr, 0, false},
};

bool fits(const scheme& one, EVP_PKEY* key) {
  if (EVP_PKEY_get_base_id(key) != one.kind) return false;
  if (one.curve.empty()) return true;
  std::array<char, 64> curve{};
  std::size_t length = 0;
  return EVP_PKEY_get_group_name(key, curve.data(), curve.size(), &length) == 1 &&
         std::string_view{curve.data(), length} == one.curve;
}

error key_error(std::string_view why) {
  ERR_clear_error();  // its text may contain bytes of the key
  return error{.code = errc::config, .what = "the private key cannot be used: " + std::string{why}};
}

// Without a callback OpenSSL would prompt on the terminal.
int no_password(char* /*into*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

// RFC 7518, section 3.4: r and s concatenated, each padded to full length, instead of OpenSSL's DER.
std::optional<std::string> plain_ecdsa(std::string_view der, int half) {
  const auto* p = reinterpret_cast<const unsigned char*>(der.data());
  const ecdsa_ptr parts{d2i_ECDSA_SIG(nullptr, &p, static_cast<long>(der.size()))};
  if (!parts) return std::nullopt;
  std::vector<unsigned char> both(2 * static_cast<std::size_t>(half));
  if (BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), both.data(), half) != half ||
      BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), both.data() + half, half) != half)
    return std::nullopt;
  return std::string{both.begin(), both.end()};
}

std::optional<std::string> signature_of(EVP_PKEY* key, const scheme& by, std::string_view text) {
  const digest_ptr context{EVP_MD_CTX_new()};
  EVP_PKEY_CTX* padding = nullptr;  // owned by the context
  const EVP_MD* digest = by.digest != nullptr ? by.digest() : nullptr;
  if (!context || EVP_DigestSignInit(context.get(), &padding, digest, nullptr, key) != 1) return std::nullopt;
  if (by.pss && (EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PSS_PADDING) != 1 ||
                 EVP_PKEY_CTX_set_rsa_pss_saltlen(padding, RSA_PSS_SALTLEN_DIGEST) != 1))
    return std::nullopt;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  if (EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1) return std::nullopt;
  std::string made(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(made.data()), &size, bytes, text.size()) != 1)
    return std::nullopt;
  made.resize(size);
  if (by.half == 0) return made;
  return plain_ecdsa(made, by.half);
}

}  // namespace

struct signing_key::material {
  key_ptr key;
  const scheme* by = nullptr;
  std::string algorithm{};
  std::string key_id{};
};

result<signing_key> signing_key::from_pem(const secret& pem, std::string_view algorithm, std::string key_id) {
  const std::string_view text = pem.reveal();
  if (text.size() > INT_MAX) return key_error("it is far too long");
  const bio_ptr source{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  bool encrypted = false;
  key_ptr key{source ? PEM_read_bio_PrivateKey(source.get(), nullptr, no_password, &encrypted) : nullptr};
  if (encrypted) return key_error("it is encrypted; write it without a password into a file that only you can read");
  if (!key) return key_error("it is not a private key in PEM form");
  const scheme* found = nullptr;
  bool known = algorithm.empty();
  for (const scheme& one : schemes) {
    if (!algorithm.empty() && one.name != algorithm) continue;
    known = true;
    if (fits(one, key.get())) {
      found = &one;
      break;
    }
  }
  if (!known) return key_error("the algorithm has to be ES256, ES384, RS256, PS256 or EdDSA");
  if (found == nullptr)
    return key_error(algorithm.empty() ? "it is neither of P-256, P-384, Ed25519 nor RSA"
                                       : "it is not of the kind that " + std::string{algorithm} + " signs with");
  if (found->kind == EVP_PKEY_RSA && EVP_PKEY_get_bits(key.get()) < min_rsa_bits)
    return key_error("an RSA key has to have 2048 bits or more");
  auto made = std::make_shared<material>();
  made->key = std::move(key);
  made->by = found;
  made->algorithm = found->name;
  made->key_id = std::move(key_id);
  return signing_key{std::move(made)};
}

const std::string& signing_key::algorithm() const noexcept { return of_->algorithm; }

result<secret> signing_key::sign(const boost::json::object& claims) const {
  boost::json::object head{{"alg", of_->algorithm}, {"typ", "JWT"}};
  if (!of_->key_id.empty()) head["kid"] = of_->key_id;
  std::string text = base64url(boost::json::serialize(head)) + '.' + base64url(boost::json::serialize(claims));
  const auto signature = signature_of(of_->key.get(), *of_->by, text);
  if (!signature) return key_error("signing with it fails");
  text.append(1, '.').append(base64url(*signature));
  secret made{text};
  cleanse(text.data(), text.size());
  return made;
}

task<result<std::shared_ptr<const signing_key>>> load_signing_key(const oauth_settings& settings) {
  std::string pem = settings.private_key;
  if (pem.empty() && !settings.private_key_file.empty()) {
    auto text = co_await read_file(settings.private_key_file, max_key_bytes);
    if (!text) co_return text.error();
    pem = *std::move(text);
  }
  if (pem.empty()) co_return std::shared_ptr<const signing_key>{};
  auto key = signing_key::from_pem(secret{pem}, settings.algorithm);
  cleanse(pem.data(), pem.size());
  if (!key) co_return prefixed("the private key under \"oauth\"", key.error());
  co_return std::make_shared<const signing_key>(*std::move(key));
}

}  // namespace hawser
