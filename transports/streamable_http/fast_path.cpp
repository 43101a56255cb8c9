// SPDX-License-Identifier: MIT
#include "detail/fast_path.hpp"

#include <utility>

#include "../http/http_fields.hpp"

namespace hawser::detail {

namespace {

// A single JSON message in a body of known length, after which the connection can be reused.
bool is_fast_path_response(const http_head& head) noexcept {
  return head.status == 200 && head.length && head.keep_alive && has_media_type(head.fields, "application/json") &&
         !head.fields.find("Content-Encoding");
}

}  // namespace

bool fast_path::try_send(outbound_post& post) {
  if (parts_.client.needs_credentials()) {
    post.used_credentials = parts_.client.cached();
    if (!post.used_credentials) return false;
  }
  // The timeout of a POST is only for messages other than requests.
  post.started = parts_.connections.start(post.request_to(endpoint_, duration::zero()), post);
  if (post.started.connection != nullptr) return true;
  post.used_credentials.reset();  // the credentials may be others when the request is sent
  return false;
}

fast_path::progress fast_path::on_progress(outbound_post& post) noexcept {
  client_connection& connection = *post.started.connection;
  const bool usual = !connection.failed() && is_fast_path_response(connection.head()) &&
                     *connection.head().length <= max_message_ && !parts_.router.closed() && !post.handle.cancelled();
  if (usual && !connection.complete()) {
    parts_.unsent.mark_sent(post);  // the server has the request
    return progress::waiting;
  }
  std::shared_ptr<outbound_post> kept = post.shared_from_this();  // the receiver may drop every other reference
  if (!usual || !parts_.router.deliver_response(connection.body(), post)) {
    connection.watch(nullptr);
    return progress::unusual;
  }
  parts_.unsent.mark_sent(post);
  parts_.connections.done(std::exchange(post.started, {}), post.handle);
  parts_.posts.remove(post);
  parts_.posts.recycle(std::move(kept));
  return progress::delivered;
}

void fast_path::drop(outbound_post& post) noexcept {
  started_request started = std::exchange(post.started, {});
  if (started.connection == nullptr) return;
  const client_response abandoned{parts_.connections, std::move(started.connection), std::move(started.slot),
                                  &post.handle};
}

}  // namespace hawser::detail
