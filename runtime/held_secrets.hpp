// SPDX-License-Identifier: MIT
// Keeps secrets that are in use in a redaction. Without it, a program that runs for weeks would redact only its most
// recent secrets.
#pragma once

#include <memory>
#include <vector>

#include "redaction.hpp"

namespace hawser {

/// For the tokens of a login, for example: they are not dropped while this object lives, however many others are added.
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
