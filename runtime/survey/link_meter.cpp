#include "runtime/survey/link_meter.hpp"

#include <algorithm>
#include <bit>

#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::uint32_t most_round_trips = 10;
constexpr Duration repeat_after = std::chrono::seconds(2);

constexpr std::uint64_t first_window = 16 << 10, widest_window = 64 << 20;
constexpr std::uint32_t shortest_piece = 1 << 10, longest_piece = 64 << 10;
constexpr std::uint64_t pieces_of_window = 16;
constexpr int round_trips_of_window = 4;
/// Nothing arrives for a while behind a lost segment, and the sender must not run out of what it may send.
constexpr Duration shortest_look = std::chrono::milliseconds(250);

/// TCP finds its speed in about ten round trips; the second half of the transfer comes after these.
constexpr int round_trips_of_transfer = 20;
/// A link on which fewer pieces have come when the time is over gets more of it.
constexpr std::size_t fewest_arrivals = 8;
/// No transfer takes more than so many times what its limits say.
constexpr int longest = 5;

}  // namespace

LinkMeter::LinkMeter(std::uint64_t step, PeerId from, const SurveyLimits& limits, Instant now)
    : step_(step),
      from_(from),
      limits_(limits),
      began_(now),
      heard_at_(now),
      next_(now),
      piece_(shortest_piece) {}

Instant LinkMeter::next() const { return std::min(next_, heard_at_ + limits_.patience); }

std::optional<Allow> LinkMeter::tick(Instant now) {
  if (is_done() || !failure_.empty()) return std::nullopt;
  if (now >= heard_at_ + limits_.patience) {
    failure_ = phase_ == Phase::asking ? "did not answer" : "stopped sending to";
    return std::nullopt;
  }
  if (phase_ == Phase::loading && transfer_is_over(now)) {
    phase_ = Phase::closing;
    ++number_;
    askings_ = 0;
    next_ = now;
  }
  if (phase_ == Phase::loading) return permit(now);
  if (now < next_) return std::nullopt;
  return ask(now);
}

Allow LinkMeter::ask(Instant now) {
  asked_ = now;
  next_ = now + repeat_after;
  ++askings_;
  return {
      .step = step_, .bytes = allowed_, .piece = phase_ == Phase::closing ? 0 : piece_, .number = number_};
}

std::optional<Allow> LinkMeter::permit(Instant now) {
  const Instant end = transfer_began_ + transfer_time();
  next_ = now < end ? end : transfer_began_ + longest * limits_.time;
  const std::uint64_t wanted = window(now);
  const std::uint64_t target = std::min(limits_.bytes, position_ + wanted);
  if (target <= allowed_) return std::nullopt;
  const std::uint64_t more = target - allowed_;
  if (more < wanted / 8 && target < limits_.bytes) return std::nullopt;  // few words, in long strides
  allowed_ = target;
  piece_ = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::bit_floor(wanted / pieces_of_window), shortest_piece, longest_piece));
  return Allow{.step = step_, .bytes = allowed_, .piece = piece_, .number = number_};
}

Duration LinkMeter::transfer_time() const {
  // The questions took the rest of the time.
  return std::min(longest * limits_.time,
                  std::max(3 * limits_.time / 4, round_trips_of_transfer * round_trip_));
}

bool LinkMeter::transfer_is_over(Instant now) const {
  if (position_ >= limits_.bytes) return true;
  const Duration passed = now - transfer_began_;
  return passed >= longest * limits_.time ||
         (passed >= transfer_time() && arrivals_.size() >= fewest_arrivals);
}

std::uint64_t LinkMeter::window(Instant now) {
  const Duration look = std::max(shortest_look, round_trips_of_window * round_trip_);
  while (recent_ + 1 < arrivals_.size() && arrivals_[recent_ + 1].at < now - look) ++recent_;
  const std::uint64_t before =
      arrivals_.empty() || arrivals_[recent_].at >= now - look ? 0 : arrivals_[recent_].bytes;
  return std::min(widest_window, first_window + 2 * (came_ - before));
}

bool LinkMeter::hear(const Load& load, std::size_t bytes, Instant now) {
  if (load.step != step_ || is_done()) return false;
  if (bytes == 0) {
    hear_answer(load, now);
    return true;
  }
  if (phase_ == Phase::asking || load.position < position_ || load.position > allowed_ ||
      bytes > allowed_ - load.position)
    return false;
  heard_at_ = now;
  position_ = load.position + bytes;  // what a broken connection has lost is not sent again
  came_ += header_bytes + bytes;
  arrivals_.push_back({now, came_});
  if (phase_ == Phase::loading) loaded_until_ = now;
  return true;
}

void LinkMeter::hear_answer(const Load& load, Instant now) {
  if (load.number != number_ || askings_ == 0) return;  // to an earlier asking
  heard_at_ = now;
  if (phase_ == Phase::closing) {
    phase_ = Phase::done;
    delivered_per_s_ = load.bytes_per_s;
    if (arrivals_.empty()) failure_ = "sent nothing to";
    return;
  }
  if (phase_ != Phase::asking) return;
  // A repeated question is not measured: it is unknown which asking the answer belongs to. The first question
  // is not measured either: it may have waited for the connection.
  if (number_ > 0 && askings_ == 1) round_trip_ = std::min(round_trip_, now - asked_);
  ++number_;
  askings_ = 0;
  next_ = now;
  const bool takes_long = now - began_ >= limits_.time / 4;
  const bool is_measured = round_trip_ != Duration::max();
  if (is_measured && (takes_long || number_ > most_round_trips)) {
    phase_ = Phase::loading;
    transfer_began_ = now;
  }
}

double LinkMeter::rate_between(const Arrival& from, const Arrival& to) {
  return static_cast<double>(to.bytes - from.bytes) / std::max(1e-9, seconds(to.at - from.at));
}

// What TCP receives behind a lost segment it delivers when the segment is there, all at once. So of the
// arrivals about the middle, and of those about the end, it takes the one that lags least behind a straight
// line: then nothing, or little, was held back. The slope between the two is that of the next line.
double LinkMeter::bytes_per_s() const {
  const Instant first = arrivals_.front().at;
  const Duration all = loaded_until_ - first;
  const auto after = [&](int sixteenths) {
    return std::ranges::lower_bound(arrivals_, first + all * sixteenths / 16, {}, &Arrival::at);
  };
  double rate = rate_between({transfer_began_, 0}, arrivals_.back());
  for (int round = 0; round < 3; ++round) {
    const auto lag = [&](const Arrival& arrival) {
      return rate * seconds(arrival.at - first) - static_cast<double>(arrival.bytes);
    };
    const auto lags_less = [&](const Arrival& one, const Arrival& other) { return lag(one) < lag(other); };
    const auto from = std::min_element(after(8), after(11), lags_less);
    const auto to = std::min_element(after(13), arrivals_.end(), lags_less);
    if (from == after(11) || to == arrivals_.end() || from->at >= to->at) break;
    rate = rate_between(*from, *to);
  }
  return rate;
}

Measured LinkMeter::measured() const {
  ensure(is_done() && failure_.empty(), "a link is measured before it is told of");
  const double said = static_cast<double>(delivered_per_s_);
  const double rate = std::clamp(said > 0.0 ? said : bytes_per_s(), 1.0, 1e15);
  return {.step = step_,
          .from = from_,
          .bytes_per_s = static_cast<std::uint64_t>(rate),
          .round_trip = round_trip_};
}

}  // namespace hearsay
