#include "runtime/foundation/availability.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr long double longest_work_ns = 1e18L;

// A whole number of nanoseconds is exact in long double.
long double in_ns(Duration time) { return static_cast<long double>(time.count()); }

long double own_slowdown(const Availability::Stretch& stretch) {
  return static_cast<long double>(stretch.slowdown);
}
long double no_slowdown(const Availability::Stretch&) { return 1.0L; }

std::vector<Availability::Stretch> without_seams(const std::vector<Availability::Stretch>& stretches) {
  std::vector<Availability::Stretch> result;
  for (const Availability::Stretch& stretch : stretches)
    if (!result.empty() && result.back().end == stretch.begin && result.back().slowdown == stretch.slowdown)
      result.back().end = stretch.end;
    else
      result.push_back(stretch);
  return result;
}

}  // namespace

struct Availability::Content {
  std::vector<Stretch> stretches;
  Duration period{0};
  Duration there{0};  // in a period

  /// Returns how far into a period this time is.
  Duration within(Duration at) const {
    const Duration rest = at % period;
    return rest < Duration{0} ? rest + period : rest;
  }
  /// Returns the first stretch that is not over at this time within a period.
  auto next(Duration at) const { return std::ranges::upper_bound(stretches, at, {}, &Stretch::end); }

  /// Returns for how long the peer has been there at `at`, since the start of the run.
  Duration presence_until(Duration at) const {
    const Duration end = within(at);
    Duration sum = (at - end) / period * there;
    for (const Stretch& stretch : stretches)
      if (stretch.begin < end) sum += std::min(stretch.end, end) - stretch.begin;
    return sum;
  }

  /// Returns when work of `work` nanoseconds is done that begins at `begin`. It takes `slowdown` times as
  /// long within a stretch, and stands still between them.
  template <class Slowdown>
  Duration end_of(Duration work, Duration begin, const Slowdown& slowdown) const {
    if (work <= Duration{0}) return begin;
    long double per_period = 0.0L;
    for (const Stretch& stretch : stretches)
      per_period += in_ns(stretch.end - stretch.begin) / slowdown(stretch);
    const long double periods =
        std::ceil(in_ns(work) / per_period) - 1.0L;  // before the one in which it ends
    if (periods * in_ns(period) >= longest_work_ns)
      return begin + Duration(static_cast<std::int64_t>(longest_work_ns));
    long double left = in_ns(work) - periods * per_period;
    Duration now = begin + static_cast<std::int64_t>(periods) * period;
    Duration at = within(now);
    for (auto stretch = next(at);; ++stretch) {
      if (stretch == stretches.end()) {
        now += period - at;
        at = Duration{0};
        stretch = stretches.begin();
      }
      const Duration start = std::max(at, stretch->begin);
      now += start - at;
      const long double fits = in_ns(stretch->end - start) / slowdown(*stretch);
      if (fits >= left) return now + Duration(std::llroundl(left * slowdown(*stretch)));
      left -= fits;
      now += stretch->end - start;
      at = stretch->end;
    }
  }
};

Availability::Availability(std::vector<Stretch> stretches, Duration period) {
  Content content{.stretches = without_seams(stretches), .period = period};
  ensure(!content.stretches.empty(), "a peer is there at some time");
  Duration last{0};
  for (const Stretch& stretch : content.stretches) {
    ensure(last <= stretch.begin && stretch.begin < stretch.end && stretch.slowdown > 0.0,
           "the times at which a peer is there ascend");
    last = stretch.end;
    content.there += stretch.end - stretch.begin;
  }
  ensure(last <= period, "a peer is there within the period");
  const bool is_unlimited =
      content.there == period && content.stretches.size() == 1 && content.stretches.front().slowdown == 1.0;
  if (!is_unlimited) content_ = std::make_shared<const Content>(std::move(content));
}

std::span<const Availability::Stretch> Availability::stretches() const {
  return content_ ? std::span<const Stretch>(content_->stretches) : std::span<const Stretch>();
}

Duration Availability::period() const { return content_ ? content_->period : Duration{0}; }

double Availability::share() const {
  return content_
             ? static_cast<double>(content_->there.count()) / static_cast<double>(content_->period.count())
             : 1.0;
}

Duration Availability::next_presence(Duration at) const {
  const Duration within = content_->within(at);
  const auto stretch = content_->next(within);
  if (stretch == content_->stretches.end())
    return at + (content_->period - within) + content_->stretches.front().begin;
  return at + std::max(Duration{0}, stretch->begin - within);
}

Duration Availability::stretch_end(Duration at) const {
  const Duration within = content_->within(at);
  return at + (content_->next(within)->end - within);
}

Duration Availability::computed(Duration takes, Duration begin) const {
  return content_ ? content_->end_of(takes, begin, own_slowdown) : begin + takes;
}

Duration Availability::been_there(Duration time, Duration begin) const {
  return content_ ? content_->end_of(time, begin, no_slowdown) : begin + time;
}

Duration Availability::presence(Duration begin, Duration end) const {
  return content_ ? content_->presence_until(end) - content_->presence_until(begin) : end - begin;
}

bool Availability::operator==(const Availability& other) const {
  return period() == other.period() && std::ranges::equal(stretches(), other.stretches());
}

}  // namespace hearsay
