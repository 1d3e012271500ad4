#include "runtime/record/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/methods/registry.hpp"
#include "runtime/data/problem_builder.hpp"
#include "runtime/experiment/run_topology.hpp"
#include "runtime/record/hub_port.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/link_uses.hpp"
#include "runtime/record/one_sided_mixing.hpp"
#include "runtime/record/or_null.hpp"
#include "runtime/record/peer_columns.hpp"
#include "runtime/record/peer_statistics.hpp"
#include "runtime/record/slowest_link.hpp"
#include "topology/hub_rounds.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

using Json = nlohmann::ordered_json;

Json peer_record(PeerId id, const PeerMeters& meters) {
  Json waited_for = Json::array();
  for (const auto& [source, waited] : meters.waits.by_source())
    waited_for.push_back({{"peer", source}, {"seconds", seconds(waited)}});
  Json sent_to = Json::array();
  for (const auto& [hearer, bytes] : meters.sent_to.by_hearer())
    sent_to.push_back({{"peer", hearer}, {"bytes", bytes}});
  Json record = {{"peer", id}};
  for (const MeterRow& row : meter_rows())
    record[row.name] = std::visit([](auto number) { return Json(number); }, number_of(row, meters));
  record["waited_for"] = std::move(waited_for);
  record["sent_to"] = std::move(sent_to);
  return record;
}

Json peers_so_far(const std::vector<PeerMeters>& peers) {
  if (peers.size() > most_peers_listed)
    return {{"peer_statistics", peer_statistics(peers.size(), columns_of(peers), link_uses(peers))}};
  Json per_peer = Json::array();
  for (const PeerMeters& meters : peers) per_peer.push_back(peer_record(per_peer.size(), meters));
  return {{"per_peer", std::move(per_peer)}};
}

