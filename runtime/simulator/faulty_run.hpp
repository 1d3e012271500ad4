#pragma once

#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/simulator/shaped_network.hpp"
#include "runtime/simulator/virtual_archive.hpp"
#include "runtime/simulator/virtual_cluster.hpp"
#include "runtime/supervision/fault_injector.hpp"
#include "runtime/supervision/supervisor.hpp"

namespace hearsay {

/// A run of `hearsay simulate` with faults ([[fault]]): a virtual cluster on the network of its run file. Who
/// is killed, frozen, started again or lost is decided as under `hearsay run` (FaultInjector, Supervisor);
/// here it is done to virtual processes. As there, the parent sees at once that a process has ended. All
/// peers never go back together: a checkpoint in memory is never unreadable.
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

  void add_children();
  void await_fault();
  /// Does what the supervisor decides, and tells the observer who is lost.
  void carry_out();
  void on(const Supervisor::Start& start);
  void on(const Supervisor::End& end);
  void on(const Supervisor::AwaitEnd& await);
  void on(const Supervisor::Freeze& freeze);
  void on(const Supervisor::Thaw& thaw);
  void on(const Supervisor::TellAddresses&) {}  // the cluster knows where each peer is
  void on(const Supervisor::Refuse& refuse);

  void report_evaluations();
  RunOutcome<Scalar> outcome();

  const Experiment<Scalar>& experiment_;
  const RunControl& control_;
  Timetable time_;
  ShapedNetwork network_;
  std::vector<VirtualArchive<Scalar>> archives_;
  VirtualCluster<Scalar> cluster_;
  Supervisor supervisor_;
  FaultInjector faults_;
  std::vector<bool> resumes_;  // whether the process of a peer was to
  std::size_t reported_ = 0;   // evaluations
  bool has_begun_ = false;
};

}  // namespace hearsay
