// SPDX-License-Identifier: MIT
// Hashes, random bytes, base64 and secrets. OpenSSL does the work; its types stay in crypto.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hawser {

/// Any thread, like every function in this file.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);

/// From OpenSSL, seeded by the system. If there is no randomness, the process is terminated instead of using guessable
/// values.
std::string random_bytes(std::size_t count);

/// RFC 4648. The URL form has no padding, as PKCE and JWT require.
std::string base64(std::string_view bytes);
std::string base64url(std::string_view bytes);
/// Strict: only the alphabet of the variant, canonical trailing bits; padding is required in base64 and rejected in
/// base64url.
std::optional<std::string> from_base64(std::string_view text);
std::optional<std::string> from_base64url(std::string_view text);

/// The time does not depend on where the texts differ; the lengths are not secret.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

/// Before anything of OpenSSL is used: its cleanup at exit() would run before the destructors of static objects, among
/// them perhaps a host whose loop thread still uses it. Without effect where the program has initialised OpenSSL
/// itself.
void disable_openssl_exit_cleanup() noexcept;

/// Overwrites memory in a way the compiler does not remove.
void cleanse(void* memory, std::size_t size) noexcept;

/// A secret byte string: it erases itself and has no formatter, no stream operator and no conversion.
class secret {
 public:
  secret() = default;
  explicit secret(std::string_view bytes) : bytes_(bytes.begin(), bytes.end()) {}
  secret(const secret&) = default;
  secret(secret&& other) noexcept { *this = std::move(other); }
  secret& operator=(const secret& other);
  secret& operator=(secret&& other) noexcept;
  ~secret() { wipe(); }

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  /// The only access to the bytes; the name is meant to stand out.
  [[nodiscard]] std::string_view reveal() const noexcept { return {bytes_.data(), bytes_.size()}; }
  friend bool operator==(const secret& a, const secret& b) noexcept {
    return equal_in_constant_time(a.reveal(), b.reveal());
  }

 private:
  void wipe() noexcept;
  std::vector<char> bytes_;  // not a string: moving a short string would leave a copy behind
};

}  // namespace hawser
