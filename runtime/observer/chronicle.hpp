#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/record/run_event.hpp"

namespace hearsay {

class EvaluationSchedule;
class RunStart;

/// Writes down what happens to the peers of a run, and when.
class Chronicle {
 public:
  /// `earlier`: what happened before, in a run that goes on. The others must outlive this.
  Chronicle(const RunStart& start, const EvaluationSchedule& schedule, Instant now,
            std::vector<RunEvent> earlier)
      : start_(start), schedule_(schedule), now_(now), events_(std::move(earlier)) {}

  /// It is `now`: whatever is noted next happens then.
  void note_time(Instant now) { now_ = now; }
  Instant now() const { return now_; }

  void note(RunEvent::What what, PeerId id, std::uint64_t iteration);
  /// The same, in the iteration of the peer's last evaluation.
  void note(RunEvent::What what, PeerId id);

  const std::vector<RunEvent>& events() const { return events_; }

 private:
  const RunStart& start_;
  const EvaluationSchedule& schedule_;
  Instant now_;
  std::vector<RunEvent> events_;  // in the order of time
};

}  // namespace hearsay
