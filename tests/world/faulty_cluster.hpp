#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/checkpoint/archive.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/observer/observer_session.hpp"
#include "runtime/participant/participant.hpp"

namespace hearsay {

/// The faults of frames as probabilities, those to and from the observer included.
struct Weather {
  double loss = 0.0;
  double repeat = 0.0;    ///< arrives twice
  double overtake = 0.0;  ///< arrives late, after frames that left after it
};

/// A whole run in virtual time: participants, the observer and its session, and a network that loses, repeats
/// and reorders frames, drawn from one seed. All decisions are made by the code of the product; only sockets,
/// clocks and processes are replaced.
class FaultyCluster {
 public:
  /// Peers keep checkpoints and logs in `archive` if failure.checkpoint_every is set.
  FaultyCluster(const Experiment<double>& experiment, std::uint64_t seed, Weather weather,
                std::filesystem::path archive = {});

  /// Lets no frame pass between a and b, in either direction, in [from, until).
  void cut(PeerId a, PeerId b, Duration from, Duration until);
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
  /// The first gradient of peer `id` that ends after `when` fails.
  void fail_gradient(PeerId id, Duration when);
  /// Kills all processes, the observer too, and starts them anew with the record of the observer. They go on
  /// from a common checkpoint.
  void crash_all(Duration when, Duration back);
  /// Kills the process of peer 0 with the observer, and starts both anew with the record of the observer.
  void crash_first(Duration when, Duration back);
  /// Flips a bit of a replica that `holder` keeps, some time after it has completed that iteration.
  void corrupt(PeerId holder, std::uint64_t after_iteration) {
    corruptions_.push_back({holder, after_iteration});
  }
  /// Runs, or goes on, until the session of the observer is over. False if it is not over by `limit` of
  /// virtual time.
  bool run(Duration limit);
  /// The same, until all processes have ended.
  bool run_to_the_end(Duration limit);
  /// The virtual time since the beginning.
  Duration now() const { return now_ - Instant{}; }

  RunOutcome<double> outcome() const { return evaluator_.with_models(observer_->outcome()); }
  PeerSession::Counters counters() const;  ///< of all peers together
  /// Returns a peer, also one that has ended; null: it was killed, or has not begun.
  const Peer<double>* peer(PeerId id) const {
    return nodes_[id].participant ? &nodes_[id].participant->peer() : nullptr;
  }
  /// How the process of peer `id` ended; empty: it has not ended by itself.
  std::optional<PeerEnd> end(PeerId id) const {
    return nodes_[id].participant ? nodes_[id].participant->end() : std::nullopt;
  }
  /// Policy "drop": returns the rows of peer `id` in W, one for each iteration that it has begun since it was
  /// started or joined.
  const std::vector<MixingRow>& rows(PeerId id) const { return nodes_[id].rows; }
  /// The rows of one process. The first is of iteration `joined_at` + 1.
  struct Life {
    std::uint64_t joined_at;
    std::vector<MixingRow> rows;
    static const MixingRow not_seen;  // several iterations went by at once
    /// Returns the row of an iteration. Null if the process took no part in it, or if several iterations went
    /// by at once.
    const MixingRow* row(std::uint64_t iteration) const;
  };
  /// Returns the lives of all processes of peer `id`, the killed ones too, in order.
  std::vector<Life> lives(PeerId id) const;

