#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/simulator/virtual_cluster.hpp"
#include "tests/world/disk_archive.hpp"
#include "tests/world/lossy_network.hpp"
#include "tests/world/witness.hpp"

namespace hearsay {

/// A whole run in virtual time, that of `hearsay simulate` with faults, on a network that loses, repeats and
/// reorders frames, drawn from one seed. What happens to the processes is up to the test, which sees what
/// they do (Witness).
class FaultyCluster final : public Witness {
 public:
  /// Peers keep checkpoints and logs in `archive` if failure.checkpoint_every is set.
  /// Messages of more than `piece_bytes` travel in pieces.
  FaultyCluster(const Experiment<double>& experiment, std::uint64_t seed, Weather weather,
                std::filesystem::path archive = {},
                std::size_t piece_bytes = std::numeric_limits<std::size_t>::max());

  LossyNetwork& network() { return network_; }
  /// Lets no frame pass between a and b, in either direction, in [from, until). The id of the observer is the
  /// number of peers.
  void cut(PeerId a, PeerId b, Duration from, Duration until) { network_.cut(a, b, from, until); }
  /// Kills the process of peer `id` at `when`, with its memory and its frames under way, and starts it from
  /// its archive at `back`.
  void crash(PeerId id, Duration when, Duration back);
  /// Starts a peer of failure.join_later.
  void begin_late(PeerId id, Duration when);
  /// As crash, but the new process has no archive. The run has gone on without the peer, which now joins.
  void replace(PeerId id, Duration when, Duration back);
  /// As crash, but no process is started anew.
  void lose(PeerId id, Duration when);
  /// Stops the process of peer `id` in [from, until). Arriving frames wait.
  void freeze(PeerId id, Duration from, Duration until);
  /// The user interrupts the process of peer `id`.
  void interrupt(PeerId id, Duration when);
  /// The process of peer `id` is asked to end.
  void leave(PeerId id, Duration when);
  /// Kills all processes, the observer too, and starts them anew with the record of the observer. They go on
  /// from a common checkpoint.
  void crash_all(Duration when, Duration back);
  /// Kills the process of peer 0 with the observer, and starts both anew with the record of the observer.
  void crash_first(Duration when, Duration back);
  /// Flips a bit of a replica that `holder` keeps, some time after it has completed that iteration.
  void corrupt(PeerId holder, std::uint64_t after_iteration) {
    corruptions_.push_back({holder, after_iteration, std::nullopt});
  }
  /// The same; `acts_on_it` later its process is killed, and starts from its archive after `away`.
  void corrupt_and_crash(PeerId holder, std::uint64_t after_iteration, Duration acts_on_it, Duration away) {
    corruptions_.push_back({holder, after_iteration, Death{acts_on_it, away}});
  }
  /// Runs, or goes on, until the session of the observer is over. False if it is not over by `limit` of
  /// virtual time.
  bool run(Duration limit);
  /// The same, until all processes have ended.
  bool run_to_the_end(Duration limit);
  /// The virtual time since the beginning.
  Duration now() const { return time_.now() - Instant{}; }

  RunOutcome<double> outcome() const {
    return cluster_.evaluator().with_models(cluster_.observer().outcome());
  }
  PeerSession::Counters counters() const;  ///< of all peers together
  /// Returns a peer, also one that has ended; null: it was killed, or has not begun.
  const Peer<double>* peer(PeerId id) const {
    const Participant<double>* const participant = cluster_.process(id).participant();
    return participant ? &participant->peer() : nullptr;
  }
  /// How the process of peer `id` ended; empty: it has not ended by itself.
  std::optional<PeerEnd> end(PeerId id) const {
    const Participant<double>* const participant = cluster_.process(id).participant();
    return participant ? participant->end() : std::nullopt;
  }

 private:
  struct Death {
    Duration later;
    Duration away;
  };
  struct Corruption {
    PeerId holder;
    std::uint64_t after_iteration;
    std::optional<Death> then;
  };

  ProcessArchive<double>* archive_for(PeerId id) override;
  void went_on(Participant<double>& participant) override;

  void begin();
  void at(Duration when, std::function<void()> happens) { time_.at(Instant(when), std::move(happens)); }
  /// The same, unless the process of peer `id` has ended by then.
  void at(Duration when, PeerId id, void (Participant<double>::*happens)(Instant));
  void kill(PeerId id);
  void start(PeerId id, bool resumes);
  void renew_observer();
  void corrupt_if_due(Peer<double>& peer);
  PeerId peer_count() const { return experiment_.peer_count(); }

  bool has_begun_ = false;
  const Experiment<double>& experiment_;
  Timetable time_;
  RandomStream random_;
  LossyNetwork network_;
  std::filesystem::path folder_;
  std::vector<std::optional<DiskArchive>> archives_;
  VirtualCluster<double> cluster_;
  std::vector<Corruption> corruptions_;
};

}  // namespace hearsay
