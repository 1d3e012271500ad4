#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/foundation/notice.hpp"
#include "runtime/record/outcome.hpp"
#include "tools/report/loopback_server.hpp"
#include "tools/report/report_data.hpp"

namespace hearsay {

/// Serves the report of a run at http://127.0.0.1:PORT/ while the run goes on. The page asks for news about
/// once a second; training never waits for it.
class LivePage {
 public:
  /// Does not listen yet, since the peers are forked before this process may have a second thread. `earlier`
  /// holds the evaluations of a resumed run. `port` 0 means any free port. Throws Misuse if Chart.js is not
  /// installed or the port is taken.
  LivePage(const RunSettings& settings, const std::optional<std::vector<Evaluation>>& earlier,
           std::uint16_t port, Notice notice);

  /// Adds an evaluation. The first call, when the peers are forked, starts the server and says its address.
  void show(const Evaluation& evaluation);

  /// Shows how the run ended. If a page is open, waits until it has asked for this, for ten seconds at most;
  /// says so after two.
  void end(const nlohmann::ordered_json& summary);

 private:
  using Clock = std::chrono::steady_clock;

  void begin();
  std::string html();
  std::string json_of_now();
  nlohmann::ordered_json data();

  std::uint16_t port_;
  Notice notice_;
  std::string chart_library_;
  bool failed_ = false;
  std::string folder_;
  ReportData report_;  // used by the thread of the server only

  std::mutex mutex_;  // over what training and the server share
  std::condition_variable news_of_end_read_;
  RunFolder run_;
  std::optional<Clock::time_point> asked_;
  bool end_was_read_ = false;

  std::optional<LoopbackServer> server_;  // last, so that its thread ends before the fields that it reads
};

}  // namespace hearsay