namespace {

/// Of few and of many peers.
int schema_of(const std::vector<PeerOutcome>& peers) {
  return peers.size() > most_peers_listed ? schema_of_statistics : schema_of_lists;
}

std::string topology_name(const RunSettings& settings, const NamedTopology& topology) {
  if (settings.topology.file.empty()) return settings.topology.kind;
  return topology.family.empty() ? settings.topology.file.filename().string() : topology.family;
}

/// Totals over the peers, or those of the last evaluation if they are larger: a lost peer leaves no meters.
struct Totals {
  std::uint64_t iterations = 0;  ///< completed by all peers that are not gone
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t resyncs = 0;
  std::uint64_t refused = 0;
  std::uint64_t garbage = 0;
  std::uint64_t gradient_evaluations = 0;
  std::uint64_t gossip_rounds = 0;
  std::uint64_t peak_memory_bytes = 0;
  double seconds = 0.0;
};

template <class Scalar>
Totals totals_of(const RunOutcome<Scalar>& outcome) {
  Totals totals;
  totals.seconds = outcome.seconds;
  bool first = true;
  for (const PeerOutcome& peer : outcome.peers) {
    if (!peer.gone) {
      totals.iterations = first ? peer.iterations : std::min(totals.iterations, peer.iterations);
      first = false;
    }
    totals.bytes_sent += peer.meters.bytes_sent;
    totals.bytes_received += peer.meters.bytes_received;
    totals.messages_sent += peer.meters.messages_sent;
    totals.retransmitted += peer.meters.retransmitted;
    totals.resyncs += peer.meters.counters.resyncs;
    totals.refused += peer.meters.refused;
    totals.garbage += peer.meters.garbage;
    totals.gradient_evaluations += peer.meters.counters.gradient_evaluations;
    totals.gossip_rounds = std::max(totals.gossip_rounds, peer.meters.counters.gossip_rounds);
    totals.peak_memory_bytes = std::max(totals.peak_memory_bytes, peer.peak_memory_bytes);
  }
  if (outcome.evaluations.empty()) return totals;
  const Evaluation& last = outcome.evaluations.back();
  totals.iterations = std::max(totals.iterations, last.iteration);
  totals.bytes_sent = std::max(totals.bytes_sent, last.bytes_sent);
  totals.messages_sent = std::max(totals.messages_sent, last.messages_sent);
  totals.gradient_evaluations = std::max(totals.gradient_evaluations, last.gradient_evaluations);
  totals.gossip_rounds = std::max(totals.gossip_rounds, last.gossip_rounds);
  totals.seconds = std::max(totals.seconds, last.seconds);
  return totals;
}

Json peer_record(PeerId id, const PeerOutcome& peer) {
  Json record = peer_record(id, peer.meters);
  record["iterations"] = peer.iterations;
  record["peak_memory_bytes"] = peer.peak_memory_bytes;
  return record;
}

/// Returns how many gradients all peers have taken, each of a minibatch, or of all samples if algorithm.batch
/// says so.
template <class Scalar>
double gradients_taken(const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome) {
  double gradients = 0.0;
  for (std::size_t id = 0; id < outcome.peers.size(); ++id) {
    const auto all = static_cast<std::uint64_t>(experiment.problem.objectives[id]->sample_count());
    const std::uint64_t samples = experiment.settings.algorithm.batch.value_or(all);
    if (samples > 0)
      gradients += static_cast<double>(outcome.peers[id].meters.counters.gradient_evaluations) /
                   static_cast<double>(samples);
  }
  return gradients;
}

/// Adds what the messages cost and what they hold up: bits that a peer sends per parameter and gradient, the
/// share of the time in gradients, and samples a second at all peers together.
template <class Scalar>
void add_efficiency(Json& summary, const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome,
                    const Totals& totals) {
  const double numbers =
      gradients_taken(experiment, outcome) * static_cast<double>(experiment.problem.dimension());
  const bool learns = experiment.method->trains && learns_from_samples(experiment.settings);
  const bool measured =
      experiment.method->trains && !outcome.evaluations.empty() && outcome.evaluations.back().seconds > 0.0;
  summary["bits_per_parameter_and_gradient"] =
      experiment.method->trains && numbers > 0.0
          ? Json(8.0 * static_cast<double>(totals.bytes_sent) / numbers)
          : Json(nullptr);
  summary["computing_share"] =
      measured ? Json(outcome.evaluations.back().compute_seconds / outcome.evaluations.back().seconds)
               : Json(nullptr);
  summary["samples_per_second"] =
      learns && totals.seconds > 0.0 ? Json(static_cast<double>(totals.gradient_evaluations) / totals.seconds)
                                     : Json(nullptr);
}

/// Adds of which evaluation model.npy is.
void add_kept_model(Json& summary, const RunResult& result) {
  std::optional<Evaluation> kept = result.best;
  if (!kept && !result.evaluations.empty()) kept = result.evaluations.back();
  summary["kept_iteration"] = kept ? Json(kept->iteration) : Json(nullptr);
  summary["kept_loss"] = kept ? Json(kept->loss) : Json(nullptr);
  summary["kept_accuracy"] = kept ? or_null(kept->accuracy) : Json(nullptr);
}

template <class Scalar>
Json one_sided_mixing_record(const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome) {
  Json record = Json::array();
  if (!experiment.method->pattern.reads_weights) return record;  // a hub and its workers mix nothing
  for (const OneSidedMixing& mixing : one_sided_mixings(outcome.peers))
    record.push_back(
        {{"by", mixing.by},
         {"with", mixing.with},
         {"from", mixing.from},
         {"until", mixing.until},
         {"weight", mixing.weight},
         {"mean_shift_at_most", mean_shift_at_most(mixing, outcome.peers.size(), outcome.evaluations)}});
  return record;
}

/// Returns how the rounds of a hub were closed; null if it waited for all answers.
template <class Scalar>
Json round_deadline_record(const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome,
                           Driver driver) {
  if (!experiment.settings.topology.rounds_close()) return nullptr;
  return {{"seconds", seconds(experiment.settings.topology.round_deadline)},
          {"clock", driver == Driver::simulator ? "emulated" : "real"},
          {"late_answers", outcome.peers[hub_id].meters.counters.late}};
}

/// Who took over from the hub, and in which iteration; null if nobody did. A standby that alone did not hear
/// the hub has not: nobody followed it.
template <class Scalar>
Json took_over_record(const RunOutcome<Scalar>& outcome) {
  if (outcome.peers.empty() || !outcome.peers[hub_id].gone) return nullptr;
  for (PeerId id = 0; id < outcome.peers.size(); ++id)
    if (const auto iteration = outcome.peers[id].took_over_in)
      return {{"peer", id}, {"iteration", *iteration}};
  return nullptr;
}

Json events_record(const std::vector<RunEvent>& events) {
  Json record = Json::array();
  for (const RunEvent& event : events)
    record.push_back({{"what", to_text(event.what)},
                      {"peer", event.peer},
                      {"iteration", event.iteration},
                      {"seconds", or_null(event.seconds)}});
  return record;
}

/// Null if the hub left no meters: it is gone, or the run never began.
Json hub_port_of_run(const RunSettings& settings, const std::vector<PeerOutcome>& peers) {
  if (peers.empty() || peers[hub_id].meters.now == Duration{0}) return nullptr;
  return hub_port_record(settings, peers[hub_id].meters);
}

}  // namespace

std::string evaluated_text(const RunSettings& settings) {
  if (settings.run.evaluate == RunSettings::Run::Evaluate::own) return "own models";
  return find_method(settings.algorithm.kind).pattern.has_hub ? "hub's model" : "mean model";
}

