#include "runtime/experiment/memory_need.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/objectives/partition.hpp"
#include "runtime/data/problem_builder.hpp"
#include "runtime/experiment/method_size.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/experiment/run_topology.hpp"
#include "runtime/foundation/machine.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/families.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

/// What a simulated peer takes beside its vectors, and each of its links: its objects, meters and frames.
/// Measured (bench/README.md), rounded down: nobody is refused who would fit.
constexpr double bytes_of_simulated_peer = 3700.0;
constexpr double bytes_of_simulated_link = 400.0;

/// What the memory of a peer depends on. Peers that are equal here need as much as each other.
struct Likeness {
  std::size_t links;
  std::size_t sources;
  std::size_t destinations;
  PeerId role;  // hub, standby of a hub, or any other
  auto operator<=>(const Likeness&) const = default;
};

template <class Scalar>
Likeness likeness_of(const Experiment<Scalar>& experiment, PeerId id) {
  const auto role = static_cast<PeerId>(id == hub_id                                    ? 0
                                        : id == experiment.settings.failure.hub_standby ? 1
                                                                                        : 2);
  if (experiment.method->pattern.uses_graph) {
    const MixingRow& row = experiment.topology.mixing.row(id);
    return {experiment.topology.graph.degree(id), row.hears.size(), row.heard_by.size(), role};
  }
  const Partners partners = partners_of(experiment, id);
  return {0, partners.sources.size(), partners.destinations.size(), role};
}

/// Returns what a peer has sent in a run of one process, where all share a message. Round a ring peers pass
/// on what has come: new are the parts of one vector an iteration.
template <class Scalar>
double sent_in_one_process(const Experiment<Scalar>& experiment, const PeerMemory& memory) {
  const Pattern& pattern = experiment.method->pattern;
  const bool passes_on = !pattern.uses_graph && !pattern.has_hub && !experiment.method->asynchronous;
  return passes_on ? std::min(memory.sent, 2.0) : memory.sent;
}

/// The bytes that these peers share: each process has its own limit of addresses.
std::uint64_t memory_for(const HeldPeers& held) {
  return held.in_processes ? machine_memory() : memory_of_process();
}
double room_of(const HeldPeers& held) { return static_cast<double>(memory_for(held)); }

/// What the peers on this machine need.
struct Need {
  double vectors = 2.0;       // of R^d; the observer's mean and the model that it reads, too
  double bytes_beside = 0.0;  // what does not grow with the model

  double bytes(const ModelMemory& model) const { return vectors * model.bytes + bytes_beside; }
};

/// The mean, and the model that is read, one after the other: they stand in memory that peers of this machine
/// share with the observer, or, those of other hosts, on its disk.
constexpr double mean_and_read = 2.0;

/// Returns what the observer takes while peers run, in vectors of R^d.
template <class Scalar>
double evaluation_of(const Experiment<Scalar>& experiment, const ModelMemory& model, bool on_hosts) {
  const RunSettings::Run& run = experiment.settings.run;
  if (run.evaluate == RunSettings::Run::Evaluate::own) return 1.0 + model.initial;  // the mean at the start
  const auto all = static_cast<double>(experiment.peer_count());
  // Those that come whole through the emulated network wait for each other in memory.
  const double come_whole = on_hosts && experiment.settings.shapes_evaluations() ? all - 1.0 : 0.0;
  // Beside those of the last evaluation.
  const double kept = run.keep_models.of_peers ? 2.0 * all : 0.0;
  const double best = run.keep == RunSettings::Run::Keep::best ? 1.0 : 0.0;
  return mean_and_read + best + come_whole + kept + model.objective + model.initial;
}

/// Returns what the process of the observer takes before the run, in vectors of R^d: it tries the compressor,
/// on Gaussian data or on the first gradient.
template <class Scalar>
double trial_of(const Experiment<Scalar>& experiment, const ModelMemory& model) {
  if (experiment.settings.algorithm.compressor == "none") return 0.0;
  return 2.0 + scratch_of_peer(experiment, hub_id) + model.objective + model.initial;
}

