// SPDX-License-Identifier: MIT
#include "offload.hpp"

#include "detail/loop_core.hpp"

namespace hawser::detail {

struct pool_job::request {
  uv_work_t uv{};
  loop_core* event_loop;
  std::shared_ptr<pool_job> job;
};

void pool_job::submit(loop& event_loop, const std::shared_ptr<pool_job>& job) {
  auto* made = new request{.uv = {}, .event_loop = &event_loop.core(), .job = job};
  made->uv.data = made;
  job->request_ = made;
  const int status = uv_queue_work(
      uv_of(event_loop), &made->uv, [](uv_work_t* uv) { static_cast<request*>(uv->data)->job->work(); },
      [](uv_work_t* uv, int) {
        const std::unique_ptr<request> ended{static_cast<request*>(uv->data)};
        ended->job->request_ = nullptr;
        if (ended->job->done) ended->job->done();
        ended->event_loop->released();
      });
  require(status == 0, "libuv refused a job for its pool");  // it fails only for a null function
  event_loop.core().acquired();
}

void pool_job::give_up() noexcept {
  done = nullptr;
  if (request_ != nullptr) uv_cancel(reinterpret_cast<uv_req_t*>(&request_->uv));
}

}  // namespace hawser::detail
