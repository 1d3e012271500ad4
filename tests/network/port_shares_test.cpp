#include "runtime/network/port_shares.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

namespace hearsay::test::port_shares_test {

namespace {

using Places = std::vector<std::size_t>;
using namespace std::chrono_literals;

constexpr Instant start = Instant(100h);
constexpr double port_bytes_per_s = 1e6;

/// A kernel that paces connections as it was told, and knows when each has sent all.
class Port {
 public:
  void give(std::size_t place, std::uint64_t bytes, Instant now) {
    go_on(now);
    shares_.give(place, bytes, now);
    left_[place] += static_cast<double>(bytes);
    tell();
  }

  /// Sends everything. Returns when each connection was ready that was not at the start, in seconds after it.
  std::map<std::size_t, double> ready() {
    go_on(start + 1h);
    return ready_s_;
  }

 private:
  void go_on(Instant until) {
    while (now_ < until) {
      const Instant next = std::min({until, shares_.next(), next_ready()});
      const double past_s = std::chrono::duration<double>(next - now_).count();
      now_ = next;
      double together = 0.0;
      for (auto& [place, bytes] : left_) {
        if (bytes == 0.0) continue;
        together += rate_[place];
        bytes -= rate_[place] * past_s;
        if (bytes > 0.01) continue;
        bytes = 0.0;
        if (now_ > start) ready_s_[place] = std::chrono::duration<double>(now_ - start).count();
      }
      CHECK(together <= port_bytes_per_s * (1.0 + 1e-9));
      tell();
    }
  }
  Instant next_ready() const {
    double least_s = 7200.0;
    for (const auto& [place, bytes] : left_)
      if (bytes > 0.0) least_s = std::min(least_s, bytes / rate_.at(place));
    return now_ + std::chrono::ceil<Duration>(std::chrono::duration<double>(least_s));
  }
  void tell() {
    if (const auto shares = shares_.changed(now_))
      for (const std::size_t place : shares->places) rate_[place] = shares->each.bytes_per_s;
  }

  Instant now_ = start - 1h;
  PortShares shares_{Bandwidth{port_bytes_per_s}};
  std::map<std::size_t, double> left_;
  std::map<std::size_t, double> rate_;
  std::map<std::size_t, double> ready_s_;
};

using Ready = std::map<std::size_t, double>;

void check_ready(const Ready& ready, const Ready& expected) {
  CHECK(ready.size() == expected.size());
  for (const auto& one : expected) {
    CAPTURE(one.first);
    CHECK(ready.at(one.first) == doctest::Approx(one.second).epsilon(1e-6));
  }
}

}  // namespace

TEST_CASE("port shares: the neighbors of a round are ready together, whoever was served before") {
  Port port;
  port.give(4, 10'000, start - 50s);
  for (const std::size_t place : {0u, 1u, 2u}) port.give(place, 1'000'000, start);
  check_ready(port.ready(), {{0, 3.0}, {1, 3.0}, {2, 3.0}});
}

TEST_CASE("port shares: who alone has something to send has the whole port, of however many it is one") {
  Port port;
  for (std::size_t place = 0; place < 10; ++place) port.give(place, 1'000, start - 50s);
  port.give(7, 1'000'000, start);
  check_ready(port.ready(), {{7, 1.0}});
}

TEST_CASE("port shares: the share of who has sent all, or comes later, is the others' meanwhile") {
  Port port;
  port.give(0, 1'000'000, start);
  port.give(1, 100'000, start);
  check_ready(port.ready(), {{0, 1.1}, {1, 0.2}});

  Port later;
  later.give(0, 1'000'000, start);
  later.give(1, 250'000, start + 500ms);
  check_ready(later.ready(), {{0, 1.25}, {1, 1.0}});
}

TEST_CASE("port shares: what comes while a connection sends is added to what it has") {
  PortShares shares(Bandwidth{port_bytes_per_s});
  shares.give(0, 1'000'000, start);
  REQUIRE(shares.changed(start));
  CHECK(!shares.changed(start + 500ms));
  shares.give(0, 1'000'000, start + 500ms);
  CHECK(!shares.changed(start + 500ms));
  shares.give(1, 2'000'000, start + 1s);
  const auto both = shares.changed(start + 1s);
  REQUIRE(both);
  CHECK(both->places == Places{0, 1});
  CHECK(both->each.bytes_per_s == 500'000.0);
  CHECK(shares.next() == start + 3s);
  CHECK(!shares.changed(start + 3s - 1ms));
  const auto one = shares.changed(start + 3s);
  REQUIRE(one);
  CHECK(one->places == Places{1});
  CHECK(shares.next() == Instant::max());
}

TEST_CASE("port shares: a connection that is broken leaves its share to the others") {
  PortShares shares(Bandwidth{port_bytes_per_s});
  shares.give(0, 1'000'000, start);
  shares.give(1, 1'000'000, start);
  shares.forget(1);
  shares.forget(2);
  const auto one = shares.changed(start);
  REQUIRE(one);
  CHECK(one->places == Places{0});
  CHECK(one->each.bytes_per_s == port_bytes_per_s);
  shares.give(1, 500'000, start + 900ms);  // given anew
  CHECK(shares.next() == start + 1100ms);
}

TEST_CASE("port shares: those that were given as much one after the other are ready together") {
  PortShares shares(Bandwidth{port_bytes_per_s});
  for (std::size_t place = 0; place < 100; ++place)
    shares.give(place, 10'000, start + std::chrono::microseconds(place));
  REQUIRE(shares.changed(start + 100us));
  int turns = 0;
  for (Instant next = shares.next(); next != Instant::max(); next = shares.next(), ++turns)
    shares.changed(next);
  CHECK(turns == 1);
}

TEST_CASE("port shares: nothing is said of a port through which nobody sends") {
  PortShares shares(Bandwidth{port_bytes_per_s});
  CHECK(!shares.changed(start));
  CHECK(shares.next() == Instant::max());
  shares.give(0, 1, start);
  REQUIRE(shares.changed(start));
  CHECK(!shares.changed(start + 1h));
}

}  // namespace hearsay::test::port_shares_test
