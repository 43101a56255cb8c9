// SPDX-License-Identifier: MIT
// Reads the cases of tests/data/json: one per line, or as hexadecimal digits if the bytes cannot be in a text line.
#pragma once

#include <charconv>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "source_root.hpp"

namespace hawser::testing {

/// Every line that is neither blank nor a comment.
inline std::vector<std::string> corpus_lines(const std::string& file) {
  std::ifstream in{source_root() + "/tests/data/json/" + file, std::ios::binary};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  }
  if (lines.empty()) throw std::runtime_error{"no cases in " + file};
  return lines;
}

inline std::vector<std::string> corpus_bytes(const std::string& file) {
  std::vector<std::string> cases;
  for (const std::string& line : corpus_lines(file)) {
    std::string bytes;
    for (const char* p = line.data(); *p != '#';) {
      unsigned byte = 0;
      const auto read = std::from_chars(p, line.data() + line.size(), byte, 16);
      p = read.ptr + 1;
      if (read.ec == std::errc{}) bytes += static_cast<char>(byte);
    }
    cases.push_back(bytes);
  }
  return cases;
}

/// The text cases and the byte cases of that name together: "valid" or "invalid".
inline std::vector<std::string> corpus(const std::string& name) {
  std::vector<std::string> cases = corpus_lines(name + ".jsonl");
  for (std::string& bytes : corpus_bytes(name + "_bytes.hex")) cases.push_back(std::move(bytes));
  return cases;
}

struct envelope_case {
  std::string kind;
  std::string id;  // empty = none
  std::string message;
};

inline std::vector<envelope_case> corpus_envelopes() {
  std::vector<envelope_case> cases;
  for (const std::string& line : corpus_lines("envelopes.txt")) {
    const std::size_t kind_end = line.find(' ');
    // An id contains no space; the message begins after the next one.
    const std::size_t id_end = line.find(' ', kind_end + 1);
    const std::string id = line.substr(kind_end + 1, id_end - kind_end - 1);
    cases.push_back({line.substr(0, kind_end), id == "-" ? "" : id, line.substr(id_end + 1)});
  }
  return cases;
}

/// Every proper prefix of the text.
template <class F>
void for_each_truncation(std::string_view text, F f) {
  for (std::size_t size = 0; size < text.size(); ++size) f(std::string{text.substr(0, size)});
}

/// The text with each of its bytes replaced by each of the bytes that parsers often mishandle.
template <class F>
void for_each_bad_byte(std::string_view text, F f) {
  constexpr std::string_view nasty{"\0\n \"\\,:[]{}0-e.u\x1F\x80\xC0\xE2\xED\xF4\xFF", 23};
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed{text};
    for (const char byte : nasty) {
      changed[i] = byte;
      f(changed);
    }
  }
}

}  // namespace hawser::testing
