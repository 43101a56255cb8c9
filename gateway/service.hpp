// SPDX-License-Identifier: MIT
// What a serving_session serves: lists of raw JSON objects and handlers that take raw arguments and give raw results.
// A service knows nothing of revisions, eras or channels, and may stand behind several sessions at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../host/list_kind.hpp"
#include "../runtime/error.hpp"
#include "../runtime/task.hpp"

namespace hawser {

class serving_request;

/// JSON objects in a stable order. Shared, so that a long list is not copied for each of its pages.
using served_list = std::shared_ptr<const std::vector<std::string>>;

/// Who serves, and what it can do. Everything is JSON text of the newest revision; older ones get what they know.
struct service_card {
  std::string info;            ///< an object with `name`, `version` and whatever else serverInfo may have
  std::string instructions{};  ///< plain text, empty = none
  bool tools = true;
  bool resources = false;
  bool resource_updates = false;  ///< updated() is called for resources that somebody subscribed to
  bool prompts = false;
  bool completions = false;
  bool logging = false;
  bool lists_change = false;  ///< changed() is called
};

/// What a handler needs to know from the client first, in the words of the protocol.
struct input_request {
  std::string key;     ///< under which serving_request::answer() finds what came back
  std::string method;  ///< elicitation/create, sampling/createMessage or roots/list
  std::string params;  ///< an object
};

/// What a handler comes back with: a result, an object as JSON text; or questions. Then it is called again, with the
/// answers and the state: as one request goes over the wire more than once in the era without a handshake, nothing but
/// the state is carried from one call to the next.
struct served_reply {
  std::string result{};
  std::vector<input_request> questions{};
  std::string state{};  ///< any bytes; the client does not see them

  static served_reply with(std::string result) { return {.result = std::move(result)}; }
};

/// Hears of changes. Implemented by serving_session.
class service_listener {
 public:
  virtual void on_changed(list_kind what) = 0;
  virtual void on_updated(std::string_view uri) = 0;

 protected:
  ~service_listener() = default;
};

/// Handlers run in the session's scope, are stopped when the client cancels or is gone, and may wait for anything.
/// An error with errc::remote is sent as it is, with its `native` as code; errc::tool_unknown as -32602. Any other
/// error of call_tool() becomes a result with isError, which the model sees; of the others, an internal error. So does
/// an exception, which is logged as well.
class service {
 public:
  service() = default;
  service(const service&) = delete;
  service& operator=(const service&) = delete;
  virtual ~service();

  [[nodiscard]] virtual const service_card& card() const = 0;
  virtual task<result<served_list>> list(list_kind what) = 0;
  /// request.name() is the tool's.
  virtual task<result<served_reply>> call_tool(serving_request& request) = 0;
  /// request.name() is the URI.
  virtual task<result<served_reply>> read_resource(serving_request& request);
  /// request.name() is the prompt's.
  virtual task<result<served_reply>> get_prompt(serving_request& request);
  /// request.params() has `ref`, `argument` and perhaps `context`; the reply is the whole result.
  virtual task<result<served_reply>> complete(serving_request& request);

  void add_listener(service_listener& session);
  void remove_listener(service_listener& session) noexcept;

 protected:
  void changed(list_kind what) const;
  void updated(std::string_view uri) const;

 private:
  std::vector<service_listener*> listeners_;
};

/// For handlers: the parameters are not what the method wants (-32602).
error invalid_params(std::string what);
error no_such_resource(std::string_view uri);
/// A text of a client's as an error repeats it: its first 200 bytes, with a sign where something is missing.
std::string shortened(std::string_view text);
/// `{"content":[{"type":"text","text":…}]}`
std::string text_result(std::string_view text);
/// The same with isError: a failure that the model should read.
std::string failed_result(std::string_view text);

}  // namespace hawser
