#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/supervision/supervisor.hpp"
#include "tests/supervision/supervised_children.hpp"

namespace hearsay::test::supervisor_phases_test {

using namespace std::chrono_literals;

namespace {

using Policy = Supervisor::Policy;
using Phase = Supervisor::Phase;
using By = ProcessEnd::By;

Supervisor::Terms terms(Policy policy) { return {.policy = policy, .can_start = true, .lost_after = 1s}; }

std::string name_of(Phase phase) {
  switch (phase) {
    case Phase::absent:
      return "absent";
    case Phase::coming_up:
      return "coming-up";
    case Phase::up:
      return "up";
    case Phase::frozen:
      return "frozen";
    case Phase::ending:
      return "ending";
    case Phase::felled:
      return "felled";
    case Phase::down:
      return "down";
    case Phase::starting:
      return "starting";
    case Phase::ended:
      return "ended";
    case Phase::lost:
      return "lost";
  }
  return {};
}

constexpr PeerId child = 1;  // of three

/// Brings the child into a phase in which it stays.
void enter(SupervisedChildren& scene, Phase phase) {
  if (phase != Phase::coming_up) scene.start();
  if (phase == Phase::frozen) scene.supervisor.freeze(child);
  if (phase == Phase::down) scene.supervisor.end_by_fault(child, true);
  if (phase == Phase::ended) scene.hear(child, ended_well);
  if (phase == Phase::lost) scene.end(child, "a reason", ProcessEnd{By::exit, 3});
  scene.carry_out();
  while (scene.supervisor.next_loss()) continue;
  REQUIRE(scene.supervisor.phase(child) == phase);
}

struct Event {
  std::string name;
  std::function<void(SupervisedChildren&)> happen;
  bool needs_a_process = true;
};

const std::vector<Event>& events() {
  static const std::vector<Event> all = {
      {"address", [](auto& scene) { scene.hear(child, "tcp://127.0.0.1:7"); }},
      {"ends-well",
       [](auto& scene) {
         scene.end(child, ended_well, ProcessEnd{By::exit, 0});
       }},
      {"fails",
       [](auto& scene) {
         scene.end(child, "a reason", ProcessEnd{By::exit, 3});
       }},
      {"misuse",
       [](auto& scene) {
         scene.end(child, "a reason", ProcessEnd{By::exit, 2});
       }},
      {"killed", [](auto& scene) { scene.end_from_outside(child); }},
      {"unknown", [](auto& scene) { scene.end(child, "", std::nullopt); }},
      {"crashed",
       [](auto& scene) {
         scene.end(child, "", ProcessEnd{By::own_fault, 11});
       }},
      {"cannot-come-back", [](auto& scene) { scene.end(child, std::string(cannot_come_back) + "why", {}); }},
      {"felled", [](auto& scene) { scene.supervisor.end_by_fault(child, true); }, false},
      {"felled-for-good", [](auto& scene) { scene.supervisor.end_by_fault(child, false); }, false},
      {"rejoin", [](auto& scene) { scene.supervisor.start_by_fault(child); }, false},
      {"freeze", [](auto& scene) { scene.supervisor.freeze(child); }, false},
      {"thaw", [](auto& scene) { scene.supervisor.thaw(child, 1); }, false},
      {"thaw-of-another", [](auto& scene) { scene.supervisor.thaw(child, 7); }, false},
  };
  return all;
}

/// Returns the phase in which the child is after the event; "." if that is the same, "anew" if it was started
/// for it. Then "!" if it is said to be lost, "?" if the run is refused. "-" if the event cannot happen.
std::string after(Policy policy, Phase phase, const Event& event) {
  SupervisedChildren scene(terms(policy), 3, phase == Phase::absent ? std::optional(child) : std::nullopt);
  enter(scene, phase);
  if (event.needs_a_process && !scene.supervisor.listens_to(child)) return "-";
  scene.done.clear();
  event.happen(scene);
  scene.carry_out();
  const Phase now = scene.supervisor.phase(child);
  const bool is_anew = !scene.done.empty() && scene.done.back().starts_with("start");
  return (is_anew        ? "anew"
          : now == phase ? "."
                         : name_of(now)) +
         (scene.supervisor.next_loss() ? "!" : "") + (scene.refusal.empty() ? "" : "?");
}

std::string matrix(Policy policy) {
  std::ostringstream text;
  for (const Event& event : events()) {
    text << std::left << std::setw(17) << event.name;
    for (const Phase phase :
         {Phase::absent, Phase::coming_up, Phase::up, Phase::frozen, Phase::down, Phase::ended, Phase::lost})
      text << std::setw(8) << after(policy, phase, event);
    text << "\n";
  }
  std::string table = text.str();
  for (std::size_t at = 0; (at = table.find(" \n")) != table.npos;) table.erase(at, 1);
  return table;
}

/// A run of four children, one of which may join later, to which anything happens at random.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed)
      : random_(seed, 0, 0, Purpose::faults),
        scene_({.policy = static_cast<Policy>(random_.below(3)),
                .resumes = random_.below(2) == 0,
                .can_start = true,
                .lost_after = 1s},
               count, random_.below(2) == 0 ? std::optional<PeerId>(3) : std::nullopt),
        missed_(count, false) {}

