#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "runtime/record/outcome.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Follows a run while it goes on: to show it, or to tell another machine of it. The calls come from the
/// thread that trains, in the order of the functions, so they must not take long.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  /// The run begins, or goes on after the evaluations `earlier`. It does so many iterations in total, unless
  /// something ends it sooner. `provenance` is as in summary.json, with "ended" null.
  virtual void begin(const RunSettings& settings, std::uint64_t iterations,
                     const std::vector<Evaluation>& earlier, const nlohmann::ordered_json& provenance) = 0;
  virtual void show(const Evaluation& evaluation) = 0;
  /// What every peer has done so far, by id; after an evaluation.
  virtual void show(const std::vector<PeerMeters>& peers) = 0;
  virtual void end(const nlohmann::ordered_json& summary) = 0;
};

/// Several watchers of one run, one after the other.
class SeveralWatchers final : public RunWatcher {
 public:
  /// Null ones are left out.
  explicit SeveralWatchers(std::initializer_list<RunWatcher*> watchers) {
    for (RunWatcher* const one : watchers)
      if (one) all_.push_back(one);
  }

  void begin(const RunSettings& settings, std::uint64_t iterations, const std::vector<Evaluation>& earlier,
             const nlohmann::ordered_json& provenance) override {
    for (RunWatcher* one : all_) one->begin(settings, iterations, earlier, provenance);
  }
  void show(const Evaluation& evaluation) override {
    for (RunWatcher* one : all_) one->show(evaluation);
  }
  void show(const std::vector<PeerMeters>& peers) override {
    for (RunWatcher* one : all_) one->show(peers);
  }
  void end(const nlohmann::ordered_json& summary) override {
    for (RunWatcher* one : all_) one->end(summary);
  }

 private:
  std::vector<RunWatcher*> all_;
};

}  // namespace hearsay
