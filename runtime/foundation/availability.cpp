#include "runtime/foundation/availability.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/foundation/longest_time.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

// A whole number of nanoseconds is exact in long double.
long double in_ns(Duration time) { return static_cast<long double>(time.count()); }

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
  /// Work in nanoseconds, as long as the peer is there and not slowed down. Sums of whole nanoseconds are
  /// exact.
  struct Pace {
    bool is_slowed;
    std::vector<long double> before = {0.0L};  // by stretch: the work of those before it; last: of a period

    long double slowdown(const Stretch& stretch) const {
      return is_slowed ? static_cast<long double>(stretch.slowdown) : 1.0L;
    }
    long double work_of(Duration time, const Stretch& stretch) const {
      return in_ns(time) / slowdown(stretch);
    }
    void add(const Stretch& stretch) {
      before.push_back(before.back() + work_of(stretch.end - stretch.begin, stretch));
    }
  };

  std::vector<Stretch> stretches;
  Duration period{0};
  Pace presence{.is_slowed = false};
  Pace computing{.is_slowed = true};

  Content(std::vector<Stretch> given, Duration repeated_after)
      : stretches(std::move(given)), period(repeated_after) {
    for (const Stretch& stretch : stretches) {
      presence.add(stretch);
      computing.add(stretch);
    }
  }

  /// Returns for how long the peer is there in a period.
  Duration there() const { return as_duration(presence.before.back()); }
  static Duration as_duration(long double whole_ns) { return Duration(static_cast<std::int64_t>(whole_ns)); }

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
    const auto stretch = next(end);
    const auto place = static_cast<std::size_t>(stretch - stretches.begin());
    const Duration in_period = as_duration(presence.before[place]);
    const Duration in_stretch =
        stretch == stretches.end() ? Duration{0} : std::max(Duration{0}, end - stretch->begin);
    return (at - end) / period * there() + in_period + in_stretch;
  }

  /// Returns when work of `work` nanoseconds is done that begins at `begin`. It goes on at this pace within a
  /// stretch, and stands still between them.
  Duration end_of(Duration work, Duration begin, const Pace& pace) const {
    if (work <= Duration{0}) return begin;
    const long double per_period = pace.before.back();
    const long double periods =
        std::ceil(in_ns(work) / per_period) - 1.0L;  // before the one in which it ends
    if (periods * in_ns(period) >= in_ns(longest_time)) return begin + longest_time;
    long double left = in_ns(work) - periods * per_period;
    Duration now = begin + static_cast<std::int64_t>(periods) * period;
    Duration at = within(now);
    for (auto stretch = next(at);; stretch = in_which_ends(left, stretch + 1, pace)) {
      while (stretch == stretches.end()) {
        now += period - at;
        at = Duration{0};
        stretch = in_which_ends(left, stretches.begin(), pace);
      }
      const Duration start = std::max(at, stretch->begin);
      now += start - at;
      const long double fits = pace.work_of(stretch->end - start, *stretch);
      if (fits >= left) return now + Duration(std::llroundl(left * pace.slowdown(*stretch)));
      left -= fits;
      now += stretch->end - start;
      at = stretch->end;
    }
  }

  /// Returns the stretch in which work ends that goes on with `first`; the end if that is in the next period.
  /// Takes the work of the stretches before it from `left`.
  std::vector<Stretch>::const_iterator in_which_ends(long double& left,
                                                     std::vector<Stretch>::const_iterator first,
                                                     const Pace& pace) const {
    const auto before = pace.before.begin() + (first - stretches.begin());
    const auto after = std::lower_bound(before + 1, pace.before.end(), *before + left);
    const auto passed = after - before - 1;
    left = std::max(0.0L, left - (before[passed] - *before));
    return first + passed;
  }
};

Availability::Availability(std::vector<Stretch> stretches, Duration period) {
  ensure(!stretches.empty(), "a peer is there at some time");
  Duration last{0};
  for (const Stretch& stretch : stretches) {
    ensure(last <= stretch.begin && stretch.begin < stretch.end && stretch.slowdown > 0.0,
           "the times at which a peer is there ascend");
    last = stretch.end;
  }
  ensure(last <= period, "a peer is there within the period");
  Content content(without_seams(stretches), period);
  const bool is_unlimited =
      content.there() == period && content.stretches.size() == 1 && content.stretches.front().slowdown == 1.0;
  if (!is_unlimited) content_ = std::make_shared<const Content>(std::move(content));
}

std::span<const Availability::Stretch> Availability::stretches() const {
  return content_ ? std::span<const Stretch>(content_->stretches) : std::span<const Stretch>();
}

Duration Availability::period() const { return content_ ? content_->period : Duration{0}; }

double Availability::share() const {
  return content_
             ? static_cast<double>(content_->there().count()) / static_cast<double>(content_->period.count())
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
  return content_ ? content_->end_of(takes, begin, content_->computing) : begin + takes;
}

Duration Availability::been_there(Duration time, Duration begin) const {
  return content_ ? content_->end_of(time, begin, content_->presence) : begin + time;
}

Duration Availability::presence(Duration begin, Duration end) const {
  return content_ ? content_->presence_until(end) - content_->presence_until(begin) : end - begin;
}

bool Availability::operator==(const Availability& other) const {
  return period() == other.period() && std::ranges::equal(stretches(), other.stretches());
}

}  // namespace hearsay
