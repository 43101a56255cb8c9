// SPDX-License-Identifier: MIT
#include "list_page.hpp"

#include <algorithm>

#include "../runtime/crypto.hpp"
#include "../transports/json/json_text.hpp"
#include "../transports/json/object_writer.hpp"
#include "revision_adapter.hpp"

namespace hawser {

namespace {

constexpr std::string_view mark = "from ";

std::string cursor_at(std::size_t place) { return base64url(std::string{mark} + std::to_string(place)); }

std::optional<std::size_t> place_of(std::string_view cursor) {
  const auto text = from_base64url(cursor);
  if (!text || !text->starts_with(mark)) return std::nullopt;
  const auto place = integer_of(std::string_view{*text}.substr(mark.size()));
  if (!place || *place <= 0) return std::nullopt;
  return static_cast<std::size_t>(*place);
}

}  // namespace

std::string_view member_name(list_kind what) noexcept {
  switch (what) {
    case list_kind::tools: return "tools";
    case list_kind::resources: return "resources";
    case list_kind::resource_templates: return "resourceTemplates";
    case list_kind::prompts: return "prompts";
  }
  return {};
}

result<std::string> list_page(list_kind what, const std::vector<std::string>& items, std::string_view params,
                              std::size_t page_size, std::string_view revision) {
  std::size_t begin = 0;
  if (const std::string_view given = find_member(params, "cursor"); !given.empty() && given != "null") {
    const auto cursor = text_of(given);
    const auto place = cursor ? place_of(*cursor) : std::nullopt;
    if (!place) return invalid_params("this cursor did not come from here; ask for the list from its beginning");
    begin = std::min(*place, items.size());
  }
  const std::size_t end = begin + std::min(page_size, items.size() - begin);
  std::string array = "[";
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin) array += ',';
    array += revision_adapter::list_item(what, items[i], revision);
  }
  object_writer page;
  page.member(member_name(what), array + ']');
  if (end < items.size()) page.text("nextCursor", cursor_at(end));
  return page.done();
}

}  // namespace hawser
