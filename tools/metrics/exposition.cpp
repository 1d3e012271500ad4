#include "tools/metrics/exposition.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hearsay {

namespace {

/// More of them would make more time series than a monitoring system keeps.
constexpr std::size_t most_links_told = 10'000;

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> text{};
  const bool is_whole = std::abs(value) < 1e15 && value == std::trunc(value);
  const auto written =
      is_whole ? std::to_chars(text.data(), text.data() + text.size(), static_cast<std::int64_t>(value))
               : std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), written.ptr};
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result;
}

template <std::uint64_t PeerMeters::*member>
double count(const PeerMeters& meters) {
  return static_cast<double>(meters.*member);
}
template <std::uint64_t PeerCounters::*member>
double counted(const PeerMeters& meters) {
  return static_cast<double>(meters.counters.*member);
}
template <Duration PeerMeters::*member>
double time(const PeerMeters& meters) {
  return seconds(meters.*member);
}

/// How far `now` is above `last`, by neighbor, added to `sums`. All are ascending.
void add_rises(const std::vector<PeerCounts::OfNeighbor>& last,
               const std::vector<PeerCounts::OfNeighbor>& now, std::vector<PeerCounts::OfNeighbor>& sums) {
  for (const auto& [neighbor, value] : now) {
    const auto before = std::ranges::lower_bound(last, neighbor, {}, &PeerCounts::OfNeighbor::first);
    const bool was_there = before != last.end() && before->first == neighbor;
    auto sum = std::ranges::lower_bound(sums, neighbor, {}, &PeerCounts::OfNeighbor::first);
    if (sum == sums.end() || sum->first != neighbor) sum = sums.insert(sum, {neighbor, 0.0});
    sum->second += std::max(0.0, value - (was_there ? before->second : 0.0));
  }
}

void add_evaluation(const Evaluation& newest, Exposition& text) {
  const auto gauge = [&](std::string_view name, std::string_view help, double value) {
    text.gauge(name, help);
    text.sample({}, value);
  };
  gauge("hearsay_evaluated_iteration", "The iteration of the newest evaluation.",
        static_cast<double>(newest.iteration));
  gauge("hearsay_run_seconds", "From the start of the run to its newest evaluation.", newest.seconds);
  gauge("hearsay_loss", "Loss of all data at the mean model, or at the hub's.", newest.loss);
  if (newest.accuracy)
    gauge("hearsay_accuracy_ratio", "Share of the predictions that are right.", *newest.accuracy);
  if (newest.loss_worst)
    gauge("hearsay_worst_loss", "Largest loss at a peer's own model.", *newest.loss_worst);
  gauge("hearsay_consensus_distance", "Root mean square distance of the models to their mean.",
        newest.consensus_distance);
  gauge("hearsay_lost_peers", "Peers that the newest evaluation is without.", newest.gone);
  gauge("hearsay_run_sent_bytes",
        "Bytes of messages of all peers, from the start of the run to its newest evaluation.",
        static_cast<double>(newest.bytes_sent));
}

void add_peers(const std::vector<RunMetrics::OfPeer>& peers, Exposition& text) {
  if (peers.empty()) return;
  if (peers.front().iteration) {
    text.gauge("hearsay_peer_iteration", "The last iteration that the peer has completed.");
    for (const RunMetrics::OfPeer& peer : peers)
      text.sample({{"peer", std::to_string(peer.id)}}, static_cast<double>(peer.iteration.value_or(0)));
  }
  for (std::size_t k = 0; k < peer_counters.size(); ++k) {
    text.counter(peer_counters[k].name, peer_counters[k].help);
    for (const RunMetrics::OfPeer& peer : peers)
      text.sample({{"peer", std::to_string(peer.id)}}, peer.counts.counters[k]);
  }
}

void add_links(const std::vector<RunMetrics::OfPeer>& peers, Exposition& text) {
  std::size_t links = 0;
  for (const RunMetrics::OfPeer& peer : peers) links += peer.counts.sent_bytes.size();
  if (peers.empty() || links > most_links_told) return;
  text.counter("hearsay_link_sent_bytes_total", "Bytes of messages to a neighbor, header and payload.");
  for (const RunMetrics::OfPeer& peer : peers)
    for (const auto& [to, bytes] : peer.counts.sent_bytes)
      text.sample({{"peer", std::to_string(peer.id)}, {"to", std::to_string(to)}}, bytes);
  text.counter("hearsay_link_wait_seconds_total", "Time waiting for the messages of a neighbor.");
  for (const RunMetrics::OfPeer& peer : peers)
    for (const auto& [from, waited] : peer.counts.waited_seconds)
      text.sample({{"peer", std::to_string(peer.id)}, {"from", std::to_string(from)}}, waited);
}

}  // namespace

