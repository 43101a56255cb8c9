// SPDX-License-Identifier: MIT
// The byte_stream without TLS: forwards to a stream of the runtime.
#pragma once

#include <memory>

#include "byte_stream.hpp"

namespace hawser {

std::unique_ptr<byte_stream> make_plain_stream(stream socket);

}  // namespace hawser