  void run() {
    for (int step = 0; step < 300 && scene_.refusal.empty(); ++step) {
      happen();
      check();
    }
  }

 private:
  static constexpr PeerId count = 4;
  Supervisor& supervisor() { return scene_.supervisor; }

  void happen() {
    if (supervisor().have_to_go_back()) return go_back();
    if (!begun_ && random_.below(8) == 0) return begin();
    const auto id = static_cast<PeerId>(random_.below(count));
    const bool listens = supervisor().listens_to(id);
    switch (random_.below(9)) {
      case 0:
        if (listens) scene_.end_from_outside(id);
        break;
      case 1:
        if (listens && random_.below(8) == 0) scene_.end(id, "a reason", ProcessEnd{By::exit, 3});
        break;
      case 2:
        if (listens && random_.below(8) == 0) scene_.hear(id, begun_ ? ended_well : "tcp://127.0.0.1:9");
        break;
      case 3:
        if (listens) scene_.end(id, std::string(cannot_come_back) + "why", std::nullopt);
        break;
      case 4:
        scene_.refuses_starts = random_.below(16) == 0;
        break;
      case 5:
        if (begun_) supervisor().end_by_fault(id, random_.below(2) == 0);
        break;
      case 6:
        if (begun_) supervisor().start_by_fault(id);
        break;
      case 7:
        if (begun_) supervisor().freeze(id);
        break;
      case 8:
        supervisor().thaw(id, static_cast<int>(1 + random_.below(3)));
    }
    scene_.carry_out();
  }

  void begin() {
    scene_.start();
    begun_ = true;
  }

  void go_back() {
    ++go_backs_;
    supervisor().go_back();
    missed_.assign(count, false);
    begun_ = false;
    scene_.carry_out();
  }

  /// Whoever has a process is listened to; whoever lacks one is told to be lost once, unless the run waits
  /// for it; whoever has begun knows where the others are.
  void check() {
    for (PeerId id = 0; id < count; ++id)
      if (supervisor().listens_to(id)) missed_[id] = false;  // it was started again
    while (const auto loss = supervisor().next_loss()) {
      if (!loss->id) continue;
      REQUIRE_FALSE(missed_[*loss->id]);
      missed_[*loss->id] = true;
    }
    REQUIRE(go_backs_ <= Supervisor::most_go_backs);
    for (PeerId id = 0; id < count; ++id) {
      const Phase phase = supervisor().phase(id);
      const auto& process = scene_.processes[id];
      REQUIRE(process.is_there == (supervisor().listens_to(id) || phase == Phase::ended));
      REQUIRE(process.stands_still == (phase == Phase::frozen));
      if (begun_ && process.is_there) REQUIRE(process.knows_addresses);
      if (missed_[id]) REQUIRE_FALSE(process.is_there);
      if (phase == Phase::lost && scene_.refusal.empty()) REQUIRE((missed_[id] || id == 3));
      REQUIRE((phase != Phase::ending && phase != Phase::felled && phase != Phase::starting));
    }
  }

  RandomStream random_;
  SupervisedChildren scene_;
  std::vector<bool> missed_;  // said to be lost
  bool begun_ = false;
  int go_backs_ = 0;
};

}  // namespace

TEST_CASE("supervisor: what every event does to a child in every phase") {
  // absent, coming up, up, frozen, down, ended, lost
  const std::string that_loses = R"(
address          -       up      .       .       -       -       -
ends-well        -       lost!   ended   ended   -       -       -
fails            -       lost!   lost!   lost!   -       -       -
misuse           -       lost!?  lost!?  lost!?  -       -       -
killed           -       lost!   lost!   lost!   -       -       -
unknown          -       lost!   lost!   lost!   -       -       -
crashed          -       lost!   lost!   lost!   -       -       -
cannot-come-back -       lost!   down!   down!   -       -       -
felled           .       down!   down!   down!   .       .       .
felled-for-good  .       down!   down!   down!   .       .       .
rejoin           anew    .       .       .       anew    .       .
freeze           .       frozen  frozen  .       .       .       .
thaw             .       .       .       up      .       .       .
thaw-of-another  .       .       .       .       .       .       .
)";
  CHECK("\n" + matrix(Policy::end) == that_loses);
  CHECK("\n" + matrix(Policy::drop) == that_loses);
  CHECK("\n" + matrix(Policy::restore) == R"(
address          -       up      .       .       -       -       -
ends-well        -       lost!   ended   ended   -       -       -
fails            -       lost!   lost!   lost!   -       -       -
misuse           -       lost!?  lost!?  lost!?  -       -       -
killed           -       anew    anew    anew    -       -       -
unknown          -       anew    anew    anew    -       -       -
crashed          -       lost!   lost!   lost!   -       -       -
cannot-come-back -       lost!   down!   down!   -       -       -
felled           .       down    down    down    .       .       .
felled-for-good  .       down!   down!   down!   .       .       .
rejoin           anew    .       .       .       anew    .       .
freeze           .       frozen  frozen  .       .       .       .
thaw             .       .       .       up      .       .       .
thaw-of-another  .       .       .       .       .       .       .
)");
}

TEST_CASE(
    "supervisor: whatever happens, in any order, nobody is lost twice, forgotten, or left without a word") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    RandomRun(seed).run();
  }
}

}  // namespace hearsay::test::supervisor_phases_test
