// SPDX-License-Identifier: MIT
// The tools of all servers, read from any thread while servers come and go. Every change makes one new immutable table
// and one exchange of a pointer. No I/O, and no sessions: a row names its server by `server_id`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"
#include "reader.hpp"

namespace hawser {

/// A tool that is not in the table, and why.
struct refusal {
  enum class reason : std::uint8_t {
    duplicate,   ///< an earlier tool of the same list has the name
    taken,       ///< another server, or a native tool, has the name
    superseded,  ///< the whole list: a later generation of the server is there
  };
  reason why;
  std::string tool;     ///< by its server's word
  std::string exposed;  ///< the name it would have had
  std::string what;     ///< one sentence for people
};

/// Publishing belongs to one thread, the loop's; `table()`, `version()` and readers to any.
class registry {
 public:
  /// What a change did.
  struct outcome {
    std::uint64_t version = 0;        ///< of the table now current
    bool changed = false;             ///< it was published by this change
    bool relisted = false;            ///< a client that lists tools sees another list: names, texts or schemas
    std::size_t refused = 0;          ///< how many of the list's tools have no row
    std::vector<refusal> refusals{};  ///< the first hundred of them
  };

  /// Precondition: `checked(names)` found nothing; throws otherwise.
  explicit registry(naming names = {});
  registry(const registry&) = delete;
  registry& operator=(const registry&) = delete;
  ~registry();

  /// These are the server's tools now (not null); an empty server name makes them native ones. A newer generation of a
  /// slot takes the place of the older one in the same step. The same tools again publish nothing, so that prompt
  /// caches last.
  ///
  /// A name that somebody has is never taken from him: the newcomer's tool is refused, and waits. It gets its row as
  /// soon as a change leaves the name free; of several that wait for it the lowest slot comes first.
  outcome replace(server_id id, std::string_view server_name, std::shared_ptr<const tool_list> tools);
  /// The server's rows go; nothing happens if it, in this generation, is not there. A list that comes later is taken as
  /// new: who removes a server has ended what might still list its tools.
  outcome remove(server_id id);
  /// The rows stay, marked.
  outcome set_available(server_id id, availability state);

  /// Frees what no reader looks at any more; returns how many old tables are looked at still. Every change does it,
  /// too: a timer need call it only when changes are rare.
  std::size_t collect() { return board_->collect(); }

  /// Any thread: the current table, to keep.
  [[nodiscard]] table_ref table() const { return board_->hold_current(); }
  /// Any thread: a look that comes later sees this version or a later one.
  [[nodiscard]] std::uint64_t version() const noexcept { return board_->version(); }

 private:
  friend class reader;
  using rows = std::vector<const tool_row*>;
  struct entry {
    server_id id;
    availability state = availability::available;
    std::shared_ptr<const detail::server_rows> block{};
    rows waiting{};  // rows of the block whose names others have
  };

  bool change(entry& e, std::shared_ptr<const detail::server_rows> next);
  bool admit_waiting(std::unique_ptr<tool_table>& table);
  [[nodiscard]] outcome describe(const entry& e, bool changed, bool relisted) const;
  [[nodiscard]] entry* find(server_id id);

  naming names_;
  std::uint64_t seed_;                      // against servers that choose names which collide in the index
  std::map<std::uint32_t, entry> entries_;  // by slot
  std::size_t waiting_ = 0;                 // rows, in all entries
  std::shared_ptr<detail::board> board_;
};

}  // namespace hawser
