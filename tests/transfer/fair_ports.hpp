#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <list>
#include <utility>
#include <vector>

namespace hearsay::test {

/// Hosts whose ports carry one message in a unit of time, each way, and which share them as TCP does after a
/// while: max-min fair. In virtual time.
class FairPorts {
 public:
  explicit FairPorts(std::size_t hosts) : hosts_(hosts) {}

  double now() const { return now_; }
  void at(double when, std::function<void()> what) { timers_.emplace_back(when, std::move(what)); }
  /// A message of size 1. `arrived` is called when its last byte is there.
  void send(std::size_t from, std::size_t to, std::function<void()> arrived) {
    flows_.push_back({from, to, 1.0, 0.0, std::move(arrived)});
  }
  bool is_sending(std::size_t from, std::size_t to) const {
    return std::ranges::any_of(flows_, [&](const Flow& flow) { return flow.from == from && flow.to == to; });
  }

  /// Goes on to the next event, and calls what waits for it.
  void step() {
    share();
    double passes = std::numeric_limits<double>::infinity();
    for (const Flow& flow : flows_)
      if (flow.rate > 0.0) passes = std::min(passes, flow.left / flow.rate);
    for (const auto& [when, what] : timers_) passes = std::min(passes, std::max(0.0, when - now_));
    now_ += passes;
    for (Flow& flow : flows_) flow.left -= flow.rate * passes;
    std::vector<std::function<void()>> due;
    const auto collect = [&](auto& list, auto is_due, auto call_of) {
      for (auto entry = list.begin(); entry != list.end();)
        if (is_due(*entry)) {
          due.push_back(std::move(call_of(*entry)));
          entry = list.erase(entry);
        } else {
          ++entry;
        }
    };
    constexpr double rounding = 1e-9;
    collect(
        flows_, [](const Flow& flow) { return flow.left <= rounding; },
        [](Flow & flow) -> auto& { return flow.arrived; });
    collect(
        timers_, [&](const Timer& timer) { return timer.first <= now_ + rounding; },
        [](Timer & timer) -> auto& { return timer.second; });
    for (const auto& call : due) call();
  }

 private:
  struct Flow {
    std::size_t from;
    std::size_t to;
    double left;
    double rate;
    std::function<void()> arrived;
  };
  using Timer = std::pair<double, std::function<void()>>;

  /// Sets the rates: the port whose flows get least fixes theirs, then the next one. Of two flows from one
  /// host to another, TCP carries one after the other.
  void share() {
    std::vector<double> capacity(2 * hosts_, 1.0);  // of out-ports, then of in-ports
    std::vector<Flow*> open;
    for (Flow& flow : flows_) {
      flow.rate = 0.0;
      if (std::ranges::none_of(open, [&](const Flow* f) { return f->from == flow.from && f->to == flow.to; }))
        open.push_back(&flow);
    }
    while (!open.empty()) {
      std::vector<double> users(2 * hosts_, 0.0);
      for (const Flow* flow : open) ++users[flow->from], ++users[hosts_ + flow->to];
      std::size_t tightest = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t port = 0; port < users.size(); ++port)
        if (users[port] > 0.0 && capacity[port] / users[port] < least) {
          least = capacity[port] / users[port];
          tightest = port;
        }
      std::erase_if(open, [&](Flow* flow) {
        if (flow->from != tightest && hosts_ + flow->to != tightest) return false;
        flow->rate = least;
        capacity[flow->from] -= least;
        capacity[hosts_ + flow->to] -= least;
        return true;
      });
    }
  }

  std::size_t hosts_;
  double now_ = 0.0;
  std::list<Flow> flows_;
  std::list<Timer> timers_;
};

}  // namespace hearsay::test