std::string json_text(const Json& record, int indent) {
  return record.dump(indent, ' ', false, Json::error_handler_t::replace);
}

namespace {

/// Returns the digest that `holder`'s replica must have; empty if the owner has none for it.
std::optional<std::uint64_t> owed_to(PeerId holder, const StateDigests& owner) {
  if (owner.told.empty()) return owner.published;
  const auto told = std::ranges::find(owner.told, holder, &std::pair<PeerId, std::uint64_t>::first);
  return told == owner.told.end() ? std::nullopt : std::optional(told->second);
}

}  // namespace

std::optional<bool> replicas_consistent(const std::vector<PeerOutcome>& peers) {
  bool kept = false;
  bool equal = true;
  const auto first = std::ranges::find(peers, false, &PeerOutcome::gone);
  for (PeerId holder = 0; holder < peers.size(); ++holder) {
    if (peers[holder].gone) continue;
    if (peers[holder].iterations != first->iterations) return std::nullopt;
    for (const auto& [owner, digest] : peers[holder].digests.replicas) {
      if (owner < peers.size() && peers[owner].gone) continue;  // the holder ended before the loss was known
      kept = true;
      equal = equal && owner < peers.size() && owed_to(holder, peers[owner].digests) == digest;
    }
  }
  if (!kept) return std::nullopt;
  return equal;
}

namespace {

/// Returns what was run, and how far it came.
template <class Scalar>
Json begin_summary(const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome, Driver driver,
                   const Totals& totals) {
  const RunSettings& settings = experiment.settings;
  const auto samples = static_cast<double>(outcome.loss_samples);
  Json summary = {
      {"schema", schema_of(outcome.peers)},
      {"status", to_text(outcome.status)},
      {"run", settings.run.name},
      {"driver", driver == Driver::zmq ? "zmq" : "simulator"},
      {"virtual", driver == Driver::simulator},
      {"algorithm", settings.algorithm.kind},
      {"compressor", settings.algorithm.compressor},
      {"topology", topology_name(settings, experiment.topology)},
      {"weights", experiment.topology.weights},
      {"peers", experiment.peer_count()},
      {"dimension", experiment.problem.dimension()},
      {"scalar", sizeof(Scalar) == 4 ? "float" : "double"},
      {"iterations", totals.iterations},
      {"epochs", samples == 0.0 ? 0.0 : static_cast<double>(totals.gradient_evaluations) / samples}};
  summary["spectral_gap"] =
      has_spectral_gap(*experiment.schedule, experiment.topology.mixing, *experiment.method)
          ? Json(spectrum(experiment.topology.mixing).spectral_gap)
          : Json(nullptr);
  summary["seconds"] = totals.seconds;
  return summary;
}

/// Adds how good the models are, and on which samples.
template <class Scalar>
void add_evaluation(Json& summary, const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome) {
  const bool judged = outcome.status != RunStatus::diverged && !outcome.evaluations.empty();
  const Evaluation last = judged ? outcome.evaluations.back() : Evaluation{};
  const bool has_loss = !std::isnan(last.loss);  // a model that is only a size has none
  const bool has_samples = outcome.loss_samples > 0 && has_loss && learns_from_samples(experiment.settings);
  summary["evaluated"] = evaluated_text(experiment.settings);
  summary["data"] = experiment.problem.at_home ? "at home" : "shared";
  summary["loss"] = judged && has_loss ? Json(last.loss) : Json(nullptr);
  summary["loss_samples"] = has_samples ? Json(outcome.loss_samples) : Json(nullptr);
  summary["accuracy"] = or_null(last.accuracy);
  const JudgedSamples& of = outcome.judged;
  summary["accuracy_of"] = of.count == 0 ? Json(nullptr) : Json(of.are_test ? "test" : "training");
  summary["accuracy_samples"] = of.count == 0 ? Json(nullptr) : Json(of.count);
  summary["loss_worst"] = judged ? or_null(last.loss_worst) : Json(nullptr);
  summary["loss_spread"] = judged ? or_null(last.loss_spread) : Json(nullptr);
  summary["consensus_distance"] = judged && has_loss ? Json(last.consensus_distance) : Json(nullptr);
}

/// Adds what was sent and computed, and what happened to peers and messages on the way.
template <class Scalar>
void add_events(Json& summary, const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome,
                Driver driver, const Totals& totals) {
  summary["bytes_sent"] = totals.bytes_sent;
  summary["evaluation_bytes"] = outcome.evaluations.empty() ? 0 : outcome.evaluations.back().evaluation_bytes;
  summary["bytes_received"] = totals.bytes_received;
  summary["messages_sent"] = totals.messages_sent;
  summary["retransmitted"] = totals.retransmitted;
  summary["restarts"] = outcome.restarts;
  summary["dropped"] = outcome.dropped;
  summary["returned"] = outcome.returned;
  summary["one_sided_mixing"] = one_sided_mixing_record(experiment, outcome);
  summary["joined"] = outcome.joined;
  summary["took_over"] = took_over_record(outcome);
  summary["events"] = events_record(outcome.events);
  summary["round_deadline"] = round_deadline_record(experiment, outcome, driver);
  summary["resyncs"] = totals.resyncs;
  summary["refused"] = totals.refused;
  summary["garbage"] = totals.garbage;
  summary["gradient_evaluations"] = totals.gradient_evaluations;
  summary["gossip_rounds"] = totals.gossip_rounds;
}

/// Adds what it took to come to the target loss.
void add_target(Json& summary, const std::optional<Evaluation>& target, PeerId peer_count) {
  summary["seconds_to_target"] = target ? Json(target->seconds) : Json(nullptr);
  summary["bytes_to_target"] =
      target ? Json(static_cast<double>(target->bytes_sent) / peer_count) : Json(nullptr);
  summary["rounds_to_target"] = target ? Json(target->gossip_rounds) : Json(nullptr);
}

/// Returns one digest of the digests of all models, 0 for a model that is not known.
std::string digest_of_digests(const std::vector<PeerOutcome>& peers) {
  std::string digests;
  for (const PeerOutcome& peer : peers) digests += hexadecimal(peer.gone ? 0 : peer.model_digest);
  return hexadecimal(digest(digests));
}

Json model_digests(const std::vector<PeerOutcome>& peers) {
  if (peers.size() > most_peers_listed) return digest_of_digests(peers);
  Json digests = Json::array();
  for (const PeerOutcome& peer : peers) {
    const bool is_known = !peer.gone && peer.model_digest != 0;  // 0: the peer has told no result
    digests.push_back(is_known ? Json(hexadecimal(peer.model_digest)) : Json(nullptr));
  }
  return digests;
}

/// Returns the congestion controls of the connections that carried the messages of the run: their names,
/// ascending. Null if none is known: a simulation has no connections.
Json congestion_record(const std::vector<PeerOutcome>& peers) {
  std::set<std::string> names;
  for (const PeerOutcome& peer : peers) names.insert(peer.congestions.begin(), peer.congestions.end());
  return names.empty() ? Json(nullptr) : Json(names);
}

Json slowest_link_record(const std::vector<PeerOutcome>& peers) {
  const std::optional<SlowestLink> slowest = slowest_link(peers);
  if (!slowest) return nullptr;
  return {{"from", slowest->from},
          {"to", slowest->to},
          {"seconds", seconds(slowest->waited)},
          {"share_of_time", slowest->share_of_time}};
}

/// Adds what each peer did, or of many peers statistics.
void add_peers(Json& summary, const std::vector<PeerOutcome>& peers) {
  if (peers.size() > most_peers_listed) {
    summary["peer_statistics"] = peer_statistics(peers.size(), columns_of(peers), link_uses(peers));
    return;
  }
  Json& per_peer = summary["per_peer"] = Json::array();
  for (PeerId id = 0; id < peers.size(); ++id) per_peer.push_back(peer_record(id, peers[id]));
}

}  // namespace

