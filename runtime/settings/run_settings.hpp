#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_options.hpp"
#include "runtime/cluster/topology_settings.hpp"
#include "runtime/foundation/availability.hpp"
#include "runtime/foundation/bandwidth_trace.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/settings/fault_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

enum class ScalarKind { float32, float64 };

constexpr std::size_t size_in_bytes(ScalarKind scalar) {
  return scalar == ScalarKind::float32 ? sizeof(float) : sizeof(double);
}

/// How long a gradient takes: the measured time, or an emulated time that is constant or drawn from a
/// distribution.
struct ComputeTime {
  enum class Kind { measured, constant, lognormal } kind = Kind::measured;
  Duration median{0};
  double sigma = 0.0;  ///< standard deviation of the logarithm; lognormal only
  bool operator==(const ComputeTime&) const = default;
};

/// The largest message loss. Beyond it a message is transmitted more than 100 times on average.
inline constexpr double max_message_loss = 0.99;

/// The least failure.lost_after. Several heartbeats have to fit into that time.
inline constexpr Duration shortest_lost_after = std::chrono::milliseconds(200);
/// Returns the time between two heartbeats: at least five fit into `lost_after`.
inline Duration heartbeat_interval(Duration lost_after) {
  return std::min<Duration>(std::chrono::seconds(2), lost_after / 5);
}

/// The network of one peer: its port, which all its links share, and its outgoing links.
struct NetworkSettings {
  Bandwidth bandwidth_up;
  Bandwidth bandwidth_down;
  Duration latency{0};
  Duration jitter{0};
  double message_loss = 0.0;
  ComputeTime compute;
  BandwidthTrace trace =
      {};  ///< of the port, each way; replaces the two bandwidths, which are then unlimited
  bool operator==(const NetworkSettings&) const = default;
};

enum class Framing { none, ethernet };

/// Whether the frames of evaluations pass the emulated network, as the messages of the method do.
enum class EvaluationFrames { free, shaped };

/// What carries the frames of `hearsay run`: sockets of the machine, or TCP. Automatic: the former, unless
/// the topology file gives addresses or the kernel makes the network.
enum class Transport { automatic, tcp, ipc };

/// The settings of one run: every key of the run file, with its default. A plain value; `load_run_file` reads
/// it from a file.
struct RunSettings {
  struct Run {
    std::string name = "quickstart";
    std::uint64_t seed = 1;
    ScalarKind scalar = ScalarKind::float32;
    std::uint64_t iterations = 200;
    std::optional<double> epochs = {};  ///< instead of iterations
    std::uint64_t evaluate_every = 10;  ///< iterations; if by time, those of the first two evaluations
    /// Time between evaluations; 0: not by time. The verdicts announce how many iterations this is
    /// (evaluation_period.hpp).
    Duration evaluate_period{0};
    /// The models whose loss is computed: the mean model's; each peer's, too, on all data; or each peer's own
    /// on its own data.
    enum class Evaluate { mean, peers, own } evaluate = Evaluate::mean;
    std::optional<double> target_loss = {};
    /// Evaluations without a better one, after which the run ends.
    std::optional<std::uint64_t> patience = {};
    double min_improvement = 0.0;  ///< share by which an evaluation has to be better for `patience`
    enum class Keep { last, best } keep = Keep::last;  ///< the evaluation whose mean model is kept
    /// Which models are kept beside the last: those of every so many iterations; never if that is 0.
    struct KeepModels {
      std::uint64_t every = 0;
      bool of_peers = false;  ///< each peer's model, instead of the one that is evaluated
      bool at(std::uint64_t iteration) const { return every != 0 && iteration % every == 0; }
      bool operator==(const KeepModels&) const = default;
    } keep_models = {};
    /// Whether peers of another build of hearsay may take part: their bits may differ.
    enum class Builds { same, any } builds = Builds::same;
    std::filesystem::path output = {};  ///< "runs/NAME" unless given

    bool evaluates_by_time() const { return evaluate_period != Duration{0}; }
    void evaluate_after(std::uint64_t so_many) {
      evaluate_every = so_many;
      evaluate_period = Duration{0};
    }
    bool may_end_early() const { return target_loss || patience; }
    /// Nothing but the number of iterations ends the run from now on, and an evaluation is of the mean model.
    void judge_nothing() {
      target_loss = std::nullopt;
      patience = std::nullopt;
      evaluate = Evaluate::mean;
      keep = Keep::last;
      keep_models = {};
    }
    bool operator==(const Run&) const = default;
  } run;

