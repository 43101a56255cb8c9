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

file_credential_store::file_credential_store(loop& event_loop, std::string path, options store_options)
    : event_loop_(event_loop), path_(std::move(path)), options_(store_options) {}

file_credential_store::~file_credential_store() = default;

bool file_credential_store::apply_pending(credential_set& contents, std::vector<pending_save>& pending) {
  std::erase_if(pending, [&](pending_save& save) {
    const auto written = contents.find(save.entry.key);
    auto tokens = written ? std::optional{written->tokens} : std::nullopt;
    if (!save.compared) save.replaced = tokens;
    save.compared = true;
    return tokens != save.replaced;
  });
  for (const pending_save& save : pending) contents.save(save.server_url, save.entry);
  return !pending.empty();
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

void file_credential_store::fall_back_to_memory(const error& why, credential_set contents) {
  if (memory_) return;
  apply_pending(contents, pending_saves_);
  pending_saves_.clear();
  memory_ = std::make_unique<memory_credential_store>(std::move(contents));
  event_loop_.log().write(log_level::warning, "logins",
                          why.what + "; logins are kept in memory and end with this program");
}

void file_credential_store::report_damage(const std::string& damage) {
  if (damage.empty() || std::exchange(damage_reported_, true)) return;
  event_loop_.log().write(log_level::warning, "logins",
                          path_ + ": this file is damaged, " + damage + "; it is set aside as " + path_ +
                              ".corrupt, logins that could be verified are kept, others have to be made again");
}

task<result<credential_set>> file_credential_store::read_set() {
  std::function<result<parsed_credential_set>()> job = [path = path_] { return credential_file{path}.read(); };
  auto parsed = co_await offload<parsed_credential_set>(std::move(job));
  if (!parsed && (pending_saves_.empty() || parsed.error().code != errc::io)) co_return std::move(parsed).error();
  if (!parsed) {  // a broken disk: logins not yet written are still available
    credential_set waiting;
    for (const pending_save& save : pending_saves_) waiting.save(save.server_url, save.entry);
    co_return std::move(waiting);
  }
  if (!parsed->damage.empty()) {
    // Repaired at once. If that fails, the verified entries are used anyway.
    edit nothing = [](credential_set&) { return false; };
    auto mended = co_await update(std::move(nothing));
    if (!mended && mended.error().code == errc::cancelled) co_return std::move(mended).error();
    report_damage(parsed->damage);
  }
  apply_pending(parsed->contents, pending_saves_);
  co_return std::move(parsed->contents);
}

task<result<void>> file_credential_store::update(edit change) {
  auto turn = co_await update_semaphore_.acquire();
  if (!turn) co_return std::move(turn).error();
  if (is_in_memory()) {
    change(memory_->contents());
    co_return result<void>{};
  }
  auto done = co_await update_file(change);
  if (done || !credential_file::is_permanent(done.error())) co_return done;
  std::function<result<parsed_credential_set>()> job = [path = path_] { return credential_file{path}.read(); };
  auto parsed = co_await offload<parsed_credential_set>(std::move(job));
  if (!parsed) co_return std::move(parsed).error();
  fall_back_to_memory(done.error(), std::move(parsed->contents));
  change(memory_->contents());
  co_return result<void>{};
}

task<result<void>> file_credential_store::update_file(edit change) {
  auto lock = co_await lock_in_folder(path_, credential_file{path_}.lock_path(), options_.file_lock_timeout);
  if (!lock) co_return std::move(lock).error();
  // The job owns the lock: it may continue after its caller has stopped waiting.
  auto held = std::make_shared<file_lock>(*std::move(lock));
  std::function<result<std::string>()> job = [held, path = path_, change = std::move(change),
                                              waiting = pending_saves_] {
    auto pending = waiting;
    const auto all = [&](credential_set& contents) {
      const bool changed = apply_pending(contents, pending);
      return change(contents) || changed;
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
  if (is_in_memory()) co_return question(memory_->contents());
  auto contents = co_await read_set();
  if (!contents) co_return std::move(contents).error();
  co_return question(*contents);
}

task<result<std::optional<login>>> file_credential_store::find_for_server(std::string server_url) {
  std::function<std::optional<login>(const credential_set&)> question = [&](const credential_set& contents) {
    return contents.find_for_server(server_url);
  };
  co_return co_await query(std::move(question));
}

task<result<std::optional<login>>> file_credential_store::find(login_key key) {
  std::function<std::optional<login>(const credential_set&)> question = [&](const credential_set& contents) {
    return contents.find(key);
  };
  co_return co_await query(std::move(question));
}

task<result<void>> file_credential_store::save(std::string server_url, login entry) {
  co_return co_await shield(max_save_time, save_uncancelled(std::move(server_url), std::move(entry)));
}

task<result<void>> file_credential_store::save_uncancelled(std::string server_url, login entry) {
  // Checked alone first: a login that can never be stored must not wait to be stored.
  credential_set alone;
  alone.save(server_url, entry);
  if (auto possible = credential_file{path_}.check_storable(alone); !possible) co_return possible;
  edit saving = [server_url, entry](credential_set& contents) {
    contents.save(server_url, entry);
    return true;
  };
  auto saved = co_await update(std::move(saving));
  if (saved) co_return saved;
  add_pending({.server_url = std::move(server_url), .entry = std::move(entry)});
  ignore(co_await read_set(), "it says what the file has instead, now that nobody else can have renewed it");
  co_return saved;
}

void file_credential_store::add_pending(pending_save save) {
  for (pending_save& earlier : pending_saves_) {
    if (earlier.entry.key != save.entry.key || earlier.server_url != save.server_url) continue;
    earlier.entry = std::move(save.entry);
    return;
  }
  pending_saves_.push_back(std::move(save));
}

task<result<bool>> file_credential_store::remove(login_key key, std::optional<secret> only_if_refresh_is) {
  auto removed = std::make_shared<bool>(false);
  edit removing = [removed, key = std::move(key), refresh = std::move(only_if_refresh_is)](credential_set& contents) {
    return *removed = contents.remove(key, refresh);
  };
  auto done = co_await update(std::move(removing));
  if (!done) co_return std::move(done).error();
  co_return *removed;
}

task<result<std::vector<login>>> file_credential_store::forget(std::string server_url) {
  auto forgotten = std::make_shared<std::vector<login>>();
  edit forgetting = [forgotten, server_url = std::move(server_url)](credential_set& contents) {
    const bool known = contents.has_server(server_url);
    *forgotten = contents.forget(server_url);
    return known;
  };
  auto done = co_await update(std::move(forgetting));
  if (!done) co_return std::move(done).error();
  co_return std::move(*forgotten);
}

task<result<std::optional<client_identity>>> file_credential_store::find_client(std::string issuer) {
  std::function<std::optional<client_identity>(const credential_set&)> question = [&](const credential_set& contents) {
    return contents.find_client(issuer);
  };
  co_return co_await query(std::move(question));
}

task<result<void>> file_credential_store::save_client(std::string issuer, client_identity client) {
  edit saving = [issuer = std::move(issuer), client = std::move(client)](credential_set& contents) {
    contents.save_client(issuer, client);
    return true;
  };
  co_return co_await update(std::move(saving));
}

task<result<void>> file_credential_store::remove_client(std::string issuer, std::string client_id) {
  edit forgetting = [issuer = std::move(issuer), client_id = std::move(client_id)](credential_set& contents) {
    return contents.remove_client(issuer, client_id);
  };
  co_return co_await update(std::move(forgetting));
}

task<result<std::vector<std::pair<std::string, login>>>> file_credential_store::all() {
  std::function<std::vector<std::pair<std::string, login>>(const credential_set&)> question =
      [](const credential_set& contents) { return contents.all(); };
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

std::string default_store_path(const std::function<std::optional<std::string>(std::string_view)>& variable) {
  const auto folder = [&](std::string_view name) {
    auto value = variable(name);
    return value && value->starts_with('/') ? *std::move(value) : std::string{};
  };
  if (const std::string state = folder("XDG_STATE_HOME"); !state.empty()) return state + "/hawser/auth.json";
  if (const std::string home = folder("HOME"); !home.empty()) return home + "/.local/state/hawser/auth.json";
  return {};
}

}  // namespace hawser
