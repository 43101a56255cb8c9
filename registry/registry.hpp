// SPDX-License-Identifier: MIT
// The tools of all servers, readable from any thread while servers come and go. Every change builds one new immutable
// table and exchanges one pointer. No I/O and no sessions: a row refers to its server by `server_id`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exposed_name.hpp"
#include "reader.hpp"

namespace hawser {

/// A tool that is not in the table, and the reason.
struct refusal {
  enum class reason : std::uint8_t {
    duplicate,   ///< an earlier tool of the same list has the name
    taken,       ///< another server or a native tool has the name
    superseded,  ///< applies to the whole list: a later generation of the server has already listed its tools
  };
  reason why;
  std::string tool;     ///< the name given by its server
  std::string exposed;  ///< the exposed name it would have had
  std::string what;     ///< a sentence for the user
};

/// Changes are made on one thread, the loop thread. `table()`, `version()` and readers work on any thread.
class registry {
 public:
  /// The result of a change.
  struct outcome {
    std::uint64_t version = 0;        ///< of the current table
    bool changed = false;             ///< whether this change published a table
    bool listing_changed = false;     ///< whether the listing that clients see has changed: names, texts or schemas
    std::size_t refused = 0;          ///< how many tools of the list have no row
    std::vector<refusal> refusals{};  ///< the first hundred of them
  };

  /// Precondition: `validate_naming(names)` succeeds; throws otherwise.
  explicit registry(naming_options names = {});
  registry(const registry&) = delete;
  registry& operator=(const registry&) = delete;
  ~registry();

  /// Sets the tools of a server (not null); an empty server name means native tools. A newer generation of a slot
  /// replaces the older one in the same step. An unchanged list publishes nothing, so that prompt caches stay valid.
  ///
  /// A name in use is never reassigned: the new tool is refused and waits. It gets its row as soon as a change frees
  /// the name; if several tools wait for it, the lowest slot gets it.
  outcome replace(server_id id, std::string_view server_name, std::shared_ptr<const tool_list> tools);
  /// Removes the server's rows. No effect if this generation of the server is not present. A later list of the server
  /// is treated as new: the caller must have ended everything that could still list its tools.
  outcome remove(server_id id);
  /// Keeps the rows, marked with `state`.
  outcome set_available(server_id id, availability state);

  /// Frees old tables that no reader uses; returns how many are still in use. Every change does this as well, so a
  /// timer is needed only if changes are rare.
  std::size_t collect() { return publisher_->collect(); }

  /// Any thread: a counted reference to the current table.
  [[nodiscard]] table_ref table() const { return publisher_->hold_current(); }
  /// Any thread: a later access sees this version or a newer one.
  [[nodiscard]] std::uint64_t version() const noexcept { return publisher_->version(); }

 private:
  friend class reader;
  using rows = std::vector<const tool_row*>;
  struct entry {
    server_id id;
    availability state = availability::available;
    std::shared_ptr<const detail::server_rows> block{};
    rows waiting{};  // rows of the block whose names are taken by others
  };

  bool change(entry& e, std::shared_ptr<const detail::server_rows> next);
  bool admit_waiting(std::unique_ptr<tool_table>& table);
  [[nodiscard]] outcome describe(const entry& e, bool changed, bool listing_changed) const;
  [[nodiscard]] entry* find(server_id id);

  naming_options names_;
  std::uint64_t seed_;                      // protects the index against servers that choose colliding names
  std::map<std::uint32_t, entry> entries_;  // by slot
  std::size_t waiting_ = 0;                 // the total number of waiting rows
  std::shared_ptr<detail::table_publisher> publisher_;
};

}  // namespace hawser
