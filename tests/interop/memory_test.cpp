// SPDX-License-Identifier: MIT
// server-memory: structured results, a resource that changes with every call, and what lasts over a restart.
#include <boost/json/parse.hpp>

#include "../support/contains.hpp"
#include "../support/interop_house.hpp"

namespace memory_test {

using namespace hawser;
using testing::contains;
using testing::interop_house;
namespace interop = testing::interop;
namespace json = boost::json;
using kind = host_change::kind;

constexpr const char* graph = "memory://knowledge-graph";

std::string entity(const std::string& name) {
  return R"({"entities":[{"name":")" + name + R"(","entityType":"knot","observations":["holds"]}]})";
}

task<void> has_tools(interop_house& house) {
  const server_status now = house.of("memory");
  expect(now.agreed.revision == "2025-11-25" and now.agreed.server.name == "memory-server");
  expect(now.tools == 9_ul);
  const table_ref table = house.at().tools();
  for (const tool_row* row : *table) expect(!row->definition->output_schema.empty()) << row->name;
  auto prompts = co_await house.at().list("memory", list_kind::prompts);
  expect(prompts.has_value() and prompts->empty());
}

task<void> remembers(interop_house& house) {
  auto created = co_await house.at().call("memory__create_entities", entity("bowline"));
  expect(fatal(created.has_value()));
  auto read = co_await house.at().call("memory__read_graph", "{}");
  expect(fatal(read.has_value()));
  const json::value data = read->data();
  expect(fatal(data.at("entities").as_array().size() == 1_ul));
  expect(data.at("entities").at(0).at("name") == "bowline");
  auto unknown = co_await house.at().call("memory__add_observations",
                                          R"({"observations":[{"entityName":"Nobody","contents":["x"]}]})");
  expect(fatal(unknown.has_value()));
  expect(unknown->is_error() and contains(unknown->text(), "Entity with name Nobody not found")) << unknown->text();
  auto resource = co_await house.at().read_resource("memory", graph);
  expect(resource.has_value() and contains(resource->text(), "bowline"));
}

task<void> tells_updates(interop_house& house) {
  auto subscribed = co_await house.at().subscribe("memory", graph);
  expect(subscribed.has_value());
  const std::string created = co_await house.call("memory__create_entities", entity("sheet bend"));
  expect(house.told(kind::resource_updated, "memory", graph) == 1_ul) << created;
}

task<void> restarts(interop_house& house) {
  const std::string kept = co_await house.call("memory__create_entities", entity("reef knot"));
  auto subscribed = co_await house.at().subscribe("memory", graph);
  expect(subscribed.has_value()) << kept;
  const int before = house.of("memory").pid;
  const std::size_t times = house.sent("memory", "resources/subscribe");
  auto restarted = house.at().restart("memory");
  expect(restarted.has_value());
  const auto is_new = [&] {
    const server_status now = house.of("memory");
    return now.state == server_state::ready && now.pid != before && house.sent("memory", "resources/subscribe") > times;
  };
  const bool seen = co_await house.until(is_new);
  expect(seen and house.of("memory").restarts == 1_ul);
  expect(testing::processes_with(house.token).size() == 1_ul);
  const std::string read = co_await house.call("memory__open_nodes", R"({"names":["reef knot"]})");
  expect(contains(read, "reef knot")) << read;
  const std::size_t told = house.told(kind::resource_updated, "memory", graph);
  const std::string created = co_await house.call("memory__create_entities", entity("clove hitch"));
  expect(house.told(kind::resource_updated, "memory", graph) == told + 1) << created;
}

const suite<"interop: memory"> tests = [] {
  interop_house house{{{.name = "memory", .script = interop::memory}}};
  "it has nine tools, each with an output schema, and no prompts"_test = [&] { house.run(has_tools); };
  "it remembers, and says what it does not know"_test = [&] { house.run(remembers); };
  "an update of its resource comes before the answer to the call that made it"_test = [&] { house.run(tells_updates); };
  "after a restart it is another process with the same rows, and the subscription is renewed"_test = [&] {
    house.run(restarts);
  };
  "no process of it is left"_test = [&] { house.stop(); };
};

}  // namespace memory_test
