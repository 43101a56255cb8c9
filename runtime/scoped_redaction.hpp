// SPDX-License-Identifier: MIT
// Keeps secrets that are in use in a redaction. Without it, a program that runs for weeks would redact only its most
// recent secrets.
#pragma once

#include <memory>
#include <vector>

#include "redaction.hpp"

namespace hawser {

/// For the tokens of a login, for example: they are not dropped while this object lives, however many others are added.
class scoped_redaction {
 public:
  scoped_redaction() = default;
  scoped_redaction(std::shared_ptr<redaction> in, std::vector<secret> which);
  scoped_redaction(scoped_redaction&& other) noexcept = default;
  scoped_redaction& operator=(scoped_redaction&& other) noexcept;
  ~scoped_redaction();

 private:
  std::shared_ptr<redaction> redaction_;
  std::vector<secret> secrets_;
};

}  // namespace hawser
