#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// A piecewise constant bandwidth over the time since the start of the run, such as a recorded one. Each row
/// holds until the next row. The last row lasts as long as the row before it; then the trace repeats from its
/// first row. A single row is a constant bandwidth. A value type; copies share the rows.
class BandwidthTrace {
 public:
  struct Row {
    Duration at;         ///< since the start of the run; 0 in the first row, then ascending
    double bytes_per_s;  ///< 0: nothing gets through; infinite: unlimited
    bool operator==(const Row&) const = default;
  };

  /// No trace: `empty()` is true.
  BandwidthTrace() = default;
  /// `rows` have ascending times, the first at 0, and at least one row lets bytes through.
  explicit BandwidthTrace(std::vector<Row> rows);

  bool empty() const { return !content_; }
  std::span<const Row> rows() const;

  // The next four functions need a trace that is not empty.

  /// Returns the time after which the trace repeats; 0 if the bandwidth is constant.
  Duration period() const;
  /// Returns the mean over one period.
  double mean_bytes_per_s() const;

  /// Returns the time at which `bytes` bytes are through if they begin at `start`. The integral of the
  /// bandwidth from `start` to the result is `bytes`. The result is rounded to the nearest nanosecond, and at
  /// most 1e18 ns after `start`. For a constant bandwidth it is exactly `start` + `Bandwidth::time_for`.
  Duration end_of(std::uint64_t bytes, Duration start) const;
  /// Returns the time at which `bytes` bytes have to begin if they are to be through at `end`.
  Duration start_of(std::uint64_t bytes, Duration end) const;

  bool operator==(const BandwidthTrace& other) const;

 private:
  struct Content;
  std::shared_ptr<const Content> content_;
};

/// The rate of a port: that of `trace`, or `constant` if the trace is empty.
struct PortRate {
  PortRate(Bandwidth rate = {}, BandwidthTrace changing = {}) : constant(rate), trace(std::move(changing)) {}

  Bandwidth constant;
  BandwidthTrace trace;

  /// Returns how long `bytes` bytes take that begin at `start`, or are through at `end`. Both count from the
  /// start of the run.
  Duration time_from(Duration start, std::uint64_t bytes) const;
  Duration time_until(Duration end, std::uint64_t bytes) const;
};

}  // namespace hearsay
