#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/participant/participant.hpp"
#include "runtime/simulator/process_archive.hpp"
#include "runtime/simulator/timetable.hpp"
#include "runtime/simulator/virtual_network.hpp"

namespace hearsay {

/// What a virtual cluster asks of those that made it, and tells them.
template <class Scalar>
class ClusterHost {
 public:
  virtual ~ClusterHost() = default;
  /// A process of peer `id` begins. Returns its archive, which outlives it; null: it takes no checkpoints.
  virtual ProcessArchive<Scalar>* archive_for(PeerId id) = 0;
  virtual void begins_work(Participant<Scalar>&, const Work&) {}
  virtual void hears(Participant<Scalar>&, const PeerNews&) {}
  /// A participant has gone on; what it wants to send has not left yet.
  virtual void went_on(Participant<Scalar>&) {}
  virtual void ended(Participant<Scalar>&) {}
  /// The observer has sent what it had to say.
  virtual void observer_went_on() {}
};

/// What the work of participants costs. All that is not named takes no virtual time.
struct WorkCosts {
  Duration gradient;  ///< of a minibatch, if network.compute is "measured"
  std::function<Duration()> score = [] { return Duration{0}; };
  /// The peak memory that a participant reports, in bytes.
  std::function<std::uint64_t()> memory = peak_memory_bytes;
};

/// What a virtual cluster is made from. All that is referred to must outlive it.
template <class Scalar>
struct ClusterInput {
  const Experiment<Scalar>& experiment;
  Timetable& time;
  VirtualNetwork& network;
  ClusterHost<Scalar>& host;
  WorkCosts costs;
  Timeline* timeline = nullptr;  ///< as in RunControl
  Duration start_patience = std::chrono::minutes(1);
  /// Longer messages travel in pieces; by default none, since the emulated network carries a message in
  /// pieces as it carries it whole.
  std::size_t piece_bytes = std::numeric_limits<std::size_t>::max();
};

}  // namespace hearsay
