#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/seam/method_options.hpp"
#include "runtime/cluster/topology_settings.hpp"
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

/// Signs of life come several times within the time after which a silent peer is lost, which therefore has a
/// least value.
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

  TopologySettings topology;

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
    std::uint64_t checkpoint_every = 0;                      ///< iterations; 0: never, or by time
    Duration lost_after =
        std::chrono::minutes(1);  ///< of silence; then wait gives up, and drop goes on without
    /// Time between checkpoints; 0: not by time. The verdicts announce how many iterations it is
    /// (checkpoint_period.hpp).
    Duration checkpoint_period{0};
    std::vector<PeerId> join_later = {};  ///< who is not there when the run begins, ascending; drop only
    bool drops() const { return policy == Policy::drop; }
    bool keeps_checkpoints() const { return checkpoint_every != 0 || checkpoint_period != Duration{0}; }
    /// The run goes on without a process that leaves, or waits for its successor, which goes on where it was.
    bool bears_a_leave() const { return drops() || keeps_checkpoints(); }
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

/// s of algorithm.staleness; 0 if the method knows none.
inline std::uint64_t staleness_of(const RunSettings& settings) {
  return settings.algorithm.options.staleness.value_or(0);
}

}  // namespace hearsay
