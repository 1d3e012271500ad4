#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/record/outcome.hpp"
#include "tools/report/loopback_server.hpp"
#include "tools/report/report_data.hpp"

namespace hearsay {

/// The report of a run that goes on, at http://127.0.0.1:PORT/, until the run has ended. The page asks for
/// news about once a second; training never waits for it.
class LivePage {
 public:
  /// Nothing listens yet: the peers of a run are forked before there is a thread. `earlier` are the
  /// evaluations of a run that goes on. Throws Misuse where Chart.js is not installed or the port is taken; 0
  /// is any free port.
  LivePage(const RunSettings& settings, const std::optional<std::vector<Evaluation>>& earlier,
           std::uint16_t port);

  /// Once the peers are there. The first time it begins to serve the page, and says on standard error where.
  void show(const Evaluation& evaluation);

  /// Shows how the run ended. Where a page is open it waits for it to ask, for two seconds at most.
  void end(const nlohmann::ordered_json& summary);

 private:
  using Clock = std::chrono::steady_clock;

  void begin();
  std::string html();
  std::string json_of_now();
  nlohmann::ordered_json data();

  std::uint16_t port_;
  std::string chart_library_;
  bool failed_ = false;
  std::string folder_;
  ReportData report_;  // of the server's thread

  std::mutex mutex_;  // over what training and the server share
  std::condition_variable news_of_end_read_;
  RunFolder run_;
  std::optional<Clock::time_point> asked_;
  bool end_was_read_ = false;

  std::optional<LoopbackServer> server_;  // ends before what its thread reads
};

}  // namespace hearsay