const std::array<PeerCounterFamily, peer_counter_count> peer_counters = {{
    {"hearsay_peer_gossip_rounds_total", "Rounds of messages that the peer has completed.",
     counted<&PeerCounters::gossip_rounds>},
    {"hearsay_peer_samples_total", "Samples whose gradient the peer has taken.",
     counted<&PeerCounters::gradient_evaluations>},
    {"hearsay_peer_compute_seconds_total", "Time in gradients.", time<&PeerMeters::compute>},
    {"hearsay_peer_wait_seconds_total", "Time waiting for messages and verdicts.", time<&PeerMeters::wait>},
    {"hearsay_peer_wire_seconds_total", "Time in which the emulated port of the peer was sending.",
     time<&PeerMeters::wire>},
    {"hearsay_peer_sent_messages_total", "Messages to neighbors.", count<&PeerMeters::messages_sent>},
    {"hearsay_peer_sent_bytes_total", "Bytes of messages to neighbors, header and payload.",
     count<&PeerMeters::bytes_sent>},
    {"hearsay_peer_received_bytes_total", "Bytes of messages of neighbors, header and payload.",
     count<&PeerMeters::bytes_received>},
    {"hearsay_peer_retransmitted_messages_total", "Messages that were sent again after a loss.",
     count<&PeerMeters::retransmitted>},
    {"hearsay_peer_gaps_total", "How often frames of a neighbor were missing.", count<&PeerMeters::gaps>},
    {"hearsay_peer_repeated_frames_total", "Frames that came again.", count<&PeerMeters::repeated>},
    {"hearsay_peer_refused_handshakes_total", "Strangers, and peers of another run, that were refused.",
     count<&PeerMeters::refused>},
    {"hearsay_peer_garbage_frames_total", "Frames that were invalid.", count<&PeerMeters::garbage>},
    {"hearsay_peer_differing_digests_total", "Replicas that were not what their owner had published.",
     counted<&PeerCounters::digests_differed>},
    {"hearsay_peer_resyncs_total", "Replicas that were mended by a copy of their owner.",
     counted<&PeerCounters::resyncs>},
}};

PeerCounts PeerCounts::of(const PeerMeters& meters) {
  PeerCounts counts;
  for (std::size_t k = 0; k < peer_counters.size(); ++k) counts.counters[k] = peer_counters[k].of(meters);
  for (const auto& [to, bytes] : meters.sent_to.by_hearer())
    counts.sent_bytes.emplace_back(to, static_cast<double>(bytes));
  for (const auto& [from, waited] : meters.waits.by_source())
    counts.waited_seconds.emplace_back(from, seconds(waited));
  return counts;
}

void RisingCounts::see(const PeerCounts& now) {
  const PeerCounts& last = last_ ? *last_ : now;
  for (std::size_t k = 0; k < now.counters.size(); ++k)
    risen_.counters[k] += std::max(0.0, now.counters[k] - last.counters[k]);
  add_rises(last.sent_bytes, now.sent_bytes, risen_.sent_bytes);
  add_rises(last.waited_seconds, now.waited_seconds, risen_.waited_seconds);
  last_ = now;
}

void Exposition::family(std::string_view name, std::string_view help, std::string_view type) {
  name_ = name;
  text_ += "# HELP " + name_ + " " + std::string(help) + "\n# TYPE " + name_ + " " + std::string(type) + "\n";
}

void Exposition::sample(const Labels& labels, double value) {
  std::string names;
  for (const auto& [name, label] : labels)
    names += (names.empty() ? "" : ",") + std::string(name) + "=\"" + escaped(label) + "\"";
  text_ += name_ + (names.empty() ? "" : "{" + names + "}") + " " + number(value) + "\n";
}

std::string exposition_of(const RunMetrics& metrics, std::string_view version) {
  Exposition text;
  text.gauge("hearsay_build_info", "The program; always 1.");
  text.sample({{"version", std::string(version)}}, 1);
  text.gauge("hearsay_run_info", "The run; always 1.");
  text.sample({{"run", metrics.run}, {"method", metrics.method}, {"topology", metrics.topology}}, 1);
  text.gauge("hearsay_peers", "Peers of the topology.");
  text.sample({}, static_cast<double>(metrics.peer_count));
  text.gauge("hearsay_run_iterations", "Iterations that the run is to do.");
  text.sample({}, static_cast<double>(metrics.iterations));
  if (metrics.newest) add_evaluation(*metrics.newest, text);
  add_peers(metrics.peers, text);
  add_links(metrics.peers, text);
  return text.text();
}

}  // namespace hearsay
