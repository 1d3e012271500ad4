#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// A bandwidth that changes in the course of a run, as it was measured somewhere: piecewise constant, row by
/// row. The last row lasts as long as the one before it; then the trace begins anew, and so on. One row alone
/// is a bandwidth that does not change. Times are those since the start of the run. A value; copies share the
/// rows.
class BandwidthTrace {
 public:
  struct Row {
    Duration at;         ///< since the start; of the first row 0, then ascending
    double bytes_per_s;  ///< 0: nothing gets through; infinite: unlimited
    bool operator==(const Row&) const = default;
  };

  /// None.
  BandwidthTrace() = default;
  /// Rows as above, of which at least one lets bytes through.
  explicit BandwidthTrace(std::vector<Row> rows);

  bool empty() const { return !content_; }
  std::span<const Row> rows() const;
  /// After which it begins anew; 0 where it never changes.
  Duration period() const;
  /// Over a period.
  double mean_bytes_per_s() const;

  /// When so many bytes have gone through that begin at `start`: the integral of the bandwidth up to then is
  /// `bytes`, rounded to the nearest nanosecond, at most 1e18 ns later. With a bandwidth that never changes,
  /// `Bandwidth::time_for` later to the bit.
  Duration end_of(std::uint64_t bytes, Duration start) const;
  /// When so many bytes have begun that are through at `end`.
  Duration start_of(std::uint64_t bytes, Duration end) const;

  bool operator==(const BandwidthTrace& other) const;

 private:
  struct Content;
  std::shared_ptr<const Content> content_;
};

/// What the rate of a port is, and when: constant where there is no trace.
struct PortRate {
  PortRate(Bandwidth rate = {}, BandwidthTrace changing = {}) : constant(rate), trace(std::move(changing)) {}

  Bandwidth constant;
  BandwidthTrace trace;

  /// What `bytes` take that begin, or end, at an instant, counted from the start of the run.
  Duration time_from(Duration start, std::uint64_t bytes) const;
  Duration time_until(Duration end, std::uint64_t bytes) const;
};

}  // namespace hearsay
