// SPDX-License-Identifier: MIT
#include "../../../oauth/store/credential_format.hpp"

#include <boost/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "../../support/logins.hpp"
#include "../../support/ut.hpp"

namespace credential_set_test {

using namespace hawser;
using testing::sample_login;
using testing::url_of;

std::string text_of(const credential_set& book) { return std::string{serialize_credential_set(book).reveal()}; }

credential_set three_logins() {
  credential_set book;
  for (const char* name : {"one", "two", "three"}) {
    book.save(url_of(name), sample_login(name));
    book.save_client(sample_login(name).key.issuer, sample_login(name).client);
  }
  return book;
}

// Every token that a book would hand out.
std::set<std::string> tokens_of(const credential_set& book) {
  std::set<std::string> out;
  for (const auto& [url, one] : book.all()) {
    out.emplace(one.tokens.access.reveal());
    out.emplace(one.tokens.refresh.reveal());
    out.emplace(one.client.client_secret.reveal());
    out.insert(url + " at " + one.token_endpoint);  // whom a token is sent to is as good as the token
  }
  return out;
}

template <class T>
bool is_part_of(const std::set<T>& part, const std::set<T>& all) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

credential_set read_sound(const std::string& text) {
  auto read = parse_credential_set(text);
  expect(read.has_value() && read->damage.empty()) << text;
  return read ? std::move(read->contents) : credential_set{};
}

const std::string unknown_member = R"("later":[1,2.5E-7,{"deep":null},18446744073709551615])";

int count_of(std::string_view text, std::string_view piece) {
  int count = 0;
  for (std::size_t at = text.find(piece); at != std::string_view::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

std::string sum_of(const std::string& text) {
  const auto hash = sha256(text);
  return base64url({reinterpret_cast<const char*>(hash.data()), 16});
}

// Three logins as a later version would write them, with a member more in every object. Made by other means than those
// that are tested: this is what the file format is.
std::string later_text(int version) {
  std::istringstream lines{text_of(three_logins())};
  std::string out;
  std::string sums;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t old_sum = line.find(",\"sum\":");
    if (line.starts_with("],")) {
      sums += '{' + unknown_member;
      line = "]," + unknown_member + R"(,"sum":")" + sum_of(sums) + "\"}";
    } else if (old_sum != std::string::npos) {
      const std::size_t begin = line[0] == '{' ? 0 : line.find(":{") + 1;
      const std::string name = line.substr(0, begin == 0 ? 0 : begin - 1);
      const std::string entry = line.substr(begin, old_sum - begin) + ',' + unknown_member;
      const std::string sum = sum_of((name.empty() ? "\"\"" : name) + entry);
      sums += name + sum;
      line = line.substr(0, begin) + entry + R"(,"sum":")" + sum + '"' + line.substr(line.rfind('}'));
    } else if (line.starts_with("{\"version\"")) {
      line = "{\"version\":" + std::to_string(version) + ",\"clients\":{";
    }
    out += line + '\n';
  }
  return out;
}

login for_whole_origin(int generation, const std::string& server) {
  login made = sample_login("host", generation);
  made.key.resource = "https://host.example";
  made.key.server = server;
  return made;
}

