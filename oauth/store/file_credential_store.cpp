// SPDX-License-Identifier: MIT
#include "file_credential_store.hpp"

#include <algorithm>
#include <cerrno>

#include "../../runtime/async/timeout.hpp"
#include "../../runtime/io/file_lock.hpp"
#include "../../runtime/loop/offload.hpp"
#include "credential_file.hpp"

namespace hawser {

namespace {

// Covers waiting for the lock and a slow disk. A save uses this bound and ignores stops.
constexpr duration max_save_time = std::chrono::seconds{60};

// The folder is created only if it does not exist.
task<result<file_lock>> lock_in_folder(std::string path, std::string lock_path, duration patience) {
  auto lock = co_await file_lock::acquire(lock_path, patience);
  if (lock || lock.error().native != -ENOENT) co_return lock;
  std::function<result<void>()> job = [path = std::move(path)] { return credential_file{path}.make_folder(); };
  auto made = co_await offload<void>(std::move(job));
  if (!made) co_return std::move(made).error();
  co_return co_await file_lock::acquire(std::move(lock_path), patience);
}

std::string refresh_lock_suffix(const login_key& key) {
  std::string all;
  for (const std::string* part : {&key.issuer, &key.resource, &key.client})
    all += std::to_string(part->size()) + ':' + *part;
  // Without a server, the name is the same as in version 0.2 and before.
  if (!key.server.empty()) all += std::to_string(key.server.size()) + ':' + key.server;
  const auto hash = sha256(all);
  return ".lead-" + base64url({reinterpret_cast<const char*>(hash.data()), 12});
}

}  // namespace

file_credential_store::file_credential_store(loop& home, std::string path, options o)
    : home_(home), path_(std::move(path)), options_(o) {}

file_credential_store::~file_credential_store() = default;

bool file_credential_store::apply_pending(credential_set& book, std::vector<pending_save>& these) {
  std::erase_if(these, [&](pending_save& one) {
    const auto now = book.find(one.what.key);
    auto tokens = now ? std::optional{now->tokens} : std::nullopt;
    if (!one.compared) one.over = tokens;
    one.compared = true;
    return tokens != one.over;
  });
  for (const pending_save& one : these) book.save(one.server_url, one.what);
  return !these.empty();
}

bool file_credential_store::is_in_memory() {
  if (path_.empty() && !memory_) {
    const error why{.code = errc::config,
                    .what =
                        "no file for logins is set (XDG_STATE_HOME or HOME for the command, hub_options::login_file "
                        "for a program)"};
    fall_back_to_memory(why, {});
  }
  return memory_ != nullptr;
}

void file_credential_store::fall_back_to_memory(const error& why, credential_set known) {
  if (memory_) return;
  apply_pending(known, pending_saves_);
  pending_saves_.clear();
  memory_ = std::make_unique<memory_credential_store>(std::move(known));
  home_.log().write(log_level::warning, "logins", why.what + "; logins are kept in memory and end with this program");
}

void file_credential_store::report_damage(const std::string& damage) {
  if (damage.empty() || std::exchange(damage_reported_, true)) return;
  home_.log().write(log_level::warning, "logins",
                    path_ + ": this file is damaged, " + damage + "; it is set aside as " + path_ +
                        ".corrupt, logins that could be verified are kept, others have to be made again");
}

task<result<credential_set>> file_credential_store::read_set() {
  std::function<result<credential_file::contents>()> job = [path = path_] { return credential_file{path}.read(); };
  auto seen = co_await offload<credential_file::contents>(std::move(job));
  if (!seen && (pending_saves_.empty() || seen.error().code != errc::io)) co_return std::move(seen).error();
  if (!seen) {  // a broken disk: logins not yet written are still available
    credential_set waiting;
    for (const pending_save& one : pending_saves_) waiting.save(one.server_url, one.what);
    co_return std::move(waiting);
  }
  if (!seen->damage.empty()) {
    // Repaired at once. If that fails, the verified entries are used anyway.
    edit nothing = [](credential_set&) { return false; };
    auto mended = co_await update(std::move(nothing));
    if (!mended && mended.error().code == errc::cancelled) co_return std::move(mended).error();
    report_damage(seen->damage);
  }
  apply_pending(seen->book, pending_saves_);
  co_return std::move(seen->book);
}

task<result<void>> file_credential_store::update(edit what) {
  auto turn = co_await update_semaphore_.acquire();
  if (!turn) co_return std::move(turn).error();
  if (is_in_memory()) {
    what(memory_->book());
    co_return result<void>{};
  }
  auto done = co_await update_file(what);
  if (done || !credential_file::is_permanent(done.error())) co_return done;
  std::function<result<credential_file::contents>()> job = [path = path_] { return credential_file{path}.read(); };
  auto seen = co_await offload<credential_file::contents>(std::move(job));
  if (!seen) co_return std::move(seen).error();
  fall_back_to_memory(done.error(), std::move(seen->book));
  what(memory_->book());
  co_return result<void>{};
}

task<result<void>> file_credential_store::update_file(edit what) {
  auto lock = co_await lock_in_folder(path_, credential_file{path_}.lock_path(), options_.file_lock_timeout);
  if (!lock) co_return std::move(lock).error();
  // The job owns the lock: it may continue after its caller has stopped waiting.
  auto held = std::make_shared<file_lock>(*std::move(lock));
  std::function<result<std::string>()> job = [held, path = path_, what = std::move(what), waiting = pending_saves_] {
    auto these = waiting;
    const auto all = [&](credential_set& book) {
      const bool changed = apply_pending(book, these);
      return what(book) || changed;
    };
    auto damage = credential_file{path}.update(all);
    held->release();
    return damage;
  };
  auto damage = co_await offload<std::string>(std::move(job));
  if (!damage) co_return std::move(damage).error();
  pending_saves_.clear();
  report_damage(*damage);
  co_return result<void>{};
}

template <class T>
task<result<T>> file_credential_store::query(std::function<T(const credential_set&)> question) {
  if (is_in_memory()) co_return question(memory_->book());
  auto book = co_await read_set();
  if (!book) co_return std::move(book).error();
  co_return question(*book);
}

task<result<std::optional<login>>> file_credential_store::find_for_server(std::string server_url) {
  std::function<std::optional<login>(const credential_set&)> question = [&](const credential_set& book) {
    return book.find_for_server(server_url);
  };
  co_return co_await query(std::move(question));
}

task<result<std::optional<login>>> file_credential_store::find(login_key key) {
  std::function<std::optional<login>(const credential_set&)> question = [&](const credential_set& book) {
    return book.find(key);
  };
  co_return co_await query(std::move(question));
}

task<result<void>> file_credential_store::save(std::string server_url, login what) {
  co_return co_await shield(max_save_time, save_uncancelled(std::move(server_url), std::move(what)));
}

task<result<void>> file_credential_store::save_uncancelled(std::string server_url, login what) {
  // Checked alone first: a login that can never be stored must not wait to be stored.
  credential_set alone;
  alone.save(server_url, what);
  if (auto possible = credential_file{path_}.check_storable(alone); !possible) co_return possible;
  edit saving = [server_url, what](credential_set& book) {
    book.save(server_url, what);
    return true;
  };
  auto saved = co_await update(std::move(saving));
  if (saved) co_return saved;
  add_pending({.server_url = std::move(server_url), .what = std::move(what)});
  ignore(co_await read_set(), "it says what the file has instead, now that nobody else can have renewed it");
  co_return saved;
}

void file_credential_store::add_pending(pending_save one) {
  for (pending_save& before : pending_saves_) {
    if (before.what.key != one.what.key || before.server_url != one.server_url) continue;
    before.what = std::move(one.what);
    return;
  }
  pending_saves_.push_back(std::move(one));
}

task<result<bool>> file_credential_store::remove(login_key key, std::optional<secret> only_if_refresh_is) {
  auto removed = std::make_shared<bool>(false);
  edit removing = [removed, key = std::move(key), refresh = std::move(only_if_refresh_is)](credential_set& book) {
    return *removed = book.remove(key, refresh);
  };
  auto done = co_await update(std::move(removing));
  if (!done) co_return std::move(done).error();
  co_return *removed;
}

task<result<std::vector<login>>> file_credential_store::forget(std::string server_url) {
  auto forgotten = std::make_shared<std::vector<login>>();
  edit forgetting = [forgotten, server_url = std::move(server_url)](credential_set& book) {
    const bool known = book.has_server(server_url);
    *forgotten = book.forget(server_url);
    return known;
  };
  auto done = co_await update(std::move(forgetting));
  if (!done) co_return std::move(done).error();
  co_return std::move(*forgotten);
}

task<result<std::optional<client_identity>>> file_credential_store::find_client(std::string issuer) {
  std::function<std::optional<client_identity>(const credential_set&)> question = [&](const credential_set& book) {
    return book.find_client(issuer);
  };
  co_return co_await query(std::move(question));
}

task<result<void>> file_credential_store::save_client(std::string issuer, client_identity who) {
  edit saving = [issuer = std::move(issuer), who = std::move(who)](credential_set& book) {
    book.save_client(issuer, who);
    return true;
  };
  co_return co_await update(std::move(saving));
}

task<result<void>> file_credential_store::remove_client(std::string issuer, std::string client_id) {
  edit forgetting = [issuer = std::move(issuer), client_id = std::move(client_id)](credential_set& book) {
    return book.remove_client(issuer, client_id);
  };
  co_return co_await update(std::move(forgetting));
}

task<result<std::vector<std::pair<std::string, login>>>> file_credential_store::all() {
  std::function<std::vector<std::pair<std::string, login>>(const credential_set&)> question =
      [](const credential_set& book) { return book.all(); };
  co_return co_await query(std::move(question));
}

task<result<credential_store::refresh_lock>> file_credential_store::acquire_refresh_lock(login_key key) {
  if (!is_in_memory()) {
    auto lock = co_await lock_in_folder(path_, path_ + refresh_lock_suffix(key), options_.refresh_lock_timeout);
    if (lock) {
      lock->remove_file_on_release();  // otherwise one lock file per login would remain
      co_return refresh_lock{std::make_shared<file_lock>(*std::move(lock))};
    }
    if (!credential_file::is_permanent(lock.error())) co_return std::move(lock).error();
    edit nothing = [](credential_set&) { return false; };
    ignore(co_await update(std::move(nothing)), "it finds out the same, and goes on in memory");
    if (!memory_) co_return std::move(lock).error();
  }
  co_return co_await memory_->acquire_refresh_lock(std::move(key));
}

}  // namespace hawser
