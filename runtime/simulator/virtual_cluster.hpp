#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/observer/observer_session.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/settings/fault_settings.hpp"
#include "runtime/simulator/timetable.hpp"
#include "runtime/simulator/virtual_network.hpp"
#include "runtime/simulator/virtual_process.hpp"

namespace hearsay {

/// All processes of `hearsay run` in virtual time, with the faults that happen to them: participants and the
/// observer's session, which decide as they do in processes. What a participant asks for is done here.
///
/// Messages of the method pass the links of network/link.hpp; all other frames take no time, as in
/// `hearsay run`. The parent of the processes sees at once that one was killed. It starts it again after the
/// time of the fault: from its checkpoint, or, under policy "drop" without checkpoints, as a peer that joins.
template <class Scalar>
class VirtualCluster {
 public:
  /// `measured_gradient`: how long a gradient takes if `network.compute` is "measured".
  VirtualCluster(const Experiment<Scalar>& experiment, Duration measured_gradient, const RunControl& control);

  /// Runs to the end of the observer's session.
  RunOutcome<Scalar> run();

 private:
  using Process = VirtualProcess<Scalar>;

  const RunSettings& settings() const { return experiment_.settings; }
  bool takes_checkpoints() const { return settings().failure.keeps_checkpoints(); }

  // Faults.
  void enter_faults();
  /// False if it cannot happen: there is no such process, or it stands still already.
  bool happen(const Fault& fault, PeerId id);
  bool end_process(PeerId id, std::optional<Duration> lasts);
  bool start_again(PeerId id);
  bool freeze(PeerId id, Duration lasts);
  void thaw(PeerId id);

  // Processes.
  void start(PeerId id, bool resumes);
  /// Enters what happens to the process of peer `id`, unless that process ends first.
  void at(Instant when, PeerId id, std::function<void()> happens);
  /// Lets it happen to the process of peer `id`; later, if that is frozen; not at all, if there is none.
  void happen_to(PeerId id, std::function<void()> happens);
  void tick(PeerId id);
  void wake(PeerId id, Instant when);
  void go_on(PeerId id);
  bool begin_work(PeerId id);
  void carry_out(PeerId id);

  // Frames.
  /// True if no frame passes between a and b now. The observer is at the place of peer 0.
  bool is_cut(PeerId a, PeerId b) const {
    return observer_.started() && network_.is_cut(a, b, time_.now() - observer_.origin());
  }
  /// A frame reaches the process of peer `to` that is there then.
  void reach(PeerId to, std::function<void()> happens) {
    time_.at(time_.now(), [this, to, happens = std::move(happens)] { happen_to(to, happens); });
  }
  void send(PeerId from, PeerFrame& word);
  void send_data(PeerId from, const PeerFrame& word);
  void receive_data(PeerId to, const FrameHeader& head, const PacketRef& packet, Instant due);
  void serve_observer();
  void tick_observer();
  void report_evaluations();

  RunOutcome<Scalar> outcome();

  const Experiment<Scalar>& experiment_;
  Duration measured_gradient_;
  const RunControl& control_;
  Timetable time_;
  PacketPool packets_;
  Observer<Scalar> evaluator_;
  ObserverSession observer_;
  VirtualNetwork network_;
  std::vector<Process> processes_;
  std::size_t reported_ = 0;  // evaluations
  std::uint64_t restarts_ = 0;
  bool has_entered_faults_ = false;
};

}  // namespace hearsay