  struct Data {
    std::string source = "synthetic(samples=8192, features=500, classes=100)";
    std::string test;
    std::string partition = "iid";
    /// How a peer draws the samples of its minibatches.
    enum class Order { with_replacement, shuffled } order = Order::with_replacement;
    std::optional<std::string>
        target;                  ///< csv: "first", "last" or a name of the header; empty: the last column
    std::optional<bool> header;  ///< csv: whether the first line is one; empty: if no number is in it
    std::optional<std::uint64_t> skip;        ///< csv: columns at the left that are left out; empty: none
    std::vector<std::string> ignore;          ///< csv: names of further columns that are left out
    std::optional<std::uint64_t> index_base;  ///< libsvm: the index of the first feature; empty: 1
    std::optional<double> scale;              ///< factor for all features; pixels are also divided by 255
    std::string memory = "50%";  ///< the most that data files hold: "8 GB", or a share of all memory
    /// Under data.partition = "home": the training samples of all peers together. Empty: all peers weigh
    /// alike.
    std::optional<std::uint64_t> samples;
    std::optional<std::uint64_t> features;  ///< how many all peers have; empty: as many as the files show
    std::optional<std::uint64_t> classes;   ///< the labels are 0 to this - 1; empty: those in the files
    bool operator==(const Data&) const = default;
  } data;

  struct Model {
    std::string kind = "softmax";
    double l1 = 0.0;
    double l2 = 0.0;
    std::string regularizer = "none";  ///< h of composite objectives; l1 is short for "l1(...)"
    std::string init = "zeros";
    std::vector<std::string> program;  ///< kind "program": the words of the command that is the objective
    std::filesystem::path directory;   ///< kind "program": the folder in which it runs
    /// Kind "program": how long a program may take for an answer.
    Duration answer_within = std::chrono::minutes(30);
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
    std::optional<double> clip;               ///< the largest norm of a gradient; empty: unbounded
    MethodOptions options;                    ///< options that only some methods read
    bool allow_unsound = false;
    bool operator==(const Algorithm&) const = default;
  } algorithm;

  struct Failure {
    enum class Policy { wait, drop } policy = Policy::wait;  ///< what a run does when it loses a peer
    std::uint64_t checkpoint_every = 0;                      ///< iterations; 0: never, or by time
    Duration lost_after =
        std::chrono::minutes(1);  ///< silence after which a peer is lost: `wait` gives up, `drop` goes on
    /// Time between checkpoints; 0: not by time. The verdicts announce how many iterations this is
    /// (checkpoint_period.hpp).
    Duration checkpoint_period{0};
    std::vector<PeerId> join_later = {};  ///< peers that are absent when the run begins, ascending; drop only
    /// What becomes of a program that fails, under policy "drop".
    enum class Program { drop, end } program = Program::drop;
    std::optional<PeerId> hub_standby = {};  ///< the worker that takes over if the hub is lost; drop only
    bool drops() const { return policy == Policy::drop; }
    bool keeps_checkpoints() const { return checkpoint_every != 0 || checkpoint_period != Duration{0}; }
    /// True if one process may leave without ending the run: the run goes on without it, or waits until it is
    /// restarted from its checkpoint.
    bool survives_a_leave() const { return drops() || keeps_checkpoints(); }
    bool operator==(const Failure&) const = default;
  } failure;
  /// Keys for CURVE, which encrypts and admits only the peers. For runs that span hosts. Both are set, or
  /// neither.
  struct Security {
    std::filesystem::path authorized;  ///< the file of all peers' public keys
    std::filesystem::path secret;      ///< this peer's own key pair
    bool operator==(const Security&) const = default;
  } security;

  NetworkSettings network;
  Framing framing = Framing::none;
  EvaluationFrames evaluations = EvaluationFrames::free;
  Transport transport = Transport::automatic;
  std::string congestion = "auto";  ///< the congestion control of TCP (network/congestion.hpp)
  Bandwidth pace;                   ///< network.pace: at which peers send to other hosts (network/pace.hpp)
  std::map<PeerId, NetworkSettings> peer_networks;  ///< for peers with a [[network.peer]]: replaces `network`
  std::vector<LinkOverride> link_overrides;         ///< each link once; `prepare` adds the topology file's
  std::filesystem::path links_file;                 ///< network.links; empty if there is none
  std::vector<LinkOverride> pair_links;             ///< of the links file: every ordered pair, by (from, to)
  std::vector<Availability> availability;           ///< of topology.availability, by peer; empty: unlimited
  std::vector<FaultTable> faults;                   ///< what happens to the processes of the run

  bool shapes_evaluations() const { return evaluations == EvaluationFrames::shaped; }
  bool operator==(const RunSettings&) const = default;
};

/// Returns algorithm.staleness; 0 if it is unset.
inline std::uint64_t staleness_of(const RunSettings& settings) {
  return settings.algorithm.options.find(option::staleness).value_or(0);
}

}  // namespace hearsay
