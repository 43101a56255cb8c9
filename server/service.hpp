// SPDX-License-Identifier: MIT
// What a server_session serves: lists of raw JSON objects, and handlers from raw arguments to raw results. A service
// is independent of revisions, eras and channels, and may be shared by several sessions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../runtime/async/task.hpp"
#include "../runtime/error.hpp"
#include "../transports/jsonrpc/list_kind.hpp"

namespace hawser {

class request_context;

/// JSON objects in a stable order. Shared, so that a long list is not copied for each page.
using item_list = std::shared_ptr<const std::vector<std::string>>;

/// The server's info and capabilities. All JSON text is of the newest revision; it is adapted for older ones.
struct server_info {
  std::string info;            ///< an object with `name`, `version` and any other member of serverInfo
  std::string instructions{};  ///< plain text, empty = none
  bool tools = true;
  bool resources = false;
  bool resource_updates = false;  ///< updated() is called for subscribed resources
  bool prompts = false;
  bool completions = false;
  bool logging = false;
  bool lists_change = false;  ///< changed() is called
};

/// A request for input from the client that a handler needs to continue, in protocol terms.
struct input_request {
  std::string key;     ///< the key for request_context::answer()
  std::string method;  ///< elicitation/create, sampling/createMessage or roots/list
  std::string params;  ///< an object
};

/// What a handler returns: a result (a JSON object) or input requests. With input requests, the handler is called
/// again with the responses and the state. In the modern era each round is a separate request, so nothing except
/// `state` is kept from one call to the next.
struct service_result {
  std::string result{};
  std::vector<input_request> input_requests{};
  std::string state{};  ///< any bytes; not visible to the client

  static service_result complete(std::string result) { return {.result = std::move(result)}; }
};

/// Receives change notifications. Implemented by server_session.
class service_listener {
 public:
  virtual void on_list_changed(list_kind what) = 0;
  virtual void on_resource_updated(std::string_view uri) = 0;

 protected:
  ~service_listener() = default;
};

/// Handlers run in the session's scope, are stopped when the client cancels or disconnects, and may wait for
/// anything. Errors: errc::remote is sent as is, with `native` as the code; errc::tool_unknown is sent as -32602. Any
/// other error of call_tool() becomes a result with isError, which the model sees; of the other handlers, an internal
/// error. An exception is treated the same way and is logged.
class service {
 public:
  service() = default;
  service(const service&) = delete;
  service& operator=(const service&) = delete;
  virtual ~service();

  [[nodiscard]] virtual const server_info& info() const = 0;
  virtual task<result<item_list>> list(list_kind what) = 0;
  /// request.name() is the tool name.
  virtual task<result<service_result>> call_tool(request_context& request) = 0;
  /// request.name() is the URI.
  virtual task<result<service_result>> read_resource(request_context& request);
  /// request.name() is the prompt name.
  virtual task<result<service_result>> get_prompt(request_context& request);
  /// request.params() has `ref`, `argument` and possibly `context`; the reply is the complete result.
  virtual task<result<service_result>> complete(request_context& request);

  void add_listener(service_listener& session);
  void remove_listener(service_listener& session) noexcept;

 protected:
  void notify_list_changed(list_kind what) const;
  void notify_resource_updated(std::string_view uri) const;

 private:
  std::vector<service_listener*> listeners_;
};

/// For handlers: the parameters are invalid for the method (-32602).
error invalid_params(std::string what);
error no_such_resource(std::string_view uri);
/// Shortens client-supplied text for error messages: its first 200 bytes, with an ellipsis if something is cut off.
std::string shortened(std::string_view text);
/// `{"content":[{"type":"text","text":…}]}`
std::string text_result(std::string_view text);
/// The same with isError: a failure that the model should see.
std::string failed_result(std::string_view text);

}  // namespace hawser
