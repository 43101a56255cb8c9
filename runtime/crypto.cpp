// SPDX-License-Identifier: MIT
#include "crypto.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <climits>

#include "detail/check.hpp"

namespace hawser {

namespace {

constexpr std::string_view standard_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < have ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k <= have; ++k) text += alphabet[group >> (18 - 6 * k) & 63U];
  }
  return text;
}

std::optional<std::string> decode(std::string_view text, std::string_view alphabet) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(group >> bits & 0xFFU);
    }
  }
  if ((group & ((1U << bits) - 1U)) != 0) return std::nullopt;  // non-canonical: another text encodes the same bytes
  return bytes;
}

}  // namespace

void disable_openssl_exit_cleanup() noexcept { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr); }

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
  std::array<std::uint8_t, 32> digest{};
  unsigned length = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
  detail::require(done == 1 && length == digest.size(), "OpenSSL could not compute SHA-256");
  return digest;
}

std::string random_bytes(std::size_t count) {
  detail::require(count <= INT_MAX, "nobody needs that much randomness at once");
  std::string bytes(count, '\0');
  const int done = RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  detail::require(done == 1, "OpenSSL has no randomness to give");
  return bytes;
}

std::string base64(std::string_view bytes) {
  std::string text = encode(bytes, standard_alphabet);
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string base64url(std::string_view bytes) { return encode(bytes, url_alphabet); }

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return decode(text, standard_alphabet);
}

std::optional<std::string> from_base64url(std::string_view text) { return decode(text, url_alphabet); }

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void cleanse(void* memory, std::size_t size) noexcept { OPENSSL_cleanse(memory, size); }

secret& secret::operator=(const secret& other) {
  if (this == &other) return *this;
  wipe();
  bytes_ = other.bytes_;
  return *this;
}

secret& secret::operator=(secret&& other) noexcept {
  if (this == &other) return *this;
  wipe();
  bytes_ = std::move(other.bytes_);
  return *this;
}

void secret::wipe() noexcept {
  cleanse(bytes_.data(), bytes_.size());
  bytes_.clear();
}

}  // namespace hawser
