// SPDX-License-Identifier: MIT
#include "../../../runtime/loop/timer.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "../../support/ut.hpp"

namespace timer_test {

using namespace hawser;
using namespace std::chrono_literals;

constexpr time_point beginning{1h};

class bell final : public timer {
 public:
  bell(std::vector<int>& heard, int id) : heard_(heard), id_(id) {}

 private:
  void on_expired() noexcept override {
    expect(!running()) << "it may be started again from here";
    heard_.push_back(id_);
  }
  std::vector<int>& heard_;
  int id_;
};

class again final : public timer {
 public:
  again(timer_queue& queue, duration every, const time_point& now) : queue_(queue), every_(every), now_(now) {}
  int heard = 0;

 private:
  void on_expired() noexcept override {
    ++heard;
    queue_.start(*this, every_, now_);
  }
  timer_queue& queue_;
  duration every_;
  const time_point& now_;
};

class silencer final : public timer {
 public:
  explicit silencer(timer& other) : other_(other) {}

 private:
  void on_expired() noexcept override { other_.cancel(); }
  timer& other_;
};

const suite<"timer"> tests = [] {
  "a timer expires at its time, not before, and once"_test = [] {
    timer_queue queue;
    std::vector<int> heard;
    bell b{heard, 1};
    expect(queue.empty() && queue.next() == time_point::max() && queue.expire(time_point::max()) == 0_ul);
    queue.start(b, 5s, beginning);
    expect(b.running() && !queue.empty() && queue.next() == beginning + 5s);
    expect(queue.expire(beginning + 5s - 1ns) == 0_ul && heard.empty() && b.running());
    expect(queue.expire(beginning + 5s) == 1_ul && heard == std::vector{1});
    expect(!b.running() && queue.empty() && queue.next() == time_point::max());
    expect(queue.expire(beginning + 1h) == 0_ul && heard == std::vector{1});
  };

  "timers of one length expire in the order they were started"_test = [] {
    timer_queue queue;
    std::vector<int> heard;
    std::deque<bell> bells;
    std::vector<int> order;
    for (int i = 0; i < 1000; ++i) {
      queue.start(bells.emplace_back(heard, i), 1s, beginning + i / 10 * 1ns);
      order.push_back(i);
    }
    expect(queue.expire(beginning + 1s + 49ns) == 500_ul) << "those started later are not due yet";
    expect(queue.expire(beginning + 2s) == 500_ul);
    expect(heard == order);
  };

  "many lengths at once each expire at their own time"_test = [] {
    timer_queue queue;
    std::vector<int> heard;
    std::deque<bell> bells;
    for (int i = 1000; i > 0; --i) queue.start(bells.emplace_back(heard, i), i * 1ms, beginning);
    for (int i = 1; i <= 1000; ++i) {
      expect(queue.next() == beginning + i * 1ms);
      expect(queue.expire(beginning + i * 1ms) == 1 && heard.back() == i) << i;
    }
    expect(queue.empty());
  };

  "a timer that is cancelled or dies does not expire, and those around it do"_test = [] {
    timer_queue queue;
    std::vector<int> heard;
    std::deque<bell> bells;
    for (int i = 0; i < 5; ++i) queue.start(bells.emplace_back(heard, i), 1s, beginning);
    for (const std::size_t i : {0, 2, 4}) bells[i].cancel();
    bells[0].cancel();
    expect(!bells[0].running() && bells[1].running());
    {
      bell dying{heard, 5};
      queue.start(dying, 1s, beginning);
    }
    queue.start(bells[2], 3s, beginning);
    expect(queue.expire(beginning + 2s) == 2_ul && heard == std::vector{1, 3} && bells[2].running());
    expect(queue.expire(beginning + 3s) == 1 && heard.back() == 2 && queue.empty());
  };

  "no length is too long and none too short"_test = [] {
    timer_queue queue;
    std::vector<int> heard;
    bell longest{heard, 1}, shortest{heard, 2}, none{heard, 3};
    queue.start(longest, duration::max(), beginning);
    expect(queue.next() > beginning + 24h * 365) << "an overflow would lie in the past";
    expect(queue.expire(beginning + 24h * 365) == 0_ul && longest.running());
    queue.start(shortest, duration::min(), beginning);
    queue.start(none, 0s, beginning);
    expect(queue.next() == beginning);
    expect(queue.expire(beginning) == 2_ul && heard == std::vector{2, 3} && longest.running());
    longest.cancel();
  };

  "a timer may start itself again when it expires"_test = [] {
    timer_queue queue;
    time_point now = beginning;
    again a{queue, 10ms, now};
    queue.start(a, 10ms, now);
    for (int i = 1; i <= 50; ++i) {
      now += 10ms;
      expect(queue.expire(now) == 1_ul && a.heard == i && queue.next() == now + 10ms);
    }
    a.cancel();
  };

  "a timer may cancel another that is due with it"_test = [] {
    for (const duration other_length : {1s, 2s}) {
      timer_queue queue;
      std::vector<int> heard;
      bell other{heard, 1};
      silencer s{other};
      queue.start(s, 1s, beginning);
      queue.start(other, other_length, beginning);
      expect(queue.expire(beginning + 2s) == 1_ul && heard.empty() && queue.empty());
    }
  };

  "a queue does as a sorted list does, whatever comes"_test = [] {
    struct started {
      time_point due;
      duration length;
      int sequence;
    };
    std::mt19937_64 random{50};
    timer_queue queue;
    std::vector<int> heard;
    std::deque<bell> bells;
    for (int i = 0; i < 100; ++i) bells.emplace_back(heard, i);
    std::map<int, started> model;
    time_point now = beginning;
    for (int step = 0; step < 20'000; ++step) {
      const int id = static_cast<int>(random() % bells.size());
      bell& b = bells[static_cast<std::size_t>(id)];
      if (random() % 3 != 0) {
        b.cancel();
        const duration length = random() % 2 == 0 ? duration{random() % 6 * 10} : duration{random() % 300};
        queue.start(b, length, now);
        model[id] = {now + length, length, step};
      } else if (random() % 2 == 0) {
        b.cancel();
        model.erase(id);
      } else {
        now += duration{random() % 60};
        heard.clear();
        expect(queue.expire(now) == heard.size());
        std::map<duration, int> latest;  // per length, the sequence of the last one heard
        for (const int rung : heard) {
          const auto found = model.find(rung);
          expect(fatal(found != model.end() && found->second.due <= now)) << "early, twice or cancelled";
          const auto [last, first] = latest.try_emplace(found->second.length, found->second.sequence);
          expect(first || last->second < found->second.sequence) << "out of order";
          last->second = found->second.sequence;
          model.erase(found);
        }
        for (const auto& [which, timer] : model) expect(timer.due > now) << "forgotten" << which;
        expect(queue.next() > now) << "else the loop would spin";
      }
      time_point first_due = time_point::max();
      for (const auto& [which, timer] : model) first_due = std::min(first_due, timer.due);
      expect(queue.next() <= first_due) << "too late";
      expect(queue.empty() == model.empty());
    }
    expect(queue.expire(now + 1s) == model.size());
  };

  "a length that was written down is met exactly, a computed one a hundredth late at most, and by ten milliseconds"_test =
      [] {
        std::vector<int> heard;
        for (const duration length :
             {duration{1us}, duration{9'999'999ns}, duration{17ms}, duration{1s}, duration{1001ms}, duration{30s}}) {
          timer_queue queue;
          bell b{heard, 0};
          queue.start(b, length, beginning);
          expect(queue.next() == beginning + length) << length.count();
          b.cancel();
        }
        for (const duration left : {duration{10'000'001ns}, duration{99'999'999ns}, duration{100'000'001ns},
                                    duration{999'999'999ns}, duration{1'000'000'001ns}, duration{29'998'123'456ns}}) {
          timer_queue queue;
          bell b{heard, 0};
          queue.start(b, left, beginning);
          expect(queue.next() >= beginning + left and
                 queue.next() <= beginning + left + std::min<duration>(left / 100, 10ms))
              << left.count();
          b.cancel();
        }
      };
};

}  // namespace timer_test
