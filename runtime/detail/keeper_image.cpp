// SPDX-License-Identifier: MIT
// The keeper program as bytes of the library, so that an embedder has nothing to install beside it. The build writes
// keeper_image.inc from the program it has just linked.
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
