// SPDX-License-Identifier: MIT
// Secrets that somebody works with just now: what is redacted of a program that runs for weeks is not only what is
// young.
#pragma once

#include <memory>
#include <vector>

#include "redaction.hpp"

namespace hawser {

/// A login's tokens, say: not dropped before this is, however many others come meanwhile.
class held_secrets {
 public:
  held_secrets() = default;
  held_secrets(std::shared_ptr<redaction> in, std::vector<secret> which);
  held_secrets(held_secrets&& other) noexcept = default;
  held_secrets& operator=(held_secrets&& other) noexcept;
  ~held_secrets();

 private:
  std::shared_ptr<redaction> in_;
  std::vector<secret> which_;
};

}  // namespace hawser