  // How often the weather struck.
  std::uint64_t lost = 0;
  std::uint64_t repeated = 0;
  std::uint64_t overtaken = 0;
  std::uint64_t corrupted = 0;     ///< replicas
  std::uint64_t crashes = 0;       ///< of peers that were running
  std::uint64_t replayed = 0;      ///< log entries that peers replayed
  std::uint64_t parted = 0;        ///< how often an end of an edge took it out
  std::uint64_t attached = 0;      ///< how often an end of an edge took it in again
  std::uint64_t judged = 0;        ///< how often a peer began to judge a mean model
  std::uint64_t joined = 0;        ///< how often a peer joined with the model of a neighbor
  std::uint64_t hub_lost = 0;      ///< how often a worker ended since it had lost the hub
  std::uint64_t hub_replaced = 0;  ///< how often a hub found that all had gone to its standby
  struct Entry {
    PeerId peer, from;
    std::uint64_t iteration;
    Vector<double> model;
  };
  std::vector<Entry> entries;  ///< one for each time that a peer joined
  /// Called with every frame when it is sent, before any fault. The id of the observer is the number of
  /// peers.
  std::function<void(PeerId from, PeerId to, const FrameHeader&, std::span<const std::byte>)> overhears;
  /// Returns the model of peer `id` after an iteration that it evaluated; null if there is none.
  const Vector<double>* evaluated_model(PeerId id, std::uint64_t iteration) const;

 private:
  struct Node {
    std::unique_ptr<Participant<double>> participant = {};  // null: no process
    std::optional<PeerArchive<double>> archive = {};
    std::uint32_t life = 0;  // how often the process was started
    Instant wakes_at{};
    std::vector<MixingRow> rows = {};
    std::uint64_t joined_at = 0;
    std::vector<Life> earlier = {};
    std::map<std::uint64_t, Vector<double>> evaluated = {};
    std::vector<std::function<void()>> held_up = {};  // events that wait while the process is frozen
    bool frozen = false;
    bool fails = false;  // its next gradient

    /// True if the process runs.
    bool is_up() const { return participant && !participant->end(); }
  };
  struct Frame {
    FrameHeader header;
    std::vector<std::byte> payload;
  };
  struct Event {
    Instant at;
    std::uint64_t sequence;
    std::function<void()> happens;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };
  struct Cut {
    PeerId a, b;
    Instant from, until;
  };

  struct Corruption {
    PeerId holder;
    std::uint64_t after_iteration;
  };

  void begin();
  void look();
  bool go_on_until(Duration limit, const std::function<bool()>& is_over);
  void at(Instant when, std::function<void()> happens);
  /// The same, unless the process of peer `id` dies first.
  void at(Instant when, PeerId id, std::function<void()> happens);
  void kill(PeerId id);
  void start(PeerId id, bool resumes);
  void corrupt_if_due(Peer<double>& peer);
  /// Lets the participant go on, and does what it asks for, until it has to wait.
  void go_on(PeerId id);
  /// Begins the work that the participant asks for. False if it asks for nothing.
  bool begin_work(PeerId id);
  void carry_out(PeerId id);
  void log(Node& node);
  void note_row(Node& node);
  void take(PeerId id, const PeerNews& news);
  void send(PeerId from, const PeerFrame& word);
  void hear_source(PeerId id, const FrameHeader& head, std::span<const std::byte> payload);
  void tick(PeerId id);
  void wake(PeerId id, Instant when);
  bool drops() const { return experiment_.settings.failure.drops(); }
  void renew_observer();
  void serve_observer();
  void send(PeerId from, PeerId to, Frame frame, std::function<void(const Frame&)> arrive);
  bool is_cut(PeerId a, PeerId b) const;
  std::uint32_t incarnation_of(PeerId id) const { return 1000 * id + nodes_[id].life; }
  PeerId observer_place() const { return static_cast<PeerId>(nodes_.size()); }

  bool has_begun_ = false;
  Instant now_{};  // first, since the observer gets it at construction
  const Experiment<double>& experiment_;
  Weather weather_;
  RandomStream random_;
  std::filesystem::path archive_;
  PacketPool packets_;
  Observer<double> evaluator_;
  std::optional<ObserverSession> observer_;
  bool observer_is_dead_ = false;
  std::vector<Node> nodes_;
  std::vector<Instant> previous_arrival_;  // index from * (n + 1) + to, the observer last: links are FIFO
  std::vector<Cut> cuts_;
  std::vector<Corruption> corruptions_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace hearsay
