// SPDX-License-Identifier: MIT
// server-memory: structured results, a resource that changes with every call, and what lasts over a restart.
#include <boost/json/parse.hpp>

#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace memory_test {

using namespace hawser;
using testing::contains;
using testing::interop_fixture;
namespace interop = testing::interop;
namespace json = boost::json;
using kind = host_change::kind;

constexpr const char* graph = "memory://knowledge-graph";

std::string entity(const std::string& name) {
  return R"({"entities":[{"name":")" + name + R"(","entityType":"knot","observations":["holds"]}]})";
}

task<void> has_tools(interop_fixture& fixture) {
  const server_status now = fixture.of("memory");
  expect(now.negotiated.revision == "2025-11-25" and now.negotiated.server.name == "memory-server");
  expect(now.tools == 9_ul);
  const table_ref table = fixture.at().tools();
  for (const tool_row* row : *table) expect(!row->definition->output_schema.empty()) << row->name;
  auto prompts = co_await fixture.at().list("memory", list_kind::prompts);
  expect(prompts.has_value() and prompts->empty());
}

task<void> remembers(interop_fixture& fixture) {
  auto created = co_await fixture.at().call("memory__create_entities", entity("bowline"));
  expect(fatal(created.has_value()));
  auto read = co_await fixture.at().call("memory__read_graph", "{}");
  expect(fatal(read.has_value()));
  const json::value data = read->data().value();
  expect(fatal(data.at("entities").as_array().size() == 1_ul));
  expect(data.at("entities").at(0).at("name") == "bowline");
  auto unknown = co_await fixture.at().call("memory__add_observations",
                                            R"({"observations":[{"entityName":"Nobody","contents":["x"]}]})");
  expect(fatal(unknown.has_value()));
  expect(unknown->is_error() and contains(unknown->text(), "Entity with name Nobody not found")) << unknown->text();
  auto resource = co_await fixture.at().read_resource("memory", graph);
  expect(resource.has_value() and contains(resource->text(), "bowline"));
}

task<void> tells_updates(interop_fixture& fixture) {
  auto subscribed = co_await fixture.at().subscribe("memory", graph);
  expect(subscribed.has_value());
  const std::string created = co_await fixture.call("memory__create_entities", entity("sheet bend"));
  expect(fixture.told(kind::resource_updated, "memory", graph) == 1_ul) << created;
}

task<void> restarts(interop_fixture& fixture) {
  const std::string kept = co_await fixture.call("memory__create_entities", entity("reef knot"));
  auto subscribed = co_await fixture.at().subscribe("memory", graph);
  expect(subscribed.has_value()) << kept;
  const int before = fixture.of("memory").pid;
  const std::size_t times = fixture.sent("memory", "resources/subscribe");
  auto restarted = fixture.at().restart("memory");
  expect(restarted.has_value());
  const auto is_new = [&] {
    const server_status now = fixture.of("memory");
    return now.state == server_state::ready && now.pid != before &&
           fixture.sent("memory", "resources/subscribe") > times;
  };
  const bool seen = co_await fixture.until(is_new);
  expect(seen and fixture.of("memory").restarts == 1_ul);
  expect(testing::processes_with(fixture.token).size() == 1_ul);
  const std::string read = co_await fixture.call("memory__open_nodes", R"({"names":["reef knot"]})");
  expect(contains(read, "reef knot")) << read;
  const std::size_t told = fixture.told(kind::resource_updated, "memory", graph);
  const std::string created = co_await fixture.call("memory__create_entities", entity("clove hitch"));
  expect(fixture.told(kind::resource_updated, "memory", graph) == told + 1) << created;
}

const suite<"interop: memory"> tests = [] {
  interop_fixture fixture{{{.name = "memory", .script = interop::memory}}};
  "it has nine tools, each with an output schema, and no prompts"_test = [&] { fixture.run(has_tools); };
  "it remembers, and says what it does not know"_test = [&] { fixture.run(remembers); };
  "an update of its resource comes before the answer to the call that made it"_test = [&] {
    fixture.run(tells_updates);
  };
  "after a restart it is another process with the same rows, and the subscription is renewed"_test = [&] {
    fixture.run(restarts);
  };
  "no process of it is left"_test = [&] { fixture.stop(); };
};

}  // namespace memory_test
