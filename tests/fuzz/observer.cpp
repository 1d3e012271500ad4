// Two peers, a stranger and the observer; any of the callers may send nonsense. Byte 0 says whether the run
// goes on without a lost peer. Then comes a list of steps: a byte that says what happens, and the bytes that
// this needs.
#include <chrono>

#include "runtime/experiment/run_agreement.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/observer/observer_session.hpp"
#include "runtime/record/json.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/support/experiments.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;
using namespace std::chrono_literals;

namespace {

const Experiment<double>& experiment(bool drops) {
  static const auto waiting = quadratic_experiment<double>("d-psgd", "path", 2, 3);
  static const auto dropping = [] {
    auto changed = quadratic_experiment<double>("d-psgd", "path", 2, 3);
    changed.settings.failure.policy = RunSettings::Failure::Policy::drop;
    return changed;
  }();
  return drops ? dropping : waiting;
}

const Agreement& agreement() {
  static const Agreement agreed = agreement_of(experiment(false));
  return agreed;
}

ObserverInput input(bool drops) {
  ObserverInput of_run = observer_input(experiment(drops), 10s);
  of_run.agreement = agreement();
  return of_run;
}

class Scene {
 public:
  explicit Scene(fuzz::Input input) : input_(input) {}

  void play() {
    while (!input_.empty()) {
      step();
      ensure(session_.outbox().size() <= 64, "a step makes the observer say little");
      session_.outbox().clear();
    }
    session_.outcome();
  }

 private:
  void step() {
    const auto what = input_.take<std::uint8_t>();
    const PeerId sender = what / 8 % 4;
    switch (what % 8) {
      case 0: {
        static const auto hello = encode_agreement(agreement());
        return say(sender, FrameKind::hello, hello);
      }
      case 1:
        return say(sender, FrameKind::ready, {});
      case 2:
        return say(sender, FrameKind::evaluation, evaluation());
      case 3: {
        static const auto outcome = encode_outcome(PeerOutcome{});
        return say(sender, FrameKind::result, outcome);
      }
      case 4: {
        const auto kind = static_cast<FrameKind>(1 + input_.take<std::uint8_t>() % 33);
        return say(sender, kind, input_.take_bytes(input_.take<std::uint16_t>()));
      }
      case 5:
        now_ += 100ms * input_.take<std::uint8_t>();
        return session_.tick(now_);
      case 6:
        return session_.judge_silence(now_);
      default:
        return session_.interrupt(now_);
    }
  }

  /// Returns an evaluation: of the initial model with meters of 0, or with meters and model from the input.
  std::vector<std::byte> evaluation() {
    static const auto initial = encode_snapshot(PeerMeters{}, experiment(false).problem.initial);
    if (input_.take<std::uint8_t>() % 4 != 0) return initial;
    PeerMeters meters;
    for (Duration* const time : {&meters.now, &meters.compute, &meters.wait, &meters.wire})
      *time = Duration(input_.take<std::int64_t>());
    Vector<double> model(3);
    for (double& entry : model) entry = input_.take<double>();
    return encode_snapshot(meters, model);
  }

  void say(PeerId sender, FrameKind kind, const std::vector<std::byte>& payload) {
    FrameHeader header;
    header.kind = kind;
    header.sender = sender;
    header.iteration = input_.take<std::uint8_t>();
    header.slot = input_.take<std::uint8_t>();
    if (kind == FrameKind::hello && header.iteration % 8 != 7)
      header.iteration = experiment(drops_).iterations;  // any other number is refused
    header.incarnation = header.slot / 64 % 2;
    // One frame of 256 belongs to another run.
    header.run_id = run_id(agreement()) + (header.slot == 255 ? 1 : 0);
    session_.hear(header, payload, now_);
  }

  fuzz::Input input_;
  Instant now_{};
  const bool drops_ = input_.take<std::uint8_t>() % 2 == 1;
  Observer<double> evaluator_{experiment(drops_).problem, {}};
  ObserverSession session_{input(drops_), evaluator_, now_};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Scene(fuzz::Input(data, size)).play();
  return 0;
}
