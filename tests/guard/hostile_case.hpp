// SPDX-License-Identifier: MIT
// The guard: a hostile process of its own against a live loop in a fresh process, measured event by event. A case holds
// when no event of the loop costs more thread CPU time than its bytes allow, twice the input costs at most 2.5 times as
// much, and memory stays below twice the cap that is documented for the input.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../../runtime/io/stream.hpp"
#include "../../runtime/loop/loop.hpp"
#include "hostile_side.hpp"

namespace hawser::testing {

/// What the measured process has to work with.
class victim_side {
 public:
  victim_side(loop& l, std::size_t size, std::string handover, int control, int input, int output)
      : home(l), size(size), handover(std::move(handover)), input(input), output(output), control_(control) {}

  /// The port on which the hostile side serves HTTP; it is ready then.
  [[nodiscard]] std::uint16_t hostile_port() const;
  /// Where the victim serves; the hostile side begins then.
  void serves_at(std::uint16_t port) const;
  /// Until the hostile process has ended.
  task<void> hostile_ended();

  loop& home;
  const std::size_t size;
  const std::string handover;  ///< the argument of fixture_handover
  const int input;             ///< a pipe from the hostile side …
  const int output;            ///< … and one to it

 private:
  int control_;
};

struct hostile_case {
  /// What the victim does; a text says what did not go as it should.
  task<std::string> (*victim)(victim_side&);
  void (*hostile)(hostile_side&) = nullptr;
  /// How much is sent; then twice as much.
  std::size_t size;
  /// Bytes of the largest single message of an input of this size, where messages grow with it.
  std::size_t (*message)(std::size_t size) = [](std::size_t) { return std::size_t{0}; };
  /// What the victim may hold, by the limits that are documented.
  std::size_t cap = std::size_t{16} << 20;
};

/// Measures, at most four times, and fails the test that it is called from.
void check_cost(const hostile_case& attack);

inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

}  // namespace hawser::testing
