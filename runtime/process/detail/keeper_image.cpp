// SPDX-License-Identifier: MIT
// The bytes of the keeper executable. The build generates keeper_image.inc from the program it has just linked.
#include "keeper_image.hpp"

namespace hawser::detail {

namespace {
constexpr unsigned char keeper_bytes[] = {
// NOLINT(modernize-avoid-c-arrays): its size is the file's
#include "keeper_image.inc"
};
}  // namespace

std::string_view keeper_image() noexcept { return {reinterpret_cast<const char*>(keeper_bytes), sizeof keeper_bytes}; }

}  // namespace hawser::detail
