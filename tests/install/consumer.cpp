// SPDX-License-Identifier: MIT
// What a user's first program looks like; built by ./dev check install against the installed library and in a project
// that includes this one.
#include <hawser/runtime/process/keeper.hpp>

#include <cstdio>

using namespace hawser;

task<result<std::string>> first_words(keeper& k) {
  command hello{.program = "echo", .arguments = {"hello", "from", "an", "installed", "library"}};
  auto child = co_await k.spawn(std::move(hello));
  if (!child) co_return child.error();  // which program, which step, which PATH
  auto words = co_await child->output().read_some();
  result<std::string> said = words ? result<std::string>{std::string{*words}} : result<std::string>{words.error()};
  auto ended = co_await child->shutdown();  // stdin, SIGTERM, SIGKILL: to the whole tree
  if (!ended) co_return ended.error();
  co_return said;
}

task<result<std::string>> kept_words(loop& home) {
  keeper k{home};  // starts and watches all children of this loop
  auto said = co_await first_words(k);
  auto closed = co_await k.close();  // on every path: what is not ended in order ends the program, with a sentence
  if (!closed) co_return closed.error();
  co_return said;
}

int main() {
  loop home;
  const auto said = home.run(kept_words(home));
  std::fputs(said ? said->c_str() : said.error().what.c_str(), stdout);
}