const suite<"token book"> tests = [] {
  "SEC-4 logins for a resource above two servers are kept apart, in a file, too"_test = [] {
    const std::string one = "https://host.example/one/mcp";
    const std::string two = "https://host.example/two/mcp";
    credential_set book;
    book.save(one, for_whole_origin(1, one));
    book.save(two, for_whole_origin(2, two));
    const credential_set read = read_sound(text_of(book));
    for (const credential_set* of : {&std::as_const(book), &read}) {
      expect(of->find_for_server(one) == for_whole_origin(1, one));
      expect(of->find_for_server(two) == for_whole_origin(2, two));
    }
  };

  "SEC-4 a login that an earlier version shared between servers below its resource is given to none of them"_test = [] {
    const std::string one = "https://host.example/one/mcp";
    const std::string two = "https://host.example/two/mcp";
    credential_set book;
    book.save(one, for_whole_origin(1, ""));
    expect(book.find_for_server(one).has_value()) << "one server alone goes on with it";
    book.save(two, for_whole_origin(2, ""));
    expect(!book.find_for_server(one).has_value());
    expect(!book.find_for_server(two).has_value());
  };

  "what was saved is found, by URL and by key, and survives being written"_test = [] {
    const credential_set book = three_logins();
    const credential_set again = read_sound(text_of(book));
    for (const credential_set* one : {&book, &again}) {
      expect(one->find_for_server(url_of("two")) == sample_login("two"));
      expect(one->find(sample_login("three").key) == sample_login("three"));
      expect(one->find_client("https://as.example/one") == sample_login("one").client);
      expect(!one->find_for_server("https://other.example/mcp") && !one->find_client("https://as.example"));
      expect(one->all().size() == 3_ul);
    }
    expect(text_of(again) == text_of(book)) << "byte for byte, so that nothing is written for nothing";
  };

  "an empty book and logins with next to nothing in them survive, too"_test = [] {
    expect(read_sound(text_of(credential_set{})).all().empty());
    credential_set book;
    login bare;
    bare.key = {.issuer = "https://as", .resource = "r", .client = ""};
    bare.tokens.access = secret{"\x01 \"\\ \xc3\xa4\xe2\x82\xac"};
    book.save("u", bare);
    expect(read_sound(text_of(book)).find_for_server("u") == bare);
  };

  "T-20 tokens of another issuer, resource or client are not found"_test = [] {
    const credential_set book = three_logins();
    const login_key key = sample_login("one").key;
    expect(!book.find({key.issuer + "/", key.resource, key.client}));
    expect(!book.find({key.issuer, key.resource + "/", key.client}));
    expect(!book.find({key.issuer, key.resource, key.client + "2"}));
  };

  "T-26 a login at another authorization server leaves the older one in place"_test = [] {
    credential_set book;
    login older = sample_login("one");
    login newer = sample_login("one", 2);
    newer.key.issuer = "https://moved.example";
    book.save(url_of("one"), older);
    book.save(url_of("one"), newer);
    expect(book.find_for_server(url_of("one")) == newer && book.find(older.key) == older);
    book.save(url_of("one"), older);
    expect(read_sound(text_of(book)).find_for_server(url_of("one")) == older) << "who was saved last counts";
    const auto gone = book.forget(url_of("one"));
    expect(gone.size() == 2_ul) << "and logging out ends them both";
    expect(!book.find(older.key) && !book.find(newer.key));
  };

  "a login of another client at the same place replaces the one before"_test = [] {
    credential_set book;
    login newer = sample_login("one", 2);
    newer.key.client = newer.client.id = "registered-again";
    book.save(url_of("one"), sample_login("one"));
    book.save(url_of("one"), newer);
    expect(!book.find(sample_login("one").key) && book.find_for_server(url_of("one")) == newer);
  };

  "forgetting a server leaves what another server uses"_test = [] {
    credential_set book;
    book.save("https://a/1", sample_login("one"));
    book.save("https://a/2", sample_login("one"));
    expect(book.forget("https://a/1").empty() && !book.find_for_server("https://a/1"));
    expect(book.find_for_server("https://a/2") == sample_login("one"));
    expect(book.forget("https://a/2").size() == 1 && book.forget("https://a/2").empty());
    expect(!book.find(sample_login("one").key));
  };

  "T-29 a login is removed only if its refresh token is the one that was refused"_test = [] {
    credential_set book;
    book.save("u", sample_login("one", 2));
    expect(!book.remove(sample_login("one").key, sample_login("one", 1).tokens.refresh));
    expect(book.find(sample_login("one").key) == sample_login("one", 2));
    expect(book.remove(sample_login("one").key, sample_login("one", 2).tokens.refresh) &&
           !book.find(sample_login("one").key));
    book.save("u", sample_login("one", 2));
    expect(book.remove(sample_login("one").key, std::nullopt) && !book.remove(sample_login("one").key, std::nullopt));
  };

  "a client is forgotten only if it is still the same"_test = [] {
    credential_set book = three_logins();
    expect(!book.remove_client("https://as.example/one", "other") && book.find_client("https://as.example/one"));
    expect(book.remove_client("https://as.example/one", "id-one") && !book.find_client("https://as.example/one"));
  };

  "F05 a text cut at any byte is damaged, and only what is whole is used"_test = [] {
    const credential_set book = three_logins();
    const std::string text = text_of(book);
    const auto all = tokens_of(book);
    std::size_t before = 0;
    for (std::size_t size = 0; size + 1 < text.size();
         size += testing::instrumented ? 5 : 1) {  // the last is a line end
      const auto read = parse_credential_set(std::string_view{text}.substr(0, size));
      expect(read.has_value() && !read->damage.empty()) << size;
      if (!read) continue;
      expect(is_part_of(tokens_of(read->contents), all)) << size;
      expect(read->contents.all().size() >= before) << "what was whole stays whole";
      before = read->contents.all().size();
      const std::string mended = text_of(read->contents);
      expect(read_sound(mended).all().size() == before);
    }
    expect(before == 3_ul) << "every login is before the end of the text";
  };

  "F05 a bit that flipped is never used: not in a token, and not in where it is sent"_test = [] {
    const credential_set book = three_logins();
    const std::string text = text_of(book);
    const auto all = tokens_of(book);
    std::size_t least = 3;
    for (std::size_t bit = 0; bit < text.size() * 8; bit += testing::instrumented ? 11 : 1) {
      std::string flipped = text;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      const auto read = parse_credential_set(flipped);
      if (!read) {
        expect(read.error().code == errc::config) << bit;
        continue;
      }
      expect(is_part_of(tokens_of(read->contents), all)) << "bit" << bit;
      // Not damaged: the number of the version, and spaces that became other spaces.
      if (read->damage.empty()) expect(tokens_of(read->contents) == all) << "bit" << bit;
      least = std::min(least, read->contents.all().size());
    }
    if (!testing::instrumented)
      expect(least == 1_ul) << "a line end between two entries takes both with it, and no more than that";
  };

  "F05 nothing else that is not a store is taken for one"_test = [] {
    std::mt19937 random{7};
    for (const char* text :
         {"", "{}", "[]", "null", "{\"version\":1}", "\n\n\n", "\"\n{\n", R"({"version":1,"clients":{},"logins":[]})",
          R"({"version":"1","clients":[],"logins":{}})"}) {
      const auto read = parse_credential_set(text);
      expect(read.has_value() && !read->damage.empty() && read->contents.all().empty()) << text;
    }
    for (int round = 0; round < (testing::instrumented ? 100 : 2000); ++round) {
      std::string text = text_of(three_logins());
      for (int i = 0; i < 20; ++i) text[random() % text.size()] = static_cast<char>(random());
      const auto read = parse_credential_set(text);
      expect(!read || is_part_of(tokens_of(read->contents), tokens_of(three_logins())));
    }
  };

  "F11 members that nobody knows are kept, wherever they are, through every change"_test = [] {
    const std::string text = later_text(1);
    credential_set book = read_sound(text);
    expect(text_of(book) == text) << "byte for byte";
    book.save(url_of("one"), sample_login("one", 2));
    book.save(url_of("four"), sample_login("four"));
    book.save_client(sample_login("one").key.issuer, sample_login("two").client);
    book.remove(sample_login("two").key, std::nullopt);
    const std::string changed = text_of(read_sound(text_of(book)));
    expect(count_of(changed, unknown_member) == 1 + 3 + 2) << "the top, three clients, two of the logins" << changed;
    expect(read_sound(changed).find_for_server(url_of("one")) == sample_login("one", 2));
  };

  "F11 a later version is read if it can be, stays a later version, and is refused otherwise"_test = [] {
    credential_set book = read_sound(later_text(7));
    expect(book.find_for_server(url_of("two")) == sample_login("two"));
    book.save(url_of("four"), sample_login("four"));
    expect(text_of(book).starts_with(R"({"version":7,)"));

    std::string other = later_text(7);
    other.replace(other.rfind("\"sum\""), 5, "\"hmac\"");
    const auto read = parse_credential_set(other);
    expect(read.has_error() && read.error().code == errc::config);
    expect(read.has_error() && read.error().what.find("newer version") != std::string::npos);
  };
};

}  // namespace credential_set_test
