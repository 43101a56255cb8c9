// SPDX-License-Identifier: MIT
#include "file_token_store.hpp"

#include <algorithm>
#include <cerrno>

#include "../runtime/file_lock.hpp"
#include "../runtime/offload.hpp"
#include "../runtime/timeout.hpp"
#include "token_file.hpp"

namespace hawser {

namespace {

// Covers waiting for the lock and a slow disk. A save uses this bound and ignores stops.
constexpr duration longest_save = std::chrono::seconds{60};

// The folder is created only if it does not exist.
task<result<file_lock>> lock_in_folder(std::string path, std::string lock_path, duration patience) {
  auto lock = co_await file_lock::acquire(lock_path, patience);
  if (lock || lock.error().native != -ENOENT) co_return lock;
  std::function<result<void>()> job = [path = std::move(path)] { return token_file{path}.make_folder(); };
  auto made = co_await offload<void>(std::move(job));
  if (!made) co_return std::move(made).error();
  co_return co_await file_lock::acquire(std::move(lock_path), patience);
}

std::string lead_suffix(const login_key& key) {
  std::string all;
  for (const std::string* part : {&key.issuer, &key.resource, &key.client})
    all += std::to_string(part->size()) + ':' + *part;
  // Without a server, the name is the same as in version 0.2 and before.
  if (!key.server.empty()) all += std::to_string(key.server.size()) + ':' + key.server;
  const auto hash = sha256(all);
  return ".lead-" + base64url({reinterpret_cast<const char*>(hash.data()), 12});
}

}  // namespace

file_token_store::file_token_store(loop& home, std::string path, options o)
    : home_(home), path_(std::move(path)), options_(o) {}

file_token_store::~file_token_store() = default;

bool file_token_store::put_into(token_book& book, std::vector<unsaved>& these) {
  std::erase_if(these, [&](unsaved& one) {
    const auto now = book.find(one.what.key);
    auto tokens = now ? std::optional{now->tokens} : std::nullopt;
    if (!one.compared) one.over = tokens;
    one.compared = true;
    return tokens != one.over;
  });
  for (const unsaved& one : these) book.save(one.server_url, one.what);
  return !these.empty();
}

bool file_token_store::in_memory() {
  if (path_.empty() && !memory_) {
    const error why{.code = errc::config,
                    .what =
                        "no file for logins is set (XDG_STATE_HOME or HOME for the command, hub_options::login_file "
                        "for a program)"};
    go_on_in_memory(why, {});
  }
  return memory_ != nullptr;
}

void file_token_store::go_on_in_memory(const error& why, token_book known) {
  if (memory_) return;
  put_into(known, unsaved_);
  unsaved_.clear();
  memory_ = std::make_unique<memory_token_store>(std::move(known));
  home_.log().write(log_level::warning, "logins", why.what + "; logins are kept in memory and end with this program");
}

void file_token_store::tell_of_damage(const std::string& damage) {
  if (damage.empty() || std::exchange(told_of_damage_, true)) return;
  home_.log().write(log_level::warning, "logins",
                    path_ + ": this file is damaged, " + damage + "; it is set aside as " + path_ +
                        ".corrupt, logins that could be verified are kept, others have to be made again");
}

task<result<token_book>> file_token_store::look() {
  std::function<result<token_file::sight>()> job = [path = path_] { return token_file{path}.look(); };
  auto seen = co_await offload<token_file::sight>(std::move(job));
  if (!seen && (unsaved_.empty() || seen.error().code != errc::io)) co_return std::move(seen).error();
  if (!seen) {  // a broken disk: logins not yet written are still available
    token_book waiting;
    for (const unsaved& one : unsaved_) waiting.save(one.server_url, one.what);
    co_return std::move(waiting);
  }
  if (!seen->damage.empty()) {
    // Repaired at once. If that fails, the verified entries are used anyway.
    edit nothing = [](token_book&) { return false; };
    auto mended = co_await change(std::move(nothing));
    if (!mended && mended.error().code == errc::cancelled) co_return std::move(mended).error();
    tell_of_damage(seen->damage);
  }
  put_into(seen->book, unsaved_);
  co_return std::move(seen->book);
}

task<result<void>> file_token_store::change(edit what) {
  auto turn = co_await turn_.acquire();
  if (!turn) co_return std::move(turn).error();
  if (in_memory()) {
    what(memory_->book());
    co_return result<void>{};
  }
  auto done = co_await change_file(what);
  if (done || !token_file::hopeless(done.error())) co_return done;
  std::function<result<token_file::sight>()> job = [path = path_] { return token_file{path}.look(); };
  auto seen = co_await offload<token_file::sight>(std::move(job));
  if (!seen) co_return std::move(seen).error();
  go_on_in_memory(done.error(), std::move(seen->book));
  what(memory_->book());
  co_return result<void>{};
}

task<result<void>> file_token_store::change_file(edit what) {
  auto lock = co_await lock_in_folder(path_, token_file{path_}.lock_path(), options_.lock_patience);
  if (!lock) co_return std::move(lock).error();
  // The job owns the lock: it may continue after its caller has stopped waiting.
  auto held = std::make_shared<file_lock>(*std::move(lock));
  std::function<result<std::string>()> job = [held, path = path_, what = std::move(what), waiting = unsaved_] {
    auto these = waiting;
    const auto all = [&](token_book& book) {
      const bool changed = put_into(book, these);
      return what(book) || changed;
    };
    auto damage = token_file{path}.change(all);
    held->release();
    return damage;
  };
  auto damage = co_await offload<std::string>(std::move(job));
  if (!damage) co_return std::move(damage).error();
  unsaved_.clear();
  tell_of_damage(*damage);
  co_return result<void>{};
}

template <class T>
task<result<T>> file_token_store::ask(std::function<T(const token_book&)> question) {
  if (in_memory()) co_return question(memory_->book());
  auto book = co_await look();
  if (!book) co_return std::move(book).error();
  co_return question(*book);
}

task<result<std::optional<login>>> file_token_store::of_server(std::string server_url) {
  std::function<std::optional<login>(const token_book&)> question = [&](const token_book& book) {
    return book.of_server(server_url);
  };
  co_return co_await ask(std::move(question));
}

task<result<std::optional<login>>> file_token_store::find(login_key key) {
  std::function<std::optional<login>(const token_book&)> question = [&](const token_book& book) {
    return book.find(key);
  };
  co_return co_await ask(std::move(question));
}

task<result<void>> file_token_store::save(std::string server_url, login what) {
  co_return co_await shield(longest_save, save_for_good(std::move(server_url), std::move(what)));
}

task<result<void>> file_token_store::save_for_good(std::string server_url, login what) {
  // Checked alone first: a login that can never be stored must not wait to be stored.
  token_book alone;
  alone.save(server_url, what);
  if (auto possible = token_file{path_}.check(alone); !possible) co_return possible;
  edit saving = [server_url, what](token_book& book) {
    book.save(server_url, what);
    return true;
  };
  auto saved = co_await change(std::move(saving));
  if (saved) co_return saved;
  keep_unsaved({.server_url = std::move(server_url), .what = std::move(what)});
  ignore(co_await look(), "it says what the file has instead, now that nobody else can have renewed it");
  co_return saved;
}

void file_token_store::keep_unsaved(unsaved one) {
  for (unsaved& before : unsaved_) {
    if (before.what.key != one.what.key || before.server_url != one.server_url) continue;
    before.what = std::move(one.what);
    return;
  }
  unsaved_.push_back(std::move(one));
}

task<result<bool>> file_token_store::remove(login_key key, std::optional<secret> only_if_refresh_is) {
  auto removed = std::make_shared<bool>(false);
  edit removing = [removed, key = std::move(key), refresh = std::move(only_if_refresh_is)](token_book& book) {
    return *removed = book.remove(key, refresh);
  };
  auto done = co_await change(std::move(removing));
  if (!done) co_return std::move(done).error();
  co_return *removed;
}

task<result<std::vector<login>>> file_token_store::forget(std::string server_url) {
  auto forgotten = std::make_shared<std::vector<login>>();
  edit forgetting = [forgotten, server_url = std::move(server_url)](token_book& book) {
    const bool known = book.knows(server_url);
    *forgotten = book.forget(server_url);
    return known;
  };
  auto done = co_await change(std::move(forgetting));
  if (!done) co_return std::move(done).error();
  co_return std::move(*forgotten);
}

task<result<std::optional<client_identity>>> file_token_store::client_of(std::string issuer) {
  std::function<std::optional<client_identity>(const token_book&)> question = [&](const token_book& book) {
    return book.client_of(issuer);
  };
  co_return co_await ask(std::move(question));
}

task<result<void>> file_token_store::save_client(std::string issuer, client_identity who) {
  edit saving = [issuer = std::move(issuer), who = std::move(who)](token_book& book) {
    book.save_client(issuer, who);
    return true;
  };
  co_return co_await change(std::move(saving));
}

task<result<void>> file_token_store::forget_client(std::string issuer, std::string client_id) {
  edit forgetting = [issuer = std::move(issuer), client_id = std::move(client_id)](token_book& book) {
    return book.forget_client(issuer, client_id);
  };
  co_return co_await change(std::move(forgetting));
}

task<result<std::vector<std::pair<std::string, login>>>> file_token_store::all() {
  std::function<std::vector<std::pair<std::string, login>>(const token_book&)> question = [](const token_book& book) {
    return book.all();
  };
  co_return co_await ask(std::move(question));
}

task<result<token_store::lead>> file_token_store::take_lead(login_key key) {
  if (!in_memory()) {
    auto lock = co_await lock_in_folder(path_, path_ + lead_suffix(key), options_.lead_patience);
    if (lock) {
      lock->remove_file_on_release();  // otherwise one lock file per login would remain
      co_return lead{std::make_shared<file_lock>(*std::move(lock))};
    }
    if (!token_file::hopeless(lock.error())) co_return std::move(lock).error();
    edit nothing = [](token_book&) { return false; };
    ignore(co_await change(std::move(nothing)), "it finds out the same, and goes on in memory");
    if (!memory_) co_return std::move(lock).error();
  }
  co_return co_await memory_->take_lead(std::move(key));
}

}  // namespace hawser
