// SPDX-License-Identifier: MIT
#include "../../../transports/json/json_tree.hpp"

#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <functional>
#include <random>

#include "../../../transports/jsonrpc/message.hpp"
#include "../../support/colliding_names.hpp"
#include "../../support/cpu_time.hpp"
#include "../../support/ut.hpp"

namespace json_tree_test {

using namespace hawser;
using namespace hawser::testing;

std::chrono::nanoseconds allowed_for(std::size_t bytes) {
  const std::chrono::nanoseconds base = std::chrono::milliseconds{10};
  // Three times the bound, as in the guard: the machine may be slow.
  return 3 * (base + base * bytes / (1 << 20)) * (testing::instrumented ? 20 : 1);
}

bool collides(std::string_view text) {
  const auto checked = check_json_tree(text);
  if (checked) return false;
  expect(checked.error().code == errc::too_large) << checked.error().what;
  expect(checked.error().what.find("names are equal or collide") != std::string::npos) << checked.error().what;
  return true;
}

std::string hex(std::mt19937_64& random, std::size_t digits) {
  std::string text;
  while (text.size() < digits) text += "0123456789abcdef"[random() % 16];
  return text;
}

struct kind_of_names {
  const char* what;
  std::function<std::string(std::size_t i, std::mt19937_64& random)> name;
};

template <class... Parts>
std::string printed(const char* format, Parts... parts) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), format, parts...);
  return text.data();
}

