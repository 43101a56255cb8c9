// SPDX-License-Identifier: MIT
#include "detail/event_stream_source.hpp"

#include "../http/http_fields.hpp"

namespace hawser::detail {

task<result<client_response>> event_stream_source::open(std::string last_event, request_handle* handle) {
  const std::string fields = headers_.get_fields(last_event);
  const client_request request{.method = "GET",
                               .to = &url_,
                               .fields = fields,
                               .replayable = true,
                               .unlimited_silence = handle != nullptr,
                               .handle = handle};
  auto response = co_await client_.fetch(request, "the stream of events");
  if (!response) co_return response;
  const int status = response->head().status;
  if (status == 200 && has_media_type(response->head().fields, "text/event-stream")) co_return response;
  std::move(*response).discard_rest();
  const bool temporary = status >= 500 || status == 429;
  co_return error{.code = temporary ? errc::io : errc::protocol,
                  .what = "the server offers no stream of events here: status " + std::to_string(status),
                  .native = status};
}

}  // namespace hawser::detail
