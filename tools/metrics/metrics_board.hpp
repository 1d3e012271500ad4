#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/record/peer_progress.hpp"
#include "runtime/settings/run_settings.hpp"
#include "tools/metrics/exposition.hpp"
#include "tools/report/http_server.hpp"
#include "tools/report/run_watcher.hpp"

namespace hearsay {

/// What a monitoring system may ask of a run. Of a run in one process it is told of every peer, up to 1,000.
/// Of a run that spans hosts, each process tells of its own peer, and peer 0, where all evaluations arrive,
/// of the run, too. The calls come from one thread, the requests from another.
class MetricsBoard final : public RunWatcher {
 public:
  /// `own`: the peer of this process; empty if all peers are told of.
  explicit MetricsBoard(std::optional<PeerId> own) : own_(own) {}

  /// Where no evaluations arrive, in the place of `begin`.
  void introduce(const RunSettings& settings, std::uint64_t iterations);
  /// What the process of peer `own` has done so far.
  void note(const PeerProgress& progress);

  void begin(const RunSettings& settings, std::uint64_t iterations, const std::vector<Evaluation>& earlier,
             const nlohmann::ordered_json& provenance) override;
  void show(const Evaluation& evaluation) override;
  void show(const std::vector<PeerMeters>& peers) override;
  void end(const nlohmann::ordered_json&) override {}

  /// `/metrics`, `/healthz` and `/readyz`, to be served while the board lives.
  std::vector<ServedFile> files();

 private:
  /// More of them would make more time series than a monitoring system keeps.
  static constexpr std::size_t most_peers_told = 1000;

  void tell(PeerId id, std::optional<std::uint64_t> iteration, const PeerMeters& meters);
  std::string metrics();
  bool trains();

  std::optional<PeerId> own_;
  std::mutex mutex_;  // over what follows
  RunMetrics now_;
  std::map<PeerId, RisingCounts> rising_;  // of the peers that are told of
  bool begins_at_zero_ = false;
  bool trains_ = false;
};

}  // namespace hearsay
