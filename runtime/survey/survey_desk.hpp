#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/survey/measured_links.hpp"
#include "runtime/survey/survey_steps.hpp"
#include "runtime/survey/survey_terms.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// The observer's part of a survey, at peer 0: it begins each step when all peers have told what they
/// measured in the one before, and knows in the end what all links are like. Pure.
///
/// Each side repeats its newest word with every heartbeat, so that none is lost with a connection.
class SurveyDesk {
 public:
  /// A peer that is not ready by `ready_by` is missed.
  SurveyDesk(PeerId peers, std::vector<SurveyStep> steps, Instant ready_by);

  /// A frame of a peer has come. Returns false if it fits nothing.
  bool hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now);
  /// Call this at `next()`, and after frames.
  void tick(Instant now);
  Instant next() const { return next_beat_; }

  /// A word to a peer. Sender, run id and incarnation of the header are left to who sends it.
  struct Word {
    PeerId to;
    FrameHeader header;
    std::string payload;
  };
  /// Returns what is to be said now.
  std::vector<Word> take_words();

  /// The links, once all are measured; empty before, and if the survey has failed.
  const std::vector<MeasuredLink>& links() const { return links_; }
  bool is_complete() const { return state_ == State::complete; }

  /// All is done, the links file is written: the peers may leave.
  void dismiss(Instant now);
  /// The survey ends without a result, at all peers. The first reason counts.
  void fail(const std::string& reason, int exit_code, Instant now);
  /// True once all peers know that it has ended, or do not say so for a few seconds.
  bool has_ended(Instant now) const;

 private:
  enum class State : std::uint8_t { gathering, measuring, complete, dismissing, failing };
  struct Member {
    std::uint32_t incarnation = 0;
    Instant heard_at{};
    bool is_ready = false;
    bool has_reported = false;  // of this step
    bool has_left = false;
  };

  bool hear_measured(const FrameHeader& header, Instant now);
  void begin_step(std::size_t step, Instant now);
  void say_to(PeerId peer);
  void say_to_all(Instant now);
  /// Returns whose messages `peer` measures in this step; its own id for nobody's.
  PeerId source_of(PeerId peer) const;
  void miss_the_silent(Instant now);

  std::vector<Member> members_;
  std::vector<SurveyStep> steps_;
  Instant ready_by_;
  State state_ = State::gathering;
  std::size_t step_ = 0;
  Instant next_beat_{};
  Instant leaves_at_{};
  std::vector<MeasuredLink> measured_, links_;
  std::string reason_;
  int exit_code_ = 0;
  std::vector<Word> words_;
};

}  // namespace hearsay