template <class Scalar>
Json summarize(const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome, Driver driver) {
  const Totals totals = totals_of(outcome);
  const bool completed = came_to_its_end(outcome.status);
  Json summary = begin_summary(experiment, outcome, driver, totals);
  add_evaluation(summary, experiment, outcome);
  add_kept_model(summary, outcome);
  add_events(summary, experiment, outcome, driver, totals);
  add_target(summary, outcome.target, experiment.peer_count());
  add_efficiency(summary, experiment, outcome, totals);
  summary["model_digest"] = model_digests(outcome.peers);
  summary["replicas_consistent"] =
      or_null(completed ? replicas_consistent(outcome.peers) : std::optional<bool>());
  summary["peak_memory_bytes"] = totals.peak_memory_bytes;
  summary["congestion"] = congestion_record(outcome.peers);
  summary["slowest_link"] = slowest_link_record(outcome.peers);
  summary["hub_port"] = experiment.method->pattern.has_hub
                            ? hub_port_of_run(experiment.settings, outcome.peers)
                            : Json(nullptr);
  add_peers(summary, outcome.peers);
  if (!outcome.reason.empty()) summary["reason"] = outcome.reason;
  return summary;
}

template Json summarize<float>(const Experiment<float>&, const RunOutcome<float>&, Driver);
template Json summarize<double>(const Experiment<double>&, const RunOutcome<double>&, Driver);

}  // namespace hearsay
