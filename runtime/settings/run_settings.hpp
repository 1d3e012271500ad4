#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/seam/method_options.hpp"
#include "runtime/foundation/bandwidth_trace.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

enum class ScalarKind { float32, float64 };

/// How long a gradient takes: measured (it takes what it takes), or emulated, for a slow or a fast machine.
struct ComputeTime {
  enum class Kind { measured, constant, lognormal } kind = Kind::measured;
  Duration median{0};
  double sigma = 0.0;  ///< of the logarithm; lognormal only
  bool operator==(const ComputeTime&) const = default;
};

/// The largest message loss: beyond it a message is transmitted more than 100 times on average.
inline constexpr double max_message_loss = 0.99;

/// failure.checkpoint_every where it is a time: after how many iterations the verdicts say (checkpoint_period.hpp).
inline constexpr std::uint64_t as_announced = std::numeric_limits<std::uint64_t>::max();

/// Signs of life come several times within the time after which a silent peer is lost, which therefore has a least value.
inline constexpr Duration shortest_lost_after = std::chrono::milliseconds(200);
inline Duration heartbeat_interval(Duration lost_after) {
  return std::min<Duration>(std::chrono::seconds(2), lost_after / 5);
}

/// The network one peer sees: its port (shared by all its links) and its outgoing links.
struct NetworkSettings {
  Bandwidth bandwidth_up;
  Bandwidth bandwidth_down;
  Duration latency{0};
  Duration jitter{0};
  double message_loss = 0.0;
  ComputeTime compute;
  BandwidthTrace trace =
      {};  ///< of the port, both ways, instead of the two bandwidths, which are then unlimited
  bool operator==(const NetworkSettings&) const = default;
};

/// What one directed link has of its own: [[network.link]].
struct LinkOverride {
  PeerId from;
  PeerId to;
  std::optional<Duration> latency;
  std::optional<Bandwidth> bandwidth;
  bool operator==(const LinkOverride&) const = default;
};

enum class Framing { none, ethernet };

/// One run, resolved: every key of the run file with its default. A plain value; `load_run_file` makes it.
struct RunSettings {
  struct Run {
    std::string name = "quickstart";
    std::uint64_t seed = 1;
    ScalarKind scalar = ScalarKind::float32;
    std::uint64_t iterations = 200;
    std::optional<double> epochs;  ///< instead of iterations
    std::uint64_t evaluate_every = 10;
    std::optional<double> target_loss;
    std::filesystem::path output;  ///< "runs/NAME" unless given
    bool operator==(const Run&) const = default;
  } run;

  struct Data {
    std::string source = "synthetic(samples=8192, features=500, classes=100)";
    std::string test;
    std::string partition = "iid";
    std::optional<double> scale;  ///< features are multiplied by it; pixels are divided by 255 by themselves
    bool operator==(const Data&) const = default;
  } data;

  struct Model {
    std::string kind = "softmax";
    double l1 = 0.0;
    double l2 = 0.0;
    std::string regularizer = "none";  ///< h of composite objectives; l1 is short for "l1(...)"
    std::string init = "zeros";
    bool operator==(const Model&) const = default;
  } model;

  struct Topology {
    std::string kind = "ring";
    PeerId peers = 8;
    std::string weights = "metropolis";
    std::string schedule = "static";
    std::filesystem::path file;  ///< a description file instead of kind, peers, weights
    double participation = 1.0;  ///< the share of the peers that takes part in a round
    bool operator==(const Topology&) const = default;
  } topology;

  struct Algorithm {
    std::string kind = "dcd-psgd";
    std::string compressor;  ///< empty: the method's own default
    double step_size = 0.1;
    std::string step_schedule = "constant";
    std::uint64_t warm_up = 0;                ///< iterations over which the step size grows linearly from 0
    std::optional<std::uint64_t> batch = 32;  ///< empty: the full local gradient ("full")
    MethodOptions options;                    ///< those that only some methods read
    bool allow_unsound = false;
    bool operator==(const Algorithm&) const = default;
  } algorithm;

  struct Failure {
    enum class Policy { wait, drop } policy = Policy::wait;  ///< what becomes of a run that loses a peer
    std::uint64_t checkpoint_every = 0;                      ///< iterations; 0: never; or as_announced
    Duration lost_after =
        std::chrono::minutes(1);          ///< of silence; then wait gives up, and drop goes on without
    Duration checkpoint_period{0};        ///< between checkpoints, where they are as announced
    std::vector<PeerId> join_later = {};  ///< who is not there when the run begins, ascending; drop only
    bool drops() const { return policy == Policy::drop; }
    /// The run goes on without a process that leaves, or waits for its successor, which goes on where it was.
    bool bears_a_leave() const { return drops() || checkpoint_every != 0; }
    bool operator==(const Failure&) const = default;
  } failure;
  /// Of runs that span hosts: CURVE, which encrypts and lets nobody in but the peers. Both keys or none.
  struct Security {
    std::filesystem::path authorized;  ///< the file of all peers' public keys
    std::filesystem::path secret;      ///< this peer's own key pair
    bool operator==(const Security&) const = default;
  } security;

  NetworkSettings network;
  Framing framing = Framing::none;
  std::map<PeerId, NetworkSettings> peer_networks;  ///< peers whose network or compute differs
  std::vector<LinkOverride> link_overrides;         ///< each link once; `prepare` adds the topology file's

  bool operator==(const RunSettings&) const = default;
};

}  // namespace hearsay
