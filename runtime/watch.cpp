// SPDX-License-Identifier: MIT
#include "watch.hpp"

#include "detail/handle.hpp"
#include "detail/loop_core.hpp"

namespace hawser {

namespace detail {

struct watch_core final : timer {
  watch_core(loop& l, std::string f, std::string within, duration d)
      : home(l), file(std::move(f)), folder(std::move(within)), debounce(d) {}
  ~watch_core() { timer::cancel(); }

  loop& home;
  std::string file;    // its name within the watched folder
  std::string folder;  // the folder's own name: what the system says when the folder itself moves or goes
  duration debounce;
  owned<uv_fs_event_t> handle;
  wait_slot waiter;
  bool pending = false;  // a change that nobody has been told of
  int failure = 0;

  void on_event(const char* name, int status) noexcept {
    if (status < 0) {
      failure = status;
      on_expired();
      return;
    }
    if (name != nullptr && file != name && folder != name) return;
    timer::cancel();
    home.start(*this, debounce);
  }
  void on_expired() noexcept override {
    pending = true;
    waiter.wake();
  }
};

void watch_deleter::operator()(watch_core* core) const noexcept { delete core; }

}  // namespace detail

result<file_watch> file_watch::start(loop& home, const std::string& path, duration debounce) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  auto* core = new detail::watch_core{home, slash == std::string::npos ? path : path.substr(slash + 1),
                                      folder.substr(folder.rfind('/') + 1), debounce};
  file_watch made{core};
  core->handle.reset(new uv_fs_event_t{});
  uv_fs_event_init(detail::uv_of(home), core->handle.get());
  core->handle->data = core;
  // The folder, not the file: an atomic replacement puts another file under the name.
  const int status = uv_fs_event_start(
      core->handle.get(),
      [](uv_fs_event_t* handle, const char* name, int, int outcome) {
        if (handle->data != nullptr) static_cast<detail::watch_core*>(handle->data)->on_event(name, outcome);
      },
      folder.c_str(), 0);
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
