// SPDX-License-Identifier: MIT
#include "held_secrets.hpp"

#include <utility>

namespace hawser {

held_secrets::held_secrets(std::shared_ptr<redaction> in, std::vector<secret> which)
    : in_(std::move(in)), which_(std::move(which)) {
  std::erase_if(which_, [](const secret& one) { return one.reveal().size() < redaction::shortest; });
  for (const secret& one : which_) in_->hold(one);
}

held_secrets& held_secrets::operator=(held_secrets&& other) noexcept {
  std::swap(in_, other.in_);
  std::swap(which_, other.which_);
  return *this;
}

held_secrets::~held_secrets() {
  for (const secret& one : which_) in_->release(one);
}

}  // namespace hawser