const std::vector<kind_of_names>& usual_names() {
  static const std::vector<kind_of_names> all{
      {"numbers", [](std::size_t i, auto&) { return std::to_string(i); }},
      {"numbers with zeros", [](std::size_t i, auto&) { return printed("item-%05zu", i); }},
      {"numbers in hundreds", [](std::size_t i, auto&) { return std::to_string(i * 100); }},
      {"numbers in powers of two", [](std::size_t i, auto&) { return std::to_string(i * 4096); }},
      {"numbers in tens", [](std::size_t i, auto&) { return std::to_string(i * 10); }},
      {"addresses in memory", [](std::size_t i, auto&) { return printed("0x%08zx", i * 16); }},
      {"hexadecimal numbers", [](std::size_t i, auto&) { return printed("%zX", i * 16); }},
      {"times",
       [](std::size_t i, auto&) {
         return printed("2026-%02zu-%02zuT%02zu:%02zu:00Z", i / 40320 % 12 + 1, i / 1440 % 28 + 1, i / 60 % 24, i % 60);
       }},
      {"seconds", [](std::size_t i, auto&) { return std::to_string(1'700'000'000 + i * 60); }},
      {"columns",
       [](std::size_t i, auto&) {
         std::string name;
         for (++i; i > 0; i = (i - 1) / 26) name.insert(name.begin(), static_cast<char>('A' + (i - 1) % 26));
         return name;
       }},
      {"coordinates", [](std::size_t i, auto&) { return std::to_string(i % 100) + ',' + std::to_string(i / 100); }},
      {"files",
       [](std::size_t i, auto&) { return printed("src/module_%zu/part_%zu/file_%zu.cpp", i / 400, i / 20, i); }},
      {"addresses", [](std::size_t i, auto&) { return printed("10.%zu.%zu.%zu", i >> 16, i >> 8 & 255, i & 255); }},
      {"numbers before a long end", [](std::size_t i, auto&) { return std::to_string(i) + std::string(60, 'x'); }},
      {"Chinese characters",
       [](std::size_t i, auto&) {
         return std::string{"\xe4"} + static_cast<char>(0x80 + i / 4096 % 64) + static_cast<char>(0x80 + i / 64 % 64) +
                "\xe5\xad" + static_cast<char>(0x80 + i % 64) + (i < 262'144 ? "" : std::to_string(i));
       }},
      {"UUIDs",
       [](std::size_t, auto& random) {
         return hex(random, 8) + '-' + hex(random, 4) + "-4" + hex(random, 3) + "-a" + hex(random, 3) + '-' +
                hex(random, 12);
       }},
      {"hashes", [](std::size_t, auto& random) { return hex(random, 64); }},
      {"random bytes",
       [](std::size_t i, auto& random) {
         std::string name = std::to_string(i);
         for (std::size_t left = random() % 12; left > 0; --left) name += static_cast<char>(' ' + random() % 95);
         return name;
       }},
  };
  return all;
}

const suite<"json_tree"> tests = [] {
  "FRZ-12 names that collide in the table of an object are refused, at the cost of their size"_test = [] {
    std::vector<std::optional<known_salt>> salts{any_salt};
    for (unsigned kind = 0; kind < 16; ++kind) salts.push_back(known_salt{static_cast<std::uint8_t>(kind * 16)});
    for (const auto& salt : salts) {
      for (const unsigned bits : salt ? std::vector<unsigned>{10, 13} : std::vector<unsigned>{10, 11, 12, 14, 15}) {
        const std::string text = colliding_object(bits, salt);
        expect(text.size() > (std::size_t{1} << bits)) << "there are names";
        bool refused = false;
        expect(cpu_time_of([&] { refused = collides(text); }) < allowed_for(text.size())) << text.size();
        expect(refused) << bits << "bits, salt" << (salt ? int{salt->last_byte} : -1);
        expect(!json_tree(text) and !raw_json{text}.parse());
      }
    }
  };
  "FRZ-12 the names that collide are those that Boost.JSON is slow for"_test = [] {
    const std::string text = colliding_object(13);
    std::vector<std::string> others;
    for (std::size_t i = 0; i < 8192; ++i) others.push_back(printed("%022zu", i));
    const std::string usual = object_of(others);
    boost::system::error_code failed;
    const auto slow = cpu_time_of([&] { expect(boost::json::parse(text, failed).is_object()); });
    const auto quick = cpu_time_of([&] { expect(boost::json::parse(usual, failed).is_object()); });
    expect(slow > 5 * quick) << slow.count() << quick.count() << "has its hash changed?";
    expect(!collides(usual));
  };
  "FRZ-12 small objects whose names collide are refused where they are many, and cost little where they are not"_test =
      [] {
        for (const auto& salt : {any_salt, mapped_table, std::optional{known_salt{0x70}}}) {
          for (const unsigned bits : {5U, 6U, 7U, 8U, 9U, 10U}) {
            const std::string one = colliding_object(bits, salt);
            std::string many = "[" + one;
            while (many.size() < (std::size_t{1} << 20)) many += ',' + one;
            many += ']';
            bool accepted = false;
            const auto cost = cpu_time_of([&] {
              const auto tree = json_tree(many);
              accepted = tree.has_value();
            });
            expect(cost < allowed_for(many.size())) << bits << "bits" << cost.count();
            expect(accepted == (bits <= 6)) << bits << "bits";
          }
        }
      };
  "FRZ-12 names that collide are found wherever they stand, and however they are written"_test = [] {
    const auto names = colliding_names(11, mapped_table);
    const std::string object = object_of(names);
    expect(collides("[1,{\"a\":[[" + object + "]]}]") and collides(" {\"a\":{},\"b\" : " + object + "} "));
    expect(collides(object_of(names, R"({"a":[1,{"b":2}],"c":"}"})")));
    std::string escaped = "{";
    for (const std::string& name : names) {
      if (escaped.size() > 1) escaped += ',';
      escaped += printed("\"\\u%04x", unsigned(name.front())) + name.substr(1) + "\": 1";
    }
    expect(collides(escaped + '}'));
    expect(collides("{\"a\":1" + std::string{[] {
                      std::string same;
                      for (int i = 0; i < 1000; ++i) same += ",\"a\":1";
                      return same;
                    }()} +
                    '}'))
        << "the same name again and again";
    const auto apart = colliding_names(7, any_salt);
    std::string each = "[";
    for (const std::string& name : apart) each += object_of({name}) + ',';
    expect(!collides(each + "1]")) << "in objects of their own";
  };
  "FRZ-12 members without number are accepted, whatever names are usual"_test = [] {
    std::mt19937_64 random{12};
    const auto expect_accepted = [&](const kind_of_names& kind, std::size_t members, int times) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < members; ++i) names.push_back(kind.name(i, random));
      const std::string text = object_of(names);
      int refused = 0;
      for (int i = 0; i < (testing::instrumented ? 1 + times / 50 : times); ++i) refused += collides(text) ? 1 : 0;
      expect(refused == 0_i) << kind.what << members << "members";
    };
    for (const kind_of_names& kind : usual_names()) {
      // The factor of the hash is 2^40 + 435: tables of 87, 145 and 435 buckets are the worst.
      for (const std::size_t members : {97, 145, 435}) expect_accepted(kind, members, 500);
      for (const std::size_t members : {128, 870, 1000, 1024, 1740}) expect_accepted(kind, members, 50);
      for (const std::size_t members : {4096, 10'000}) expect_accepted(kind, members, 5);
      expect_accepted(kind, 30'000, 1);
    }
  };
  "FRZ-12 names that are added to an object are tried with its capacity"_test = [] {
    const auto names = colliding_names(12, any_salt);
    std::vector<std::string_view> views(names.begin(), names.end());
    expect(names_collide(views, 4096) and names_collide(views, 2048));
    expect(!names_collide(views, 4099)) << "where the hash is divided by another number";
    views.resize(96);
    expect(!names_collide(views, 4096)) << "few names";
  };
  "a tree has the values of its text, and a text that is none has no tree"_test = [] {
    const auto tree = json_tree(R"({"a":[1,2.5,"x",null,true],"b":{"c":1e999}})");
    expect(tree.has_value() and tree->at("a").as_array().size() == 5_ul);
    expect(!json_tree("") and !json_tree("{") and !json_tree("1 2") and !json_tree("{\"a\":1,}"));
    expect(!json_tree("[[[1]]]", {.max_depth = 2}) and json_tree("[[1]]", {.max_depth = 2}).has_value());
    expect(!json_tree("[1,2,3]", {.max_values = 3}));
  };
};

}  // namespace json_tree_test
