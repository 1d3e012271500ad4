#pragma once

#include <optional>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/settings/fault_settings.hpp"
#include "runtime/simulator/shaped_network.hpp"
#include "runtime/simulator/virtual_archive.hpp"
#include "runtime/simulator/virtual_cluster.hpp"

namespace hearsay {

/// A run of `hearsay simulate` with faults ([[fault]]): a virtual cluster on the network of its run file. As
/// under `hearsay run`, a parent of the processes sees at once that one was killed. It starts it again after
/// the time of the fault: from its checkpoint, or, under policy "drop" without checkpoints, as a peer that
/// joins.
template <class Scalar>
class FaultyRun final : private ClusterHost<Scalar> {
 public:
  /// `measured_gradient`: how long a gradient takes if `network.compute` is "measured".
  FaultyRun(const Experiment<Scalar>& experiment, Duration measured_gradient, const RunControl& control);

  /// Runs to the end of the observer's session.
  RunOutcome<Scalar> run();

 private:
  const RunSettings& settings() const { return experiment_.settings; }
  bool takes_checkpoints() const { return settings().failure.keeps_checkpoints(); }

  // Of the host.
  ProcessArchive<Scalar>* archive_for(PeerId id) override {
    return takes_checkpoints() ? &archives_[id] : nullptr;
  }
  void hears(Participant<Scalar>&, const PeerNews& news) override { control_.notice(news.sentence); }
  void ended(Participant<Scalar>& participant) override;
  void observer_went_on() override;

  void enter_faults();
  /// False if it cannot happen: there is no such process, or it stands still already.
  bool happen(const Fault& fault, PeerId id);
  bool end_process(PeerId id, std::optional<Duration> lasts);
  bool start_again(PeerId id);
  bool freeze(PeerId id, Duration lasts);

  void report_evaluations();
  RunOutcome<Scalar> outcome();

  const Experiment<Scalar>& experiment_;
  const RunControl& control_;
  Timetable time_;
  ShapedNetwork network_;
  std::vector<VirtualArchive<Scalar>> archives_;
  VirtualCluster<Scalar> cluster_;
  std::size_t reported_ = 0;  // evaluations
  std::uint64_t restarts_ = 0;
  bool has_entered_faults_ = false;
};

}  // namespace hearsay
