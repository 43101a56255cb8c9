// SPDX-License-Identifier: MIT
#include "tally.hpp"

namespace hawser::bench {

call_end call_end::of(const error& why) {
  call_end made{.how = kind::unreachable, .may_have_run = why.executed == execution::unknown, .text = why.what};
  switch (why.code) {
    case errc::cancelled: made.how = kind::given_up; break;
    case errc::timed_out: made.how = kind::timed_out; break;
    case errc::remote: made.how = kind::refused; break;
    case errc::protocol:
    case errc::parse:
    case errc::too_large: made.how = kind::malformed; break;
    default: break;
  }
  return made;
}

const char* to_string(call_end::kind how) noexcept {
  switch (how) {
    case call_end::kind::answered: return "answered";
    case call_end::kind::tool_error: return "the tool said isError";
    case call_end::kind::refused: return "the server answered with an error";
    case call_end::kind::timed_out: return "timed out";
    case call_end::kind::unreachable: return "the server was gone or out of reach";
    case call_end::kind::malformed: return "the answer was none";
    case call_end::kind::given_up: break;
  }
  return "given up by hawser-bench";
}

void tally::add(const call_end& one) {
  row& r = rows_[static_cast<std::size_t>(one.how)];
  if (r.count == 0) r.example = one.text;
  ++r.count;
  if (one.may_have_run) ++unknown_;
}

void tally::add(const tally& more) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].count == 0) rows_[i].example = more.rows_[i].example;
    rows_[i].count += more.rows_[i].count;
  }
  unknown_ += more.unknown_;
}

std::uint64_t tally::all() const noexcept {
  std::uint64_t sum = 0;
  for (const row& r : rows_) sum += r.count;
  return sum;
}

std::uint64_t tally::failed() const noexcept { return all() - answered() - of(call_end::kind::given_up).count; }

}  // namespace hawser::bench
