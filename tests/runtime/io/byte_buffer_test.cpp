// SPDX-License-Identifier: MIT
#include "../../../runtime/io/byte_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "../../support/ut.hpp"

namespace byte_buffer_test {

using namespace hawser;

void append(byte_buffer& buffer, const std::string& bytes) {
  const auto room = buffer.reserve(bytes.size());
  expect(room.size >= bytes.size());
  std::memcpy(room.at, bytes.data(), bytes.size());
  buffer.commit(bytes.size());
}

std::string random_text(std::mt19937& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

const suite<"byte_buffer"> tests = [] {
  "a new buffer is empty and owns nothing"_test = [] {
    byte_buffer buffer;
    expect(buffer.empty() && buffer.size() == 0_ul && buffer.capacity() == 0_ul && buffer.view().empty());
    buffer.consume(0);
    expect(buffer.empty());
  };

  "bytes leave in the order they came"_test = [] {
    byte_buffer buffer;
    append(buffer, "hello ");
    append(buffer, "world");
    expect(buffer.view() == "hello world" && buffer.size() == 11_ul && !buffer.empty());
    buffer.consume(6);
    expect(buffer.view() == "world");
    append(buffer, "!");
    expect(buffer.view() == "world!");
    buffer.consume(6);
    expect(buffer.empty() && buffer.view().empty());
  };

  "room that was not committed holds nothing"_test = [] {
    byte_buffer buffer;
    append(buffer, "a");
    const auto unused = buffer.reserve(10'000);
    std::memset(unused.at, 'x', unused.size);
    expect(buffer.view() == "a");
    const auto partly = buffer.reserve(100);
    std::memset(partly.at, 'b', 100);
    buffer.commit(2);
    expect(buffer.view() == "abb");
  };

  "the whole room can be written to"_test = [] {
    byte_buffer buffer;
    std::string model;
    for (int round = 0; round < 6; ++round) {
      const auto room = buffer.reserve(1);
      std::memset(room.at, 'a' + round, room.size);
      buffer.commit(room.size);
      model.append(room.size, static_cast<char>('a' + round));
      expect(buffer.view() == model);
      expect(buffer.size() == buffer.capacity());
    }
  };

  "a buffer behaves like a string under random operations"_test = [] {
    std::mt19937 random{20};
    for (int life = 0; life < 20; ++life) {
      byte_buffer buffer;
      std::string model;
      for (int step = 0; step < 500; ++step) {
        const std::size_t most = random() % 8 == 0 ? 100'000 : 600;
        if (random() % 2 == 0) {
          const std::string text = random_text(random, random() % most);
          const auto room = buffer.reserve(text.size() + random() % most);  // more than is used, as a reader does
          std::memcpy(room.at, text.data(), text.size());
          buffer.commit(text.size());
          model += text;
        } else {
          const std::size_t count = random() % 4 == 0 ? model.size() : std::min(model.size(), random() % most);
          buffer.consume(count);
          model.erase(0, count);
        }
        expect(buffer.view() == model && buffer.size() == model.size() && buffer.empty() == model.empty());
        expect(buffer.capacity() >= buffer.size());
      }
    }
  };

  "memory grown for a large message is given back when it has left"_test = [] {
    byte_buffer buffer;
    append(buffer, std::string(1'000'000, 'x'));
    expect(buffer.capacity() >= 1'000'000_ul);
    buffer.consume(999'999);
    expect(buffer.view() == "x");
    buffer.consume(1);
    expect(buffer.capacity() <= 65'536_ul);
    append(buffer, "again");
    expect(buffer.view() == "again" && buffer.capacity() <= 65'536_ul);
  };

  "memory for small messages is kept"_test = [] {
    byte_buffer buffer;
    append(buffer, "small");
    const std::size_t capacity = buffer.capacity();
    const char* const where = buffer.view().data();
    for (int i = 0; i < 100; ++i) {
      buffer.consume(5);
      expect(buffer.capacity() == capacity);
      append(buffer, "small");
      expect(buffer.view().data() == where);
    }
  };

  "a buffer that is never quite empty does not grow with what passes through it"_test = [] {
    byte_buffer buffer;
    append(buffer, std::string(10, 'r'));
    for (int i = 0; i < 10'000; ++i) {
      append(buffer, std::string(1000, 'p'));
      buffer.consume(1000);
    }
    expect(buffer.size() == 10_ul);
    expect(buffer.capacity() <= 8192_ul) << buffer.capacity();
  };

  "after a large message the next one finds room at once, after a small one it does not"_test = [] {
    constexpr std::size_t large = 3'000'000;
    byte_buffer buffer;
    append(buffer, std::string(large, 'x'));
    expect(buffer.split(large).size() == large);
    append(buffer, std::string(100, 'x'));
    expect(buffer.capacity() <= 65536_ul) << "what is short costs no more than before";
    append(buffer, std::string(100'000, 'x'));
    expect(buffer.capacity() > large) << "not grown step by step";
    expect(buffer.capacity() < large * 2);
    expect(buffer.split(buffer.size()).size() == 100'100_ul);
    append(buffer, std::string(100'000, 'x'));
    expect(buffer.capacity() < large / 2) << "only the last one counts";
  };

  "a split hands the first bytes over where they lie and keeps the rest"_test = [] {
    for (const std::size_t count : {0U, 1U, 500'000U, 999'999U, 1'000'000U}) {
      byte_buffer buffer;
      append(buffer, "dropped");
      buffer.consume(7);
      std::mt19937 random{7};
      const std::string text = random_text(random, 1'000'000);
      append(buffer, text);
      const char* where = buffer.view().data();
      const byte_buffer first = buffer.split(count);
      expect(first.view() == text.substr(0, count));
      expect(count == 0_ul or first.view().data() == where);
      expect(buffer.view() == text.substr(count));
      append(buffer, "more");
      expect(buffer.view() == text.substr(count) + "more");
    }
  };

  "a buffer that was moved away is empty"_test = [] {
    byte_buffer buffer;
    append(buffer, "bytes");
    const byte_buffer other{std::move(buffer)};
    expect(other.view() == "bytes");
    expect(buffer.empty() && buffer.capacity() == 0_ul);  // NOLINT(bugprone-use-after-move): that is the question
    append(buffer, "again");
    expect(buffer.view() == "again");
  };
};

}  // namespace byte_buffer_test
