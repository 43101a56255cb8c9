// SPDX-License-Identifier: MIT
// Real certificates generated for a test: authorities, servers, clients, and invalid ones of every kind.
#pragma once

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace hawser::testing {

struct certificate_options {
  std::string name;  // the subject's common name; may contain anything
  std::vector<std::string> hosts{};
  std::vector<std::string> addresses{};
  bool authority = false;
  int first_day = -1;  // days from today
  int last_day = 30;
};

/// A certificate with its key.
class credential {
 public:
  /// Self-signed if there is no issuer.
  explicit credential(const certificate_options& wish, const credential* issuer = nullptr)
      : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
    X509* made = certificate_.get();
    X509_set_version(made, X509_VERSION_3);
    static long serial = 0;  // the serial numbers of one issuer must be unique
    ASN1_INTEGER_set(X509_get_serialNumber(made), std::time(nullptr) * 1000 + ++serial);
    X509_gmtime_adj(X509_getm_notBefore(made), wish.first_day * 86'400L);
    X509_gmtime_adj(X509_getm_notAfter(made), wish.last_day * 86'400L);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(wish.name.data()),
                               static_cast<int>(wish.name.size()), -1, 0);
    const credential& by = issuer != nullptr ? *issuer : *this;
    X509_set_issuer_name(made, X509_get_subject_name(by.certificate_.get()));
    X509_set_pubkey(made, key_.get());
    X509V3_CTX about{};
    X509V3_set_ctx(&about, by.certificate_.get(), made, nullptr, nullptr, 0);
    extend(about, NID_basic_constraints, wish.authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
    if (wish.authority) extend(about, NID_key_usage, "critical,keyCertSign,cRLSign");
    extend(about, NID_subject_key_identifier, "hash");
    add_names(wish);
    X509_sign(made, by.key_.get(), EVP_sha256());
  }

  [[nodiscard]] std::string certificate() const {
    return pem([this](BIO* to) { PEM_write_bio_X509(to, certificate_.get()); });
  }
  [[nodiscard]] std::string key(const char* passphrase = nullptr) const {
    return pem([this, passphrase](BIO* to) {
      PEM_write_bio_PrivateKey(to, key_.get(), passphrase != nullptr ? EVP_aes_128_cbc() : nullptr, nullptr, 0, nullptr,
                               const_cast<char*>(passphrase));
    });
  }

 private:
  void extend(X509V3_CTX& about, int what, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &about, what, value);
    X509_add_ext(certificate_.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }
  // Built by hand because the names may contain a zero byte.
  void add_names(const certificate_options& wish) {
    if (wish.hosts.empty() && wish.addresses.empty()) return;
    GENERAL_NAMES* names = sk_GENERAL_NAME_new_null();
    for (const std::string& host : wish.hosts) {
      ASN1_IA5STRING* text = ASN1_IA5STRING_new();
      ASN1_STRING_set(text, host.data(), static_cast<int>(host.size()));
      GENERAL_NAME* name = GENERAL_NAME_new();
      GENERAL_NAME_set0_value(name, GEN_DNS, text);
      sk_GENERAL_NAME_push(names, name);
    }
    for (const std::string& address : wish.addresses) {
      GENERAL_NAME* name = GENERAL_NAME_new();
      GENERAL_NAME_set0_value(name, GEN_IPADD, a2i_IPADDRESS(address.c_str()));
      sk_GENERAL_NAME_push(names, name);
    }
    X509_add1_ext_i2d(certificate_.get(), NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT);
    GENERAL_NAMES_free(names);
  }
  template <class F>
  static std::string pem(F write) {
    BIO* memory = BIO_new(BIO_s_mem());
    write(memory);
    char* text = nullptr;
    const long size = BIO_get_mem_data(memory, &text);
    std::string copy{text, static_cast<std::size_t>(size)};
    BIO_free(memory);
    return copy;
  }

  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
};

/// A root authority, an intermediate one, and the files of the certificates they sign.
class certificate_authority {
 public:
  [[nodiscard]] const credential& root() const { return root_; }
  [[nodiscard]] const credential& intermediate() const { return intermediate_; }

  /// Writes a new file and returns its path.
  std::string file(const std::string& text) {
    const std::string path = folder_ / (std::to_string(++files_) + ".pem");
    std::ofstream{path} << text;
    return path;
  }
  std::string root_file() { return file(root_.certificate()); }
  /// Leaf, intermediate and key in one file.
  std::string signed_file(const certificate_options& wish) {
    const credential leaf{wish, &intermediate_};
    return file(leaf.certificate() + intermediate_.certificate() + leaf.key());
  }
  /// Valid for "localhost" and 127.0.0.1.
  std::string local_file() {
    return signed_file({.name = "local", .hosts = {"localhost"}, .addresses = {"127.0.0.1", "::1"}});
  }
  [[nodiscard]] const temporary_folder& folder() const { return folder_; }

 private:
  temporary_folder folder_;
  int files_ = 0;
  credential root_{{.name = "Hawser test root", .authority = true}};
  credential intermediate_{{.name = "Hawser test intermediate", .authority = true}, &root_};
};

}  // namespace hawser::testing
