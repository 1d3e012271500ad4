#include "tools/metrics/metrics_board.hpp"

#include <filesystem>
#include <utility>

#include "tools/terminal/version.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

void MetricsBoard::introduce(const RunSettings& settings, std::uint64_t iterations) {
  const std::lock_guard lock(mutex_);
  now_.run = settings.run.name;
  now_.method = settings.algorithm.kind;
  const std::filesystem::path& file = settings.topology.file;
  now_.topology = file.empty() ? settings.topology.kind : file.filename().string();  // no folder of this host
  now_.peer_count = settings.topology.peers;
  now_.iterations = iterations;
}

void MetricsBoard::note(const PeerProgress& progress) {
  ensure(own_.has_value(), "the process of one peer tells of itself");
  const std::lock_guard lock(mutex_);
  trains_ = progress.has_started;
  if (!trains_) return;  // it may not be restored yet
  now_.peers.clear();
  tell(*own_, progress.iteration, progress.meters);
}

void MetricsBoard::begin(const RunSettings& settings, std::uint64_t iterations,
                         const std::vector<Evaluation>& earlier, const nlohmann::ordered_json&) {
  introduce(settings, iterations);
  const std::lock_guard lock(mutex_);
  begins_at_zero_ = earlier.empty();
  if (!earlier.empty()) now_.newest = earlier.back();
}

void MetricsBoard::show(const Evaluation& evaluation) {
  const std::lock_guard lock(mutex_);
  now_.newest = evaluation;
  if (!own_) trains_ = true;
}

void MetricsBoard::show(const std::vector<PeerMeters>& peers) {
  if (own_ || peers.size() > most_peers_told) return;
  const std::lock_guard lock(mutex_);
  now_.peers.clear();
  for (PeerId id = 0; id < peers.size(); ++id) tell(id, std::nullopt, peers[id]);
}

void MetricsBoard::tell(PeerId id, std::optional<std::uint64_t> iteration, const PeerMeters& meters) {
  const auto [known, is_new] = rising_.try_emplace(id);
  if (is_new && begins_at_zero_) known->second.see({});
  known->second.see(PeerCounts::of(meters));
  now_.peers.push_back({id, iteration, known->second.risen()});
}

std::vector<ServedFile> MetricsBoard::files() {
  const std::string text = "text/plain; charset=utf-8";
  const auto readiness = [this] { return trains() ? "trains\n" : "waits for the run to begin\n"; };
  return {{"/metrics", "text/plain; version=0.0.4; charset=utf-8", [this] { return metrics(); }},
          {"/healthz", text, [] { return "alive\n"; }},
          {"/readyz", text, readiness, [this] { return trains(); }}};
}

std::string MetricsBoard::metrics() {
  RunMetrics now;
  {
    const std::lock_guard lock(mutex_);
    now = now_;
  }
  return exposition_of(now, version_text());
}

bool MetricsBoard::trains() {
  const std::lock_guard lock(mutex_);
  return trains_;
}

}  // namespace hearsay
