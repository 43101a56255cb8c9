// SPDX-License-Identifier: MIT
// server-filesystem: all of its tools have an output schema, and the roots of the host say where it may go.
#include <boost/json/parse.hpp>
#include <fstream>

#include "../support/contains.hpp"
#include "../support/interop_fixture.hpp"

namespace filesystem_test {

using namespace hawser;
using testing::contains;
using testing::interop_fixture;
namespace interop = testing::interop;
namespace json = boost::json;

std::string with_path(const std::string& path, const std::string& more = {}) {
  return R"({"path":")" + path + '"' + more + '}';
}

std::string new_folder(const interop_fixture& fixture, const std::string& name) {
  std::string path = fixture.folder / name;
  std::filesystem::create_directory(path);
  return path;
}

task<void> has_tools(interop_fixture& fixture) {
  const server_status now = fixture.of("files");
  expect(now.negotiated.revision == "2025-11-25" and now.negotiated.server.name == "secure-filesystem-server");
  expect(now.tools == 14_ul);
  const table_ref table = fixture.at().tools();
  for (const tool_row* row : *table) expect(!row->definition->output_schema.empty()) << row->name;
  expect(table->find("files__read_text_file")->definition->hints.is_read_only());
  expect(!table->find("files__write_file")->definition->hints.is_read_only());
  auto resources = co_await fixture.at().list("files", list_kind::resources);
  expect(resources.has_value() and resources->empty()) << "a server without resources has an empty list of them";
  expect(fixture.sent("files", "resources/list") == 0_ul);
}

// It takes some time to look at new roots, and does not say when it has done so.
task<std::string> allowed_once_it_has(interop_fixture& fixture, std::string path) {
  std::string allowed;
  for (int tries = 0; tries < 5000 && !contains(allowed, path); ++tries)
    allowed = co_await fixture.call("files__list_allowed_directories");
  co_return allowed;
}

task<void> follows_roots(interop_fixture& fixture) {
  const std::string first = co_await allowed_once_it_has(fixture, fixture.folder / "first");
  expect(first == "Allowed directories:\n" + fixture.folder / "first") << first;
  expect(fixture.user.looks.size() == 1_ul);
  fixture.user.roots.push_back({.uri = "file://" + new_folder(fixture, "second")});
  auto notified = fixture.at().notify("files", "notifications/roots/list_changed");
  expect(notified.has_value());
  const std::string both = co_await allowed_once_it_has(fixture, fixture.folder / "second");
  expect(contains(both, fixture.folder / "first") and contains(both, fixture.folder / "second")) << both;
  expect(fixture.user.looks.size() == 2_ul);
}

task<void> reads_and_writes(interop_fixture& fixture) {
  const std::string allowed = co_await allowed_once_it_has(fixture, fixture.folder / "first");
  expect(contains(allowed, "first")) << allowed;
  const std::string file = fixture.folder / "first/a.txt";
  const std::string written = co_await fixture.call("files__write_file", with_path(file, R"(,"content":"one\ntwo\n")"));
  expect(contains(written, "Successfully wrote")) << written;
  std::ifstream there{file};
  const std::string bytes{std::istreambuf_iterator<char>{there}, {}};
  expect(bytes == "one\ntwo\n") << bytes;
  auto read = co_await fixture.at().call("files__read_text_file", with_path(file, R"(,"head":1)"));
  expect(fatal(read.has_value()));
  expect(read->text() == "one" and read->data().value() == json::parse(R"({"content":"one"})")) << read->text();
  auto outside = co_await fixture.at().call("files__read_text_file", with_path("/etc/hostname"));
  expect(fatal(outside.has_value()));
  expect(outside->is_error() and contains(outside->text(), "Access denied")) << outside->text();
}

// It ends with 1 before it answers, the question for its era and then the handshake.
task<void> cannot_start(interop_fixture& fixture) {
  stdio_settings child =
      std::get<stdio_settings>(settings_of({"lost", interop::filesystem}, fixture.token, fixture.folder)->transport);
  child.args.back() = fixture.folder / "nowhere";
  server_settings lost{.name = "lost", .transport = std::move(child), .restart = restart_policy::never};
  auto added = fixture.at().add_server(std::move(lost));
  expect(added.has_value());
  const auto failed = [&] { return fixture.of("lost").state == server_state::failed; };
  const bool seen = co_await fixture.until(failed);
  expect(seen);
  const server_status now = fixture.of("lost");
  expect(contains(now.reason, "exited with 1") and contains(now.reason, "Error: None of the specified directories"))
      << now.reason;
  expect(!now.advice.empty() and now.pid == 0_i);
  auto removed = co_await fixture.at().remove_server("lost");
  expect(removed.has_value() and !fixture.at().status("lost").has_value());
}

const suite<"interop: filesystem"> tests = [] {
  interop_fixture fixture{{{.name = "files", .script = interop::filesystem}}};
  fixture.user.roots = {{.uri = "file://" + new_folder(fixture, "first")}};
  "S093 it has fourteen tools, each with an output schema"_test = [&] { fixture.run(has_tools); };
  "the roots replace the folders of its command line"_test = [&] { fixture.run(follows_roots); };
  "it reads and writes where it may, and nowhere else"_test = [&] { fixture.run(reads_and_writes); };
  "A04 with a folder that does not exist it ends at once, and the reason says what it wrote"_test = [&] {
    fixture.run(cannot_start);
  };
  "no process of it is left"_test = [&] { fixture.stop(); };
};

}  // namespace filesystem_test
