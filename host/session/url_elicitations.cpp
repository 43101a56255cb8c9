// SPDX-License-Identifier: MIT
#include "url_elicitations.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "../../runtime/async/timeout.hpp"
#include "../../transports/json/json_text.hpp"
#include "detail/unless_closed.hpp"

namespace hawser {

namespace {

// Enough for all elicitations that one call can wait for.
constexpr std::size_t max_completed = 256;
constexpr std::size_t max_elicitation_id = 1024;
constexpr std::size_t max_visits = 64;
// Not every server reports that the user is done at a page. After this time the call is made again without the report.
constexpr duration max_visit_time = std::chrono::seconds{30};

struct page_visit {
  url_request page;
  std::string id;
};

std::vector<page_visit> visits_in(std::string_view error_data, const std::string& server_name) {
  std::vector<page_visit> visits;
  const std::string_view pages = error_data.empty() ? error_data : find_member(error_data, "elicitations");
  if (pages.empty() || pages.front() != '[') return visits;
  for_each_element(pages, [&](std::string_view json) {
    if (json.front() != '{') return true;
    const auto text = [&](std::string_view name) { return text_of(find_member(json, name)).value_or(""); };
    visits.push_back(
        {.page = {.server = server_name, .message = text("message"), .url = text("url")}, .id = text("elicitationId")});
    return visits.size() < max_visits;
  });
  return visits;
}

}  // namespace

void url_elicitations::on_complete(std::string id) {
  if (id.size() <= max_elicitation_id) completed_.push_back(std::move(id));
  if (completed_.size() > max_completed) completed_.erase(completed_.begin());
  completion_.set();
}

task<result<void>> url_elicitations::wait_for_completion(std::string id) {
  while (std::find(completed_.begin(), completed_.end(), id) == completed_.end()) {
    completion_.reset();
    auto waited = co_await completion_.wait();
    if (!waited) co_return waited;
  }
  co_return {};
}

task<result<void>> url_elicitations::visit(const error& required) {
  const std::vector<page_visit> visits = visits_in(required.data, server_name_);
  if (visits.empty()) co_return required;
  for (const page_visit& visit : visits) {
    url_request page = visit.page;
    auto agreed = co_await detail::unless_closed(closing_, dispatcher_.consent(std::move(page)));
    if (!agreed) co_return agreed.error().code == errc::remote ? required : agreed.error();
    if (*agreed != elicitation_answer::action::accept) co_return required;
    if (visit.id.empty()) continue;
    std::string id = visit.id;
    auto waited =
        co_await with_timeout(max_visit_time, detail::unless_closed(closing_, wait_for_completion(std::move(id))));
    if (!waited && waited.error().code != errc::timed_out) co_return waited.error();
  }
  co_return {};
}

}  // namespace hawser
