// SPDX-License-Identifier: MIT
#include "native_tools.hpp"

#include "../../runtime/async/call_handler.hpp"
#include "../../runtime/async/timeout.hpp"
#include "../../runtime/async/when.hpp"
#include "host_closed.hpp"
#include "native_tool_check.hpp"
#include "server_slots.hpp"

namespace hawser::detail {

native_tools::native_tools(registry& table, const naming_options& naming, loop_proxy_ptr proxy, executor runs_functions,
                           event& closing, std::function<void(const host_change&)> on_change)
    : table_(table),
      naming_(naming),
      proxy_(std::move(proxy)),
      runs_functions_(std::move(runs_functions)),
      closing_(closing),
      on_change_(std::move(on_change)) {}

result<void> native_tools::add(native_tool added) {
  if (auto checked = check_native_tool(added, naming_); !checked) return checked;
  if (tools_.contains(added.name))
    return error{.code = errc::config, .what = "there is a native tool named \"" + added.name + "\" already"};
  const std::string name = added.name;
  tools_.emplace(name, std::make_shared<const native_tool>(std::move(added)));
  const auto outcome = publish();
  if (outcome.refused == 0) return {};
  const std::string why = outcome.refusals.front().what;
  remove(name);
  return error{.code = errc::config, .what = why};
}

bool native_tools::remove(std::string_view name) {
  const auto found = tools_.find(name);
  if (found == tools_.end()) return false;
  tools_.erase(found);
  publish();
  return true;
}

registry::outcome native_tools::publish() {
  auto list = std::make_shared<tool_list>();
  for (const auto& [name, native] : tools_) {
    list->keep(native);
    list->add({.name = native->name,
               .description = native->description,
               .input_schema = native->input_schema,
               .output_schema = native->output_schema,
               .hints = native->hints});
  }
  const auto outcome = table_.replace(server_slots::native_id, "", list);
  if (outcome.changed) on_change_({.what = host_change::kind::tools, .version = outcome.version});
  return outcome;
}

task<result<envelope>> native_tools::call_function(std::string name, std::string arguments) {
  const auto found = tools_.find(name);
  if (found == tools_.end())
    co_return error{.code = errc::server_gone, .what = "the tool \"" + name + "\" of the program was removed"};
  const std::shared_ptr<const native_tool> native = found->second;
  boost::json::object object;
  if (!arguments.empty()) {
    auto parsed = raw_json{arguments}.parse();
    if (!parsed) co_return parsed.error();
    object = std::move(parsed->get_object());
  }
  auto calling = call_handler(proxy_, runs_functions_, native->function, "the tool \"" + name + '"', std::move(object));
  auto first = co_await when_any(std::move(calling), fail_on_closing<handler_outcome<envelope>>(closing_));
  // Only the handler's own result tells whether the function was called, whichever task finished first.
  const auto& called = std::get<0>(first.values);
  const execution executed = called.has_error() ? called.error().executed : execution::unknown;
  auto answer = first.winner == 0 ? std::move(std::get<0>(first.values)) : std::move(std::get<1>(first.values));
  if (!answer) {
    error why = answer.error();
    why.executed = executed;
    co_return why;
  }
  if (answer->thrown) co_return envelope::failure(answer->thrown->what);
  if (!answer->answer) co_return envelope::failure("the tool \"" + name + "\" gave no answer");
  co_return *std::move(answer->answer);
}

task<result<envelope>> native_tools::call(std::string name, std::string arguments, duration longest) {
  auto answer = co_await with_timeout(longest, call_function(name, std::move(arguments)));
  if (answer || answer.error().code != errc::timed_out) co_return answer;
  error why = answer.error();
  why.what = "the tool \"" + name + "\" gave no answer within " + format_duration(longest);
  co_return why;
}

}  // namespace hawser::detail
