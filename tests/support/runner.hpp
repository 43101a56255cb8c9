// SPDX-License-Identifier: MIT
// Runs the suites of ut. A test is named "suite: name"; its line shows ok, FAILED or skipped and the time it took,
// and the last line of the program has the counts.
#pragma once

#include <boost/ut.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace hawser::testing {

/// Ends the program if a test exceeds its time limit.
class watchdog {
 public:
  explicit watchdog(std::chrono::seconds bound) : bound_(bound), thread_([this] { watch(); }) {}
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() {
    {
      const std::lock_guard lock{mutex_};
      ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void begin(const std::string& name) {
    const std::lock_guard lock{mutex_};
    name_ = name;
    ++round_;
    changed_.notify_one();
  }

 private:
  void watch() {
    std::unique_lock lock{mutex_};
    while (!ending_) {
      const auto seen = round_;
      if (changed_.wait_for(lock, bound_, [&] { return ending_ || round_ != seen; })) continue;
      if (name_.empty()) continue;
      std::printf("HUNG    %s (more than %lld s)\n", name_.c_str(), static_cast<long long>(bound_.count()));
      std::fflush(stdout);
      std::abort();
    }
  }

  std::chrono::seconds bound_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string name_;
  unsigned long round_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

/// Unity batches include their sources by a path relative to the build folder; this shortens it.
constexpr std::string_view source_file(std::string_view name) {
  const std::size_t above = name.rfind("../");
  return above == std::string_view::npos ? name : name.substr(above + 3);
}

class runner {
 public:
  template <class... Ts>
  void on(boost::ut::events::suite<Ts...> suite) {
    suites_.push_back({suite.run, suite.name});
  }

  template <class... Ts>
  void on(boost::ut::events::test<Ts...> test) {
    if (inside_) {  // a nested test is a part of the outer one
      test();
      return;
    }
    const std::string name = std::string{suite_} + ": " + std::string{test.name};
    if (!selected(name, test.location.file_name())) return;
    if (listing_) {
      std::printf("%s\n", name.c_str());
      return;
    }
    run_one(name, test);
  }

  template <class... Ts>
  void on(boost::ut::events::skip<Ts...> test) {
    skip(std::string{suite_} + ": " + std::string{test.name}, "marked so");
  }

  template <class Expression>
  [[nodiscard]] bool on(boost::ut::events::assertion<Expression> assertion) {
    if (static_cast<bool>(assertion.expr)) return true;
    boost::ut::printer text{boost::ut::colors{"", "", "", ""}};
    text << std::boolalpha << assertion.expr;
    complain(std::string{source_file(assertion.location.file_name())} + ':' +
             std::to_string(assertion.location.line()) + ": " + text.str());
    return false;
  }

  [[noreturn]] void on(boost::ut::events::fatal_assertion fatal) { throw fatal; }

  template <class Message>
  void on(boost::ut::events::log<Message> log) {
    boost::ut::printer text{};
    text << log.msg;
    if (notes_.size() < 2000) notes_ += text.str();
  }

  /// Called inside a test that cannot run here: it counts as skipped, with the reason.
  void skip_this(std::string why) { skipped_why_ = std::move(why); }

  /// Called inside a test that measures: the text is printed below its line, even if it passes.
  void report_this(std::string text) { report_ = std::move(text); }

  int run(int argc, const char** argv);

 private:
  template <class Test>
  void run_one(const std::string& name, Test& test) {
    const auto begin = std::chrono::steady_clock::now();
    failures_.clear();
    notes_.clear();
    skipped_why_.clear();
    report_.clear();
    watchdog_->begin(name);
    inside_ = true;
    try {
      test();
    } catch (const boost::ut::events::fatal_assertion&) {  // already reported
    } catch (const std::exception& thrown) {
      complain(std::string{"threw: "} + thrown.what());
    } catch (...) {
      complain("threw something");
    }
    inside_ = false;
    watchdog_->begin("");
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    if (failures_.empty() && !skipped_why_.empty()) {
      skip(name, skipped_why_);
      return;
    }
    ++(failures_.empty() ? passed_ : failed_);
    std::printf("%s %s (%lld ms)\n", failures_.empty() ? "ok     " : "FAILED ", name.c_str(),
                static_cast<long long>(took.count()));
    for (const std::string& failure : failures_) std::printf("        %s\n", failure.c_str());
    if (!failures_.empty() && !notes_.empty()) std::printf("        %s\n", notes_.c_str());
    if (!report_.empty()) std::printf("        %s\n", report_.c_str());
    std::fflush(stdout);
  }

  void skip(const std::string& name, const std::string& why) {
    ++skipped_;
    std::printf("skipped %s: %s\n", name.c_str(), why.c_str());
  }
  void complain(std::string what) {
    // Limits the output of a failing loop of expectations.
    if (failures_.size() < 20) failures_.push_back(std::move(what));
  }
  [[nodiscard]] bool selected(std::string_view name, std::string_view file) const;

  struct registered {
    void (*run)();
    std::string_view name;
  };
  std::vector<registered> suites_;
  std::vector<std::string> patterns_;
  std::string_view suite_;
  std::vector<std::string> failures_;
  std::string notes_;
  std::string skipped_why_;
  std::string report_;
  watchdog* watchdog_ = nullptr;
  bool inside_ = false;
  bool listing_ = false;
  int passed_ = 0;
  int failed_ = 0;
  int skipped_ = 0;
};

/// True under ASan, TSan and other sanitizers, which are slower.
constexpr bool instrumented =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

}  // namespace hawser::testing
