#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/wire/survey_words.hpp"

namespace hearsay {

/// How much the measurement of one direction of a link may take.
struct SurveyLimits {
  /// Of questions and transfer; up to five times as much on links whose round trips are long, or on which
  /// next to nothing comes.
  Duration time = std::chrono::seconds(2);
  std::uint64_t bytes = 64'000'000;  ///< of the transfer
  /// How long the other side may be silent until it counts as lost.
  Duration patience = std::chrono::seconds(10);
};

/// Measures what one peer sends to this one: first round trips, a question at a time, then a transfer. Pure.
///
///     allow(0, number 0) ->   <- load(), answers 0          each round trip; the first is not measured
///     allow(16384, ...)  ->   <- load, load, ...            the transfer
///     allow(..., ...)    ->   <- load, load, ...            as bytes come, more are permitted
///     allow(stop)        ->   <- load()                     time or bytes are over: the link is empty now
///
/// So much is permitted beyond what has come that it is TCP that decides how much is under way, and little
/// enough that a slow link is soon empty again: 16 KiB, and twice what came in the last four round trips, or
/// in a quarter of a second if that is longer. The bandwidth is that of the second half of the transfer's
/// time, when TCP has found its speed: what the other side's TCP has delivered, or, if that does not know,
/// what came. Headers of frames count, as they do in the emulated network; those of TCP do not.
class LinkMeter {
 public:
  /// Measures in step `step` of a survey what peer `from` sends.
  LinkMeter(std::uint64_t step, PeerId from, const SurveyLimits& limits, Instant now);

  /// Returns the word to say to the peer now; empty if none is due. Call this after each `hear`, and at
  /// `next()`.
  std::optional<Allow> tick(Instant now);
  Instant next() const;
  /// A load has come from the peer, with a payload of `bytes`. Returns false if it fits nothing that was
  /// permitted: it is counted by nobody.
  bool hear(const Load& load, std::size_t bytes, Instant now);

  std::uint64_t step() const { return step_; }
  PeerId from() const { return from_; }
  bool is_done() const { return phase_ == Phase::done; }
  /// Precondition: it is done.
  Measured measured() const;
  /// What the peer failed to do, in words before the name of this one: "did not answer". Empty as long as
  /// there may be something to measure.
  const std::string& failure() const { return failure_; }

 private:
  enum class Phase : std::uint8_t { asking, loading, closing, done };
  /// What has come up to an instant, with headers.
  struct Arrival {
    Instant at;
    std::uint64_t bytes;
  };

  Allow ask(Instant now);
  std::optional<Allow> permit(Instant now);
  void hear_answer(const Load& load, Instant now);
  bool transfer_is_over(Instant now) const;
  Duration transfer_time() const;
  std::uint64_t window(Instant now);
  static double rate_between(const Arrival& from, const Arrival& to);
  double bytes_per_s() const;

  std::uint64_t step_;
  PeerId from_;
  SurveyLimits limits_;
  Phase phase_ = Phase::asking;
  Instant began_;     // the phase
  Instant heard_at_;  // the peer
  std::string failure_;

  // Questions.
  std::uint32_t number_ = 0;
  int askings_ = 0;
  Instant asked_{};
  Instant next_{};
  Duration round_trip_ = Duration::max();  // the least

  // The transfer.
  Instant transfer_began_{};
  Instant loaded_until_{};     // when the last of what came before the end was asked for arrived
  std::uint64_t allowed_ = 0;  // payload
  std::uint64_t position_ = 0;
  std::uint32_t piece_;
  std::uint64_t came_ = 0;  // with headers
  std::vector<Arrival> arrivals_;
  std::uint64_t delivered_per_s_ = 0;  // as the other side says
  std::size_t recent_ = 0;             // the first of the arrivals by which the window is judged
};

}  // namespace hearsay
