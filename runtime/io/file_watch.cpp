// SPDX-License-Identifier: MIT
#include "file_watch.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <optional>
#include <string_view>

#include "../loop/detail/handle.hpp"
#include "../loop/detail/loop_core.hpp"

namespace hawser {

namespace detail {

// A file that changes continuously is reported, too, after this multiple of the debounce time.
constexpr int max_debounce_factor = 10;
// How often to check whether a removed folder exists again.
constexpr duration folder_check_interval = std::chrono::seconds{1};

struct watch_core final : timer {
  watch_core(loop& l, std::string f, std::string within, duration d)
      : event_loop(l), file(std::move(f)), folder(std::move(within)), debounce(d) {}
  ~watch_core() { timer::cancel(); }

  loop& event_loop;
  std::string file;    // the file name within the watched folder
  std::string folder;  // the path of the folder
  duration debounce;
  unique_handle<uv_fs_event_t> handle;
  wait_slot waiter;
  std::optional<time_point> first;  // time of the first change since the last report
  bool folder_changed = false;      // renamed or removed: the watched inode is no longer the one at the path
  bool pending = false;             // a change that has not been reported
  int failure = 0;

  // Watches the folder, not the file: an atomic replacement puts a new inode under the name.
  int begin() noexcept {
    return uv_fs_event_start(
        handle.get(),
        [](uv_fs_event_t* of, const char* name, int, int outcome) {
          if (of->data != nullptr) static_cast<watch_core*>(of->data)->on_event(name, outcome);
        },
        folder.c_str(), 0);
  }

  // Events on the folder itself carry the base name of the path that was first used to watch it on this loop.
  [[nodiscard]] bool is_the_folder(std::string_view name) const noexcept {
    std::array<char, PATH_MAX> path;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    std::size_t size = path.size();
    if (uv_fs_event_getpath(handle.get(), path.data(), &size) != 0) return false;
    const std::string_view whole{path.data(), size};
    return name == whole.substr(whole.rfind('/') + 1);
  }

  void on_event(const char* name, int status) noexcept {
    if (status < 0) {
      failure = status;
      report_change();
      return;
    }
    const bool of_folder = name != nullptr && is_the_folder(name);
    folder_changed = folder_changed || of_folder;
    if (name != nullptr && file != name && !of_folder) return;
    if (!first) first = event_loop.now();
    timer::cancel();
    event_loop.start(*this, std::min(debounce, *first + max_debounce_factor * debounce - event_loop.now()));
  }

  void on_expired() noexcept override {
    const bool changed = first.has_value();
    first.reset();
    bool back = false;
    if (folder_changed) {
      uv_fs_event_stop(handle.get());
      back = begin() == 0;
      folder_changed = !back;
      if (!back) event_loop.start(*this, folder_check_interval);
    }
    if (changed || back) report_change();
  }

  void report_change() noexcept {
    pending = true;
    waiter.wake();
  }
};

void watch_deleter::operator()(watch_core* core) const noexcept { delete core; }

}  // namespace detail

result<file_watch> file_watch::start(loop& event_loop, const std::string& path, duration debounce) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  auto* core =
      new detail::watch_core{event_loop, slash == std::string::npos ? path : path.substr(slash + 1), folder, debounce};
  file_watch made{core};
  int made_handle = 0;
  core->handle = detail::make_handle<uv_fs_event_t>(event_loop, made_handle, uv_fs_event_init);
  if (!core->handle) return detail::from_uv(made_handle, "watch " + folder);
  core->handle->data = core;
  const int status = core->begin();
  if (status != 0) return detail::from_uv(status, "watch " + folder);
  return made;
}

file_watch::change_operation::change_operation(detail::watch_core& core) noexcept
    : slot_operation(core.waiter), core_(core) {}

bool file_watch::change_operation::await_ready() const noexcept { return core_.pending; }

result<void> file_watch::change_operation::await_resume() {
  if (std::exchange(core_.pending, false)) {
    if (core_.failure != 0) return detail::from_uv(core_.failure, "watch " + core_.file);
    return {};
  }
  return cancelled_error();
}

}  // namespace hawser
