#include "runtime/supervision/fault_injector.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/supervision/supervised_children.hpp"

namespace hearsay::test::fault_injector_test {

using namespace std::chrono_literals;

namespace {

using Kind = Fault::Kind;
using News = std::vector<std::string>;

/// Three children, one of which may join later, and the faults of their run.
struct Scene {
  Scene(Supervisor::Policy policy, const std::vector<Fault>& faults, std::optional<PeerId> absent = {})
      : children({.policy = policy, .can_start = true, .lost_after = 1s}, 3, absent),
        injector(faults, children.supervisor, children.notice) {
    children.start();
  }

  /// Lets happen what is due `when` after the start. Returns what was said, and what was done to processes.
  News look(Duration when) {
    children.news.clear();
    children.done.clear();
    while (injector.step(origin + when)) children.carry_out();
    News all = children.news;
    all.insert(all.end(), children.done.begin(), children.done.end());
    return all;
  }

  Instant origin{100s};
  SupervisedChildren children;
  FaultInjector injector;
};

constexpr auto restore = Supervisor::Policy::restore;
constexpr auto drop = Supervisor::Policy::drop;

}  // namespace

TEST_CASE("fault injector: faults happen at their times, which count from the first start of the run") {
  Scene scene(restore, {{1s, {1}, Kind::death, 2s}, {2s, {0, 2}, Kind::freeze, 5s}});
  CHECK(scene.look(10s).empty());  // the run has not begun
  scene.injector.begin(scene.origin);
  scene.injector.begin(scene.origin + 50s);  // it goes back to a checkpoint
  CHECK(scene.look(999ms).empty());
  CHECK(scene.look(1s) == News{"peer 1 is killed for 2 s: a [[fault]]", "end 1"});
  CHECK(scene.look(2s) ==
        News{"peer 0 stands still for 5 s: a [[fault]]", "peer 2 stands still for 5 s: a [[fault]]"});
  CHECK(scene.children.processes[2].stands_still);
  CHECK(scene.look(3s) == News{"start 1 from its checkpoint"});
  CHECK(scene.look(6999ms).empty());
  CHECK(scene.look(7s).empty());
  CHECK_FALSE(scene.children.processes[2].stands_still);
  CHECK(scene.look(1000s).empty());
}

TEST_CASE("fault injector: what was due meanwhile happens in the order of time, ties in that of the faults") {
  Scene scene(drop, {{1s, {1}, Kind::death}, {1s, {1}, Kind::rejoin}, {2s, {1}, Kind::freeze, 1s}});
  scene.injector.begin(scene.origin);
  CHECK(scene.look(9s) == News{"peer 1 is killed: a [[fault]]", "peer 1 is started: a [[fault]]",
                               "peer 1 stands still for 1 s: a [[fault]]", "end 1", "start 1"});
  CHECK_FALSE(scene.children.processes[1].stands_still);
}

TEST_CASE("fault injector: what cannot happen is passed over, with all that would follow") {
  Scene scene(drop, {{1s, {0}, Kind::rejoin},        // it is there
                     {2s, {1}, Kind::death, 10s},    //
                     {3s, {1}, Kind::death, 1s},     // it is not
                     {4s, {1}, Kind::freeze, 1s},    //
                     {5s, {2}, Kind::freeze, 10s},   //
                     {6s, {2}, Kind::freeze, 1s}});  // it stands still
  scene.injector.begin(scene.origin);
  CHECK(scene.look(1s).empty());
  CHECK(scene.look(2s).size() == 2);
  CHECK(scene.look(4500ms).empty());
  CHECK(scene.look(5s).size() == 1);
  CHECK(scene.look(8s).empty());
  CHECK(scene.children.processes[2].stands_still);
  CHECK(scene.look(12s) == News{"start 1"});
  CHECK(scene.look(15s).empty());
  CHECK_FALSE(scene.children.processes[2].stands_still);
}

TEST_CASE("fault injector: who was started meanwhile is not started again, and who cannot be is told") {
  Scene scene(drop, {{1s, {1}, Kind::death, 5s}, {2s, {1}, Kind::rejoin}, {3s, {2}, Kind::death, 5s}});
  scene.injector.begin(scene.origin);
  CHECK(scene.look(2s).size() == 4);
  CHECK(scene.look(3s).size() == 2);
  CHECK(scene.look(6s).empty());
  scene.children.supervisor.note_end_of_starter();
  CHECK(scene.look(8s) == News{"peer 2 was not started again"});
}

TEST_CASE("fault injector: a process is not started at the end of a fault that killed an earlier one") {
  Scene scene(drop, {{1s, {1}, Kind::death, 5s}, {2s, {1}, Kind::rejoin}, {3s, {1}, Kind::death}});
  scene.injector.begin(scene.origin);
  CHECK(scene.look(3s).size() == 6);
  CHECK(scene.look(9s).empty());
}

TEST_CASE("fault injector: who has ended by itself is neither killed nor started") {
  Scene scene(drop, {{1s, {1}, Kind::death, 5s}, {2s, {1}, Kind::rejoin}, {3s, {1}, Kind::freeze, 1s}});
  scene.injector.begin(scene.origin);
  scene.children.end(1, "its objective failed", ProcessEnd{ProcessEnd::By::exit, 3});
  CHECK(scene.look(9s).empty());
  CHECK_FALSE(scene.injector.next());
}

TEST_CASE("fault injector: a peer that joins later is started by its fault, and killed as any other then") {
  Scene scene(drop, {{1s, {2}, Kind::death, 1s}, {4s, {2}, Kind::rejoin}, {5s, {2}, Kind::death}}, PeerId{2});
  scene.injector.begin(scene.origin);
  CHECK(scene.look(3s).empty());
  CHECK(scene.look(4s) == News{"peer 2 is started: a [[fault]]", "start 2"});
  CHECK(scene.look(5s) == News{"peer 2 is killed: a [[fault]]", "end 2"});
}

}  // namespace hearsay::test::fault_injector_test
