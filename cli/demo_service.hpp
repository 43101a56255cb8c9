// SPDX-License-Identifier: MIT
// The service of `hawser demo-server`: tools, resources and prompts that each demonstrate one protocol feature.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../gateway/serving_request.hpp"

namespace hawser::cli {

class demo_service final : public service {
 public:
  explicit demo_service(std::string_view name);

  [[nodiscard]] const service_card& card() const override { return card_; }
  task<result<served_list>> list(list_kind what) override;
  task<result<served_reply>> call_tool(serving_request& request) override;
  task<result<served_reply>> read_resource(serving_request& request) override;
  task<result<served_reply>> get_prompt(serving_request& request) override;
  task<result<served_reply>> complete(serving_request& request) override;

 private:
  result<served_reply> add_tool(const serving_request& request);
  result<served_reply> touch();

  service_card card_;
  std::vector<std::string> added_;  // names of the added tools
  std::size_t touched_ = 0;
};

}  // namespace hawser::cli
