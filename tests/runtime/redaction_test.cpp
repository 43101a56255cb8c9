// SPDX-License-Identifier: MIT
#include "../../runtime/redaction.hpp"

#include <chrono>
#include <ctime>
#include <random>

#include "../../runtime/scoped_redaction.hpp"
#include "../support/ut.hpp"

namespace redaction_test {

using namespace hawser;

const std::string mark{redaction::placeholder};

redaction knowing(const std::string& hidden) {
  redaction r;
  r.add(hidden);
  return r;
}

std::string numbered(std::size_t i, const std::string& kind = "token") { return std::to_string(i) + "-of-" + kind; }

// Written here anew, so that what finds them is not tested by itself.
std::string percent(const std::string& text, bool all, bool upper) {
  std::string out;
  for (const unsigned char c : text) {
    std::array<char, 4> code{};
    std::snprintf(code.data(), code.size(), upper ? "%%%02X" : "%%%02x", c);
    out += all || std::isalnum(c) == 0 ? std::string{code.data()} : std::string(1, static_cast<char>(c));
  }
  return out;
}

std::string hex(const std::string& text, bool upper) {
  std::string out;
  for (const unsigned char c : text) {
    std::array<char, 3> code{};
    std::snprintf(code.data(), code.size(), upper ? "%02X" : "%02x", c);
    out += code.data();
  }
  return out;
}

std::string json(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '/') out += '\\';
    out += c;
  }
  return out;
}

std::string json_by_number(const std::string& text) {  // of ASCII
  std::string out;
  for (const unsigned char c : text) {
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "\\u%04x", c);
    out += code.data();
  }
  return out;
}

std::vector<std::string> forms_of(const std::string& s) {
  std::vector<std::string> forms{s,
                                 percent(s, false, true),
                                 percent(s, false, false),
                                 percent(s, true, true),
                                 percent(percent(s, false, true), false, true),
                                 hex(s, false),
                                 hex(s, true),
                                 json(s),
                                 json(json(s)),
                                 json_by_number(s),
                                 percent(json(s), false, true),
                                 json(percent(s, true, true))};
  for (const std::string before : {"", "a", "ab", "user:", "client-1:", "x:y"}) {
    for (const std::string behind : {"", "z", "zz", "zzz"}) {
      forms.push_back(base64(before + s + behind));
      forms.push_back(base64url(before + s + behind));
      forms.push_back(percent(base64(before + s + behind), false, true));
    }
  }
  return forms;
}