template <class Scalar>
Need need_of(const Experiment<Scalar>& experiment, const HeldPeers& held, const ModelMemory& model) {
  std::map<Likeness, double> known;
  Need need;
  if (held.in_processes)
    need.vectors = held.ids.front() == observer_peer
                       ? evaluation_of(experiment, model, held.ids.size() < experiment.peer_count())
                       : 0.0;
  for (const PeerId id : held.ids) {
    const Likeness likeness = likeness_of(experiment, id);
    const auto [of_alike, is_new] = known.try_emplace(likeness, 0.0);
    if (is_new) {
      const PeerMemory memory = memory_with(experiment, id, model);
      // In one process, what a peer has received is what another has sent, and the observer has a model of
      // each. It reads those of processes where they stand.
      of_alike->second = held.in_processes ? memory.most()
                                           : memory.method + memory.scratch + memory.objective +
                                                 sent_in_one_process(experiment, memory) + memory.told / 2.0;
    }
    need.vectors += of_alike->second;
    if (!held.in_processes)
      need.bytes_beside +=
          bytes_of_simulated_peer + bytes_of_simulated_link * static_cast<double>(likeness.destinations);
  }
  need.vectors = std::max(need.vectors, trial_of(experiment, model));
  return need;
}

/// Returns the run with fewer peers, without its problem. Empty if its topology cannot have so many.
template <class Scalar>
std::optional<Experiment<Scalar>> with_peers(const Experiment<Scalar>& experiment, PeerId peers) {
  RunSettings settings = experiment.settings;
  settings.topology.peers = peers;
  settings.topology.weights = "metropolis";  // on all links, and soon computed
  if (settings.failure.hub_standby.value_or(0) >= peers) return std::nullopt;
  try {
    NamedTopology topology = make_named_topology(settings.topology, settings.run.seed);
    std::shared_ptr<const Schedule> schedule = schedule_of(settings, topology);
    Experiment<Scalar> smaller{.settings = std::move(settings),
                               .problem = {},
                               .topology = std::move(topology),
                               .schedule = std::move(schedule),
                               .method = experiment.method,
                               .iterations = experiment.iterations,
                               .rho = experiment.rho};
    smaller.problem.regularizer = experiment.problem.regularizer;
    return smaller;
  } catch (const Misuse&) {
    return std::nullopt;
  }
}

/// How many peers of a run fit into the memory of a machine, if all of them are there. A family is built with
/// fewer peers, since their links, and so the memory of each, may become fewer, too.
template <class Scalar>
class FittingPeers {
 public:
  FittingPeers(const Experiment<Scalar>& experiment, const HeldPeers& held)
      : experiment_(experiment), held_(held) {}

  /// Returns the number; empty if it is not known, or 0.
  std::optional<PeerId> count() const {
    const PeerId peers = experiment_.peer_count();
    if (!experiment_.settings.topology.file.empty() || held_.ids.size() < peers) return std::nullopt;
    if (names_its_size(experiment_.settings.topology.kind)) return share_of(peers);
    PeerId fits = 0;
    PeerId most = 0;  // as many fit, or fewer if the family has no graph of them
    PeerId too_many = peers;
    while (too_many - most > 1) {
      const PeerId middle = most == 0 ? too_many / 2 : most + (too_many - most) / 2;
      const auto tried = tried_at_most(middle, fits);
      if (!tried) break;
      if (tried->second > room_) {
        too_many = tried->first;
      } else {
        fits = tried->first;
        most = middle;
      }
    }
    return fits == 0 ? std::nullopt : std::optional(fits);
  }

 private:
  /// Of a torus or a grid of any size: with as many links for a peer.
  std::optional<PeerId> share_of(PeerId peers) const {
    const double of_none = Need{}.bytes(model_);
    const double of_a_peer = (need_of(experiment_, held_, model_).bytes(model_) - of_none) / peers;
    const auto fitting = static_cast<PeerId>((room_ - of_none) / of_a_peer);
    return room_ < of_none + of_a_peer ? std::nullopt : std::optional(fitting);
  }

