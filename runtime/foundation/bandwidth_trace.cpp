#include "runtime/foundation/bandwidth_trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/foundation/longest_time.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr auto longest_ns = static_cast<long double>(longest_time.count());
constexpr double unlimited = std::numeric_limits<double>::infinity();

/// A part of a period in which the bandwidth is constant.
struct Stretch {
  Duration begin;
  Duration end;
  double bytes_per_s;

  long double bytes(Duration time) const {
    return bytes_per_s == 0.0
               ? 0.0L
               : static_cast<long double>(bytes_per_s) * static_cast<long double>(time.count()) / 1e9L;
  }
  long double ns_for(long double bytes) const {
    return bytes_per_s == unlimited ? 0.0L : bytes * 1e9L / static_cast<long double>(bytes_per_s);
  }
};

std::vector<Stretch> stretches_of(const std::vector<BandwidthTrace::Row>& rows) {
  std::vector<Stretch> stretches;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Duration end = k + 1 < rows.size()
                             ? rows[k + 1].at
                             : rows[k].at + (k > 0 ? rows[k].at - rows[k - 1].at : Duration{0});
    if (!stretches.empty() && stretches.back().bytes_per_s == rows[k].bytes_per_s)
      stretches.back().end = end;
    else
      stretches.push_back({rows[k].at, end, rows[k].bytes_per_s});
  }
  return stretches;
}

Duration rounded(long double ns) { return Duration{std::llroundl(std::min(ns, longest_ns))}; }

}  // namespace

struct BandwidthTrace::Content {
  std::vector<Row> rows;
  std::vector<Stretch> stretches;  // neighboring stretches differ in bandwidth
  Duration period{0};
  long double bytes_per_period = 0.0L;

  bool constant() const { return stretches.size() == 1; }
  Bandwidth constant_bandwidth() const {
    const double rate = stretches.front().bytes_per_s;
    return rate == unlimited ? Bandwidth{} : Bandwidth{rate};
  }
};

BandwidthTrace::BandwidthTrace(std::vector<Row> rows) {
  Content content;
  content.stretches = stretches_of(rows);
  content.rows = std::move(rows);
  ensure(!content.stretches.empty(), "a bandwidth trace has rows");
  content.period = content.stretches.back().end;
  for (const Stretch& stretch : content.stretches)
    content.bytes_per_period += stretch.bytes(stretch.end - stretch.begin);
  ensure(content.constant() ? content.stretches.front().bytes_per_s > 0.0 : content.bytes_per_period > 0.0L,
         "a bandwidth trace lets bytes through");
  content_ = std::make_shared<const Content>(std::move(content));
}

std::span<const BandwidthTrace::Row> BandwidthTrace::rows() const {
  return content_ ? std::span<const Row>(content_->rows) : std::span<const Row>();
}

Duration BandwidthTrace::period() const { return content_->constant() ? Duration{0} : content_->period; }

double BandwidthTrace::mean_bytes_per_s() const {
  if (content_->constant()) return content_->stretches.front().bytes_per_s;
  return static_cast<double>(content_->bytes_per_period * 1e9L /
                             static_cast<long double>(content_->period.count()));
}

bool BandwidthTrace::operator==(const BandwidthTrace& other) const {
  return std::ranges::equal(rows(), other.rows());
}

Duration BandwidthTrace::end_of(std::uint64_t bytes, Duration start) const {
  const Content& trace = *content_;
  if (trace.constant()) return start + trace.constant_bandwidth().time_for(bytes);
  if (bytes == 0) return start;
  auto left = static_cast<long double>(bytes);
  const long double periods = std::floor(left / trace.bytes_per_period);
  if (periods * static_cast<long double>(trace.period.count()) >= longest_ns) return start + longest_time;
  left -= periods > 0.0L ? periods * trace.bytes_per_period : 0.0L;
  Duration now = start + static_cast<std::int64_t>(periods) * trace.period;
  Duration within = now % trace.period;
  if (within < Duration{0}) within += trace.period;
  auto stretch = std::ranges::upper_bound(trace.stretches, within, {}, &Stretch::begin) - 1;
  while (left > 0.0L) {
    const long double fits = stretch->bytes(stretch->end - within);
    if (fits >= left) return now + rounded(stretch->ns_for(left));
    left -= fits;
    now += stretch->end - within;
    if (++stretch == trace.stretches.end()) stretch = trace.stretches.begin();
    within = stretch->begin;
  }
  return now;
}

Duration BandwidthTrace::start_of(std::uint64_t bytes, Duration end) const {
  const Content& trace = *content_;
  if (trace.constant()) return end - trace.constant_bandwidth().time_for(bytes);
  if (bytes == 0) return end;
  auto left = static_cast<long double>(bytes);
  const long double periods = std::floor(left / trace.bytes_per_period);
  if (periods * static_cast<long double>(trace.period.count()) >= longest_ns) return end - longest_time;
  left -= periods > 0.0L ? periods * trace.bytes_per_period : 0.0L;
  Duration now = end - static_cast<std::int64_t>(periods) * trace.period;
  Duration within = now % trace.period;
  if (within <= Duration{0}) within += trace.period;  // the end of a period, not the beginning of the next
  auto stretch = std::ranges::lower_bound(trace.stretches, within, {}, &Stretch::end);
  while (left > 0.0L) {
    const long double fits = stretch->bytes(within - stretch->begin);
    if (fits >= left) return now - rounded(stretch->ns_for(left));
    left -= fits;
    now -= within - stretch->begin;
    if (stretch == trace.stretches.begin()) stretch = trace.stretches.end();
    --stretch;
    within = stretch->end;
  }
  return now;
}

Duration PortRate::time_from(Duration start, std::uint64_t bytes) const {
  return trace.empty() ? constant.time_for(bytes) : trace.end_of(bytes, start) - start;
}

Duration PortRate::time_until(Duration end, std::uint64_t bytes) const {
  return trace.empty() ? constant.time_for(bytes) : end - trace.start_of(bytes, end);
}

}  // namespace hearsay
