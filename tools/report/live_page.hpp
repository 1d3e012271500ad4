#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/foundation/notice.hpp"
#include "tools/report/http_server.hpp"
#include "tools/report/live_course.hpp"
#include "tools/report/open_page.hpp"
#include "tools/report/report_data.hpp"
#include "tools/report/run_watcher.hpp"

namespace hearsay {

/// Serves the report of a run at http://127.0.0.1:PORT/ while the run goes on. The page asks for news about
/// once a second. Training waits at most for a copy of some hundred pointers, however long the run is.
class LivePage final : public RunWatcher {
 public:
  /// Does not listen yet, since the peers are forked before this process may have a second thread. `port` 0
  /// means any free port. `beside`: what is served at the same address. Throws Misuse if Chart.js is not
  /// installed or the port is taken.
  LivePage(std::uint16_t port, Notice notice, std::vector<ServedFile> beside = {});

  void begin(const RunSettings& settings, std::uint64_t iterations, const std::vector<Evaluation>& earlier,
             const nlohmann::ordered_json& provenance) override;
  /// Adds an evaluation. The first call, when the peers are forked, starts the server and says its address.
  void show(const Evaluation& evaluation) override;
  void show(const std::vector<PeerMeters>& peers) override;
  /// Shows how the run ended. If a page is open, waits until it has asked for this, for ten seconds at most;
  /// says so after two.
  void end(const nlohmann::ordered_json& summary) override;

 private:
  using Clock = std::chrono::steady_clock;

  void listen();
  std::string html();
  std::string json_of_now();
  nlohmann::ordered_json data();

  std::uint16_t port_;
  Notice notice_;
  std::vector<ServedFile> beside_;
  std::string chart_library_;
  bool failed_ = false;
  ReportData report_{""};  // used by the thread of the server only

  // Of the whole run, since begin().
  RunSettings settings_;
  std::string run_file_;
  nlohmann::ordered_json provenance_;
  std::uint64_t iterations_ = 0;
  Clock::time_point begun_ = {};

  std::mutex mutex_;  // over what training and the server share, of which a copy shares all that is large
  struct Now {
    LiveCourse course;
    LiveCourse consensus;
    std::uint64_t from = 0;            // the iteration that the run begins at, or goes on from
    Clock::time_point evaluated = {};  // when the last evaluation came
    std::shared_ptr<const std::vector<PeerMeters>> peers = nullptr;
    std::shared_ptr<const nlohmann::ordered_json> summary = nullptr;  // of a run that has ended
    std::uint64_t version = 0;  // grows with everything that the page shows, but not with time
  } now_;
  std::optional<Clock::time_point> peers_shown_;
  OpenPage open_page_;

  std::optional<HttpServer> server_;  // last, so that its thread ends before the fields that it reads
};

}  // namespace hearsay