  /// Returns the largest number of peers above `less` and at most `most` that the family is known to have,
  /// and what they need: some families have even numbers only, or powers of two.
  std::optional<std::pair<PeerId, double>> tried_at_most(PeerId most, PeerId less) const {
    for (const PeerId peers : {most, most - 1, std::bit_floor(most)}) {
      if (peers <= less) continue;
      const auto smaller = with_peers(experiment_, peers);
      if (!smaller) continue;
      HeldPeers all{std::vector<PeerId>(peers), held_.in_processes};
      std::iota(all.ids.begin(), all.ids.end(), PeerId{0});
      return std::pair(peers, need_of(*smaller, all, model_).bytes(model_));
    }
    return std::nullopt;
  }

  const Experiment<Scalar>& experiment_;
  const HeldPeers& held_;
  double room_ = room_of(held_);
  ModelMemory model_ = model_memory_of(experiment_);
};

/// Returns "the 60 peers need" of those on this machine.
std::string subject_of(const HeldPeers& held, PeerId peers) {
  if (held.ids.size() == 1) return peers == 1 ? "the peer needs" : "a single one of them needs";
  return "the " + std::to_string(held.ids.size()) +
         (held.ids.size() == peers ? " peers" : " of them on this machine") + " need";
}

/// Returns how many parameters the peers could have in `all` bytes; 0 if none.
std::uint64_t parameters_that_fit(Index dimension, const Need& need, const ModelMemory& model, double all) {
  const double room = all - need.bytes_beside;
  return static_cast<std::uint64_t>(
      std::max(0.0, static_cast<double>(dimension) * room / (need.vectors * model.bytes)));
}

/// `who` needs more than there is. `peers`: how many fit; empty if it is not known.
[[noreturn]] void refuse(PeerId asked, Index dimension, const std::string& who, const std::string& lack,
                         std::optional<PeerId> peers, std::uint64_t parameters) {
  const std::string size = std::to_string(dimension);
  std::string expected = "fewer peers";
  if (peers && *peers > 1) expected = "at most " + std::to_string(*peers) + " peers";
  // Without parameters so many peers do not fit, either.
  if (parameters > 0)
    expected = (peers && *peers > 1 ? expected + ", " : "") + "at most " + std::to_string(parameters) +
               " parameters, or hearsay simulate with model.kind = \"size(" + size +
               ")\", which tells times and bytes without that memory";
  throw HostRefusal("topology.peers", std::to_string(asked),
                    "with " + size + " parameters " + who + " " + lack + "; expected " + expected);
}

/// Throws Misuse, as a partition does, if `peers` peers cannot share the samples that these peers share.
template <class Scalar>
void require_enough_samples(const Experiment<Scalar>& experiment, PeerId peers) {
  if (experiment.problem.at_home) return;
  Index samples = 0;
  for (const auto& objective : experiment.problem.objectives) samples += objective->sample_count();
  require_shared(experiment.settings.data.partition, static_cast<std::size_t>(samples), peers);
}

/// Prepares the run with few peers, by which one of many is judged: of its family, or of a ring if the family
/// has no graph of so few, since no connected graph has fewer links. Empty if that is refused, too.
template <class Scalar>
std::optional<Experiment<Scalar>> with_few_peers(const RunSettings& settings, const Home& home) {
  const std::string family = family_of(settings);
  const bool has_size = names_its_size(family);
  RunSettings smaller = settings;
  smaller.topology.peers = 64;
  Home trial = home;
  trial.draws_later = true;
  for (const std::string& kind :
       {has_size ? family.substr(0, family.find('(')) + "(8x8)" : family, std::string("ring")}) {
    smaller.topology.kind = kind;
    try {
      return prepare<Scalar>(smaller, trial);
    } catch (const Misuse&) {  // what else is wrong is said of the run itself
    }
  }
  return std::nullopt;
}

}  // namespace

