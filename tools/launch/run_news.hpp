#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/report/run_watcher.hpp"

namespace hearsay {

/// Tells the launcher how the run goes on: peer 0 sends parcels without files, {"event":"news",..}. Of many
/// evaluations several share a parcel, so that a run is not slowed down.
class NewsSender final : public RunWatcher {
 public:
  using Clock = std::chrono::steady_clock;

  /// `say` sends a parcel; `now` reads the clock.
  NewsSender(std::function<void(const std::string& parcel)> say, std::function<Clock::time_point()> now)
      : say_(std::move(say)), now_(std::move(now)) {}

  void begin(const RunSettings& settings, std::uint64_t iterations, const std::vector<Evaluation>& earlier,
             const nlohmann::ordered_json& provenance) override;
  void show(const Evaluation& evaluation) override;
  void show(const std::vector<PeerMeters>& peers) override;
  /// Sends what waits. The summary itself travels with the output.
  void end(const nlohmann::ordered_json& summary) override;

 private:
  void send_evaluations();

  std::function<void(const std::string&)> say_;
  std::function<Clock::time_point()> now_;
  nlohmann::json waiting_ = nlohmann::json::array();
  std::optional<Clock::time_point> evaluations_sent_;
  std::optional<Clock::time_point> peers_sent_;
};

/// Tells the watcher what a parcel of a NewsSender says; `settings` are those of the run, which it does not
/// say. Ignores what it does not understand.
void pass_on(const nlohmann::json& news, const RunSettings& settings, RunWatcher& watcher);

}  // namespace hearsay
