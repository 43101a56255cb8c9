// SPDX-License-Identifier: MIT
// The service of `hawser demo-server`: tools, resources and prompts that each demonstrate one protocol feature.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../../server/request_context.hpp"

namespace hawser::cli {

class demo_service final : public service {
 public:
  explicit demo_service(std::string_view name);

  [[nodiscard]] const server_info& info() const override { return card_; }
  task<result<item_list>> list(list_kind what) override;
  task<result<service_result>> call_tool(request_context& request) override;
  task<result<service_result>> read_resource(request_context& request) override;
  task<result<service_result>> get_prompt(request_context& request) override;
  task<result<service_result>> complete(request_context& request) override;

 private:
  result<service_result> add_tool(const request_context& request);
  result<service_result> touch();

  server_info card_;
  std::vector<std::string> added_;  // names of the added tools
  std::size_t touched_ = 0;
};

}  // namespace hawser::cli