template <class Scalar>
double memory_of_peers(const Experiment<Scalar>& experiment, const HeldPeers& held) {
  const ModelMemory model = model_memory_of(experiment);
  return need_of(experiment, held, model).bytes(model);
}

template <class Scalar>
ProcessBytes process_bytes(const Experiment<Scalar>& experiment) {
  const ModelMemory model = model_memory_of(experiment);
  ProcessBytes bytes;
  for (const PeerId id : {PeerId{0}, busiest_peer(experiment.topology.graph)}) {
    const PeerMemory memory = memory_with(experiment, id, model);
    bytes.peer = std::max(bytes.peer, model.bytes * memory.total());
    if (memory.comes_back)
      bytes.restored_peer = std::max(bytes.restored_peer, model.bytes * memory.restored());
  }
  const HeldPeers here = held_peers(experiment.topology, {.only_looks = true, .draws_later = true});
  bytes.on_hosts = here.ids.size() < experiment.peer_count();
  bytes.observer =
      model.bytes * std::max(evaluation_of(experiment, model, bytes.on_hosts), trial_of(experiment, model));
  return bytes;
}

template <class Scalar>
void require_memory(const Experiment<Scalar>& experiment, const HeldPeers& held) {
  const ModelMemory model = model_memory_of(experiment);
  const Need need = need_of(experiment, held, model);
  const auto lack = beyond_memory(need.bytes(model), memory_for(held));
  if (!lack) return;
  const Index dimension = experiment.problem.dimension();
  refuse(experiment.peer_count(), dimension, subject_of(held, experiment.peer_count()), *lack,
         FittingPeers<Scalar>(experiment, held).count(),
         parameters_that_fit(dimension, need, model, room_of(held)));
}

template <class Scalar>
void require_memory_of_many(const RunSettings& settings, const Home& home) {
  const PeerId peers = settings.topology.peers;
  if (peers < many_peers || !settings.topology.file.empty() || !settings.model.program.empty() || home.peer)
    return;
  require_family(family_of(settings), peers);
  const auto few = with_few_peers<Scalar>(settings, home);
  if (!few) return;
  if (learns_from_samples(settings))
    require_enough_samples(*few, settings_of_workers(settings).topology.peers);
  const ModelMemory model = model_memory_of(*few);
  HeldPeers all{std::vector<PeerId>(few->peer_count()), false};  // so many are simulated, whatever looks
  std::iota(all.ids.begin(), all.ids.end(), PeerId{0});
  const double of_none = Need{}.bytes(model);
  Need need = need_of(*few, all, model);
  const double of_a_peer = (need.bytes(model) - of_none) / few->peer_count();
  need.vectors += (need.vectors - Need{}.vectors) * (static_cast<double>(peers) / few->peer_count() - 1.0);
  need.bytes_beside *= static_cast<double>(peers) / few->peer_count();
  const auto lack = beyond_memory(need.bytes(model), memory_for(all));
  if (!lack) return;
  const bool is_known = has_steady_degree(family_of(settings));
  const Index dimension = few->problem.dimension();
  refuse(peers, dimension, "the " + std::to_string(peers) + " peers need", *lack,
         is_known ? std::optional(static_cast<PeerId>(std::max(0.0, room_of(all) - of_none) / of_a_peer))
                  : std::nullopt,
         parameters_that_fit(dimension, need, model, room_of(all)));
}

#define HEARSAY_MEMORY_NEED(Scalar)                                                     \
  template double memory_of_peers<Scalar>(const Experiment<Scalar>&, const HeldPeers&); \
  template ProcessBytes process_bytes<Scalar>(const Experiment<Scalar>&);               \
  template void require_memory<Scalar>(const Experiment<Scalar>&, const HeldPeers&);    \
  template void require_memory_of_many<Scalar>(const RunSettings&, const Home&);
HEARSAY_MEMORY_NEED(float)
HEARSAY_MEMORY_NEED(double)
#undef HEARSAY_MEMORY_NEED

}  // namespace hearsay
