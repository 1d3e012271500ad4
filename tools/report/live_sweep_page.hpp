#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/notice.hpp"

namespace hearsay {

/// A point of a sweep whose page is served.
struct LiveSweepPoint {
  std::string label;  ///< the variant and the values of the axes
  std::filesystem::path folder;
  std::optional<std::uint64_t> iterations;  ///< empty if epochs are counted
};

/// Serves the report of a sweep at http://127.0.0.1:PORT/ while the sweep goes on. A process of its own does
/// so, with low priority, from the output as it grows: a sweep forks the peers of each point, which a process
/// with a second thread must not do. That process ends with this one.
class LiveSweepPage {
 public:
  /// Must be called before this process has a second thread. `goes_on` is true if the points in the output
  /// are kept. `port` 0 means any free port; a notice says the address. Throws Misuse if Chart.js is not
  /// installed or the port is taken.
  LiveSweepPage(const std::filesystem::path& output, std::vector<LiveSweepPoint> points, bool goes_on,
                std::uint16_t port, const Notice& notice);
  ~LiveSweepPage();
  LiveSweepPage(const LiveSweepPage&) = delete;
  LiveSweepPage& operator=(const LiveSweepPage&) = delete;

  /// The sweep has ended, and its record is complete. If a page is open, waits until it shows that, for ten
  /// seconds at most.
  void end();

 private:
  void close_and_wait();

  int to_server_ = -1;
  pid_t server_ = -1;
};

}  // namespace hearsay