const suite<"redaction"> tests = [] {
  "T-31 a secret is taken out in every form, wherever it stands"_test = [] {
    for (const std::string s : {"s3cr3t", "sk_live_51H8xq/+aZ==", "with \"quotes\" and \\slashes/", "a b+c%d&e=f",
                                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2ln-_x", "?>?>?>?>~~~~"}) {
      const redaction r = knowing(s);
      for (const std::string& form : forms_of(s)) {
        for (const std::string& text : {form, "before " + form, form + " behind", "{\"a\":\"" + form + "\"}"}) {
          const std::string clean = r.apply(text);
          expect(r.matches(text) && clean.find(mark) != std::string::npos) << text;
          expect(!r.matches(clean)) << clean;
          expect(clean.find(form.substr(2, form.size() - 4)) == std::string::npos) << clean;
        }
      }
      expect(r.apply("GET /a?b=" + s + " 200") == "GET /a?b=" + mark + " 200");
    }
  };

  "T-31 letters beyond ASCII are found in the escapes of JSON"_test = [] {
    const redaction r = knowing("p\xc3\xa4ssw\xe2\x82\xacrd\xf0\x9f\x98\x80");
    expect(r.apply("{\"p\":\"p\\u00e4ssw\\u20ACrd\\ud83d\\ude00\"}") == "{\"p\":\"" + mark + "\"}");
    expect(r.apply("p%C3%A4ssw%e2%82%acrd%F0%9F%98%80!") == mark + "!");
  };

  "T-31 the space of a form is a plus"_test = [] {
    expect(knowing("correct horse battery").apply("pw=correct+horse+battery&x=1") == "pw=" + mark + "&x=1");
  };

  "what is no secret stays as it is, byte for byte"_test = [] {
    redaction r;
    expect(r.apply("nothing is known") == "nothing is known");
    r.add("s3cr3t-one");
    r.add("");
    r.add("short");
    std::mt19937 random{3};
    const std::string_view letters{"%\\u0041+-_/=abcs3r\"\x80\xff\x00", 22};
    for (int round = 0; round < 2000; ++round) {
      std::string text(random() % 60, ' ');
      for (char& c : text) c = letters[random() % letters.size()];
      expect(r.apply(text) == text) << text;
    }
    for (const std::string text :
         {"short", "s3cr3t-on", "%", "%5", "\\", "\\u12", "\\ud83d", "\\ud83d\\u0041", "a%zzb", ""})
      expect(r.apply(text) == text) << text;
    expect(r.size() == 1_ul);
  };

  "secrets beside and across each other leave nothing of themselves"_test = [] {
    redaction r;
    for (const char* one : {"abcdefgh", "efghijkl", "mnopqrst"}) r.add(one);
    expect(r.apply("-abcdefghijkl-") == '-' + mark + '-');
    expect(r.apply("abcdefghmnopqrst") == mark + mark);
    expect(r.apply("abcdefgabcdefgh!") == "abcdefg" + mark + "!");
  };

  "a secret that is added again counts once, and old ones make place"_test = [] {
    redaction r;
    for (int i = 0; i < 3; ++i) r.add("the same one");
    expect(r.size() == 1_ul);
    for (std::size_t i = 0; i < redaction::max_secrets * 2; ++i) r.add("token-number-" + std::to_string(i));
    expect(r.size() < redaction::max_secrets && r.size() >= redaction::max_secrets / 2);
    expect(r.apply("token-number-8191") == mark) << "the newest";
    expect(r.apply(hex("token-number-8000", false)) == mark);
  };

  "what is hidden for good is not dropped, however many others come"_test = [] {
    redaction known;
    known.add_permanent("lasting-secret");
    for (std::size_t i = 0; i < 3 * redaction::max_secrets; ++i) known.add(numbered(i));
    expect(known.apply("a lasting-secret here") == "a [redacted] here");
    known.add_permanent("lasting-secret");
    expect(known.size() <= redaction::max_secrets);
  };

  "what somebody holds is never dropped, and ages from when it is let go"_test = [] {
    const auto known = std::make_shared<redaction>();
    const auto flood = [&](const std::string& kind) {
      for (std::size_t i = 0; i < 2 * redaction::max_secrets; ++i) known->add(numbered(i, kind));
    };
    known->add("a token in use");
    {
      scoped_redaction first{known, {secret{"a token in use"}, secret{"its client's key"}, secret{"tiny"}}};
      flood("one");
      expect(known->matches("a token in use") and known->matches("its client's key") and not known->matches("tiny"));
      const scoped_redaction shared{known, {secret{"its client's key"}}};
      first = scoped_redaction{known, {secret{"a newer token"}}};
      expect(known->matches("a token in use")) << "somebody may still say it";
      flood("two");
      expect(not known->matches("a token in use")) << "and not for ever";
      expect(known->matches("a newer token") and known->matches("its client's key"));
    }
    flood("three");
    expect(not known->matches("a newer token") and not known->matches("its client's key"));
    expect(known->size() <= redaction::max_secrets);
  };

  "what is added again is as young as what is new"_test = [] {
    redaction known;
    known.add("used every day");
    for (std::size_t i = 0; i < 4 * redaction::max_secrets; ++i) {
      known.add(numbered(i));
      if (i % 100 == 0) known.add("used every day");
    }
    expect(known.matches("used every day"));
  };

  "T-31 logs and traces have it in front of them"_test = [] {
    auto known = std::make_shared<redaction>();
    std::string said;
    const logger log{
        redacted(log_sink{[&](const log_record& r) { said += std::string{r.subject} + ": " + std::string{r.text}; }},
                 known),
        log_level::info};
    known->add(secret{"bearer-token-1"});
    log.write(log_level::warning, "server bearer-token-1", "sent Authorization: Bearer bearer-token-1");
    expect(said == "server " + mark + ": sent Authorization: Bearer " + mark) << said;
    const auto trace = redacted(text_sink{[&](std::string_view subject, std::string_view line) {
                                  said = std::string{subject} + ' ' + std::string{line};
                                }},
                                known);
    trace("git", R"({"access_token":"bearer-token-1"})");
    expect(said == "git {\"access_token\":\"" + mark + "\"}") << said;
    expect(!redacted(log_sink{}, known)) << "no sink, nothing in front of it";
  };

  "FRZ-11 secrets that begin alike, and texts that begin like one at every byte, cost no more than others"_test = [] {
    const auto cost_of = [](const redaction& by, const std::string& text) {
      double least = 1e9;
      for (int i = 0; i < 3; ++i) {
        timespec begin{};
        timespec end{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        const bool found = by.matches(text);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        expect(!found);
        least = std::min(least, double(end.tv_sec - begin.tv_sec) + double(end.tv_nsec - begin.tv_nsec) / 1e9);
      }
      return least;
    };
    redaction alike;
    for (std::size_t i = 0; i < 2'000; ++i) alike.add("sk-live-" + std::to_string(i) + "-abcdefghijklmnop");
    std::string text;
    while (text.size() < 1'000'000) text += "sk-live-7-abcdefghijklmno ";
    const double bound = testing::instrumented ? 20 : 1;
    expect(cost_of(alike, text) < bound);
    expect(alike.apply("sk-live-1999-abcdefghijklmnop") == mark);
    redaction repeated;
    for (std::size_t i = 1; i < 20; ++i) repeated.add(std::string(200'000 - i, 'a') + 'b');
    expect(cost_of(repeated, std::string(1'000'000, 'a')) < bound);
    expect(repeated.apply(std::string(300'000, 'a') + "b!").ends_with(mark + '!'));
    // One secret over and over is one range.
    redaction one;
    one.add("aaaaaaaa");
    expect(one.apply(std::string(100'000, 'a')) == mark);
  };

  "a megabyte without secrets is passed through within a moment"_test = [] {
    redaction r;
    for (int i = 0; i < 500; ++i) r.add(base64url(random_bytes(32)));
    std::string text;
    while (text.size() < 1'000'000) text += R"({"name":"echo","text":"a line\nand 100% more"},)";
    const auto before = std::chrono::steady_clock::now();
    expect(r.apply(text) == text);
    const auto took = std::chrono::steady_clock::now() - before;
    expect(took < std::chrono::seconds{testing::instrumented ? 20 : 2});
  };
};

}  // namespace redaction_test
