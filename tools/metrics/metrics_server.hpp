#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/notice.hpp"
#include "tools/metrics/metrics_board.hpp"
#include "tools/report/http_server.hpp"
#include "tools/report/run_watcher.hpp"

namespace hearsay {

/// Returns where `--metrics` says to listen: "9464", at this machine alone, or an IP address and a port,
/// "0.0.0.0:9464". Throws Misuse for anything else.
HttpPlace metrics_place(const std::string& option);

/// Serves a board at an address of its own, until the run ends.
class MetricsServer final : public RunWatcher {
 public:
  /// Does not listen yet. The board must outlive the server. Throws Misuse if the port is taken.
  MetricsServer(HttpPlace place, MetricsBoard& board, Notice notice);

  /// Begins to answer, if that was not done before. Says so if the port was taken meanwhile.
  void listen();

  void begin(const RunSettings&, std::uint64_t, const std::vector<Evaluation>&,
             const nlohmann::ordered_json&) override {}
  /// The first call listens: the peers of a run are forked by then.
  void show(const Evaluation&) override { listen(); }
  void show(const std::vector<PeerMeters>&) override {}
  void end(const nlohmann::ordered_json&) override { server_.reset(); }

 private:
  HttpPlace place_;
  MetricsBoard& board_;
  Notice notice_;
  bool failed_ = false;
  std::optional<HttpServer> server_;
};

}  // namespace hearsay
