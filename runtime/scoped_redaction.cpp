// SPDX-License-Identifier: MIT
#include "scoped_redaction.hpp"

#include <utility>

namespace hawser {

scoped_redaction::scoped_redaction(std::shared_ptr<redaction> in, std::vector<secret> which)
    : redaction_(std::move(in)), secrets_(std::move(which)) {
  std::erase_if(secrets_, [](const secret& one) { return one.reveal().size() < redaction::min_secret_bytes; });
  for (const secret& one : secrets_) redaction_->hold(one);
}

scoped_redaction& scoped_redaction::operator=(scoped_redaction&& other) noexcept {
  std::swap(redaction_, other.redaction_);
  std::swap(secrets_, other.secrets_);
  return *this;
}

scoped_redaction::~scoped_redaction() {
  for (const secret& one : secrets_) redaction_->release(one);
}

}  // namespace hawser
