#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/survey/link_meter.hpp"
#include "runtime/survey/load_source.hpp"
#include "runtime/survey/survey_steps.hpp"
#include "runtime/survey/survey_terms.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// A peer's part of a survey: it measures what it is told to, tells what it measured, and sends what others
/// measure. Pure.
class SurveyedPeer {
 public:
  SurveyedPeer(PeerId self, std::vector<SurveyStep> steps, const SurveyLimits& limits);

  /// All connections of the peer work: it says that it is ready.
  void get_ready(Instant now);
  /// The survey has to end at all peers, for a reason that this one knows; the user's if it is empty.
  void give_up(const std::string& reason, Instant now);

  // A frame has come from the observer, or from another peer with a payload of `bytes`. Return false if it
  // fits nothing.
  bool hear_observer(const FrameHeader& header, std::span<const std::byte> payload, Instant now);
  bool hear_peer(const FrameHeader& header, std::size_t bytes, Instant now);

  /// Call this after frames, and at `next()`.
  void tick(Instant now);
  Instant next() const;  ///< never, once it has ended

  /// A word to another peer, or to the observer. The rest of the header is left to who sends it.
  struct Word {
    std::optional<PeerId> to;  ///< empty: the observer
    FrameHeader header;
    std::string payload;
  };
  /// Returns what is to be said now.
  std::vector<Word> take_words();
  /// What others measure.
  LoadSource& source() { return source_; }
  const LoadSource& source() const { return source_; }

  /// The newest step, from 1; 0 before the first one.
  std::uint64_t step() const { return step_ ? *step_ + 1 : 0; }

  /// How the survey has ended here. An exit code of 0: all is measured.
  struct End {
    int exit_code;
    std::string reason;
  };
  /// Empty as long as it has not.
  const std::optional<End>& end() const { return end_; }

 private:
  bool begin(const FrameHeader& header, Instant now);
  void say_to_observer(const FrameHeader& header, std::string payload = {});
  void say_newest(Instant now);
  void leave(End end);

  PeerId self_;
  std::vector<SurveyStep> steps_;
  SurveyLimits limits_;
  LoadSource source_;
  bool is_ready_ = false;
  Instant heard_at_{};  // the observer
  Instant next_beat_ = Instant::max();
  std::optional<std::uint64_t> step_;
  std::optional<LinkMeter> meter_;
  std::optional<FrameHeader> report_;  // of this step
  std::optional<End> giving_up_;       // until the observer knows
  Instant leaves_at_ = Instant::max();
  std::vector<Word> words_;
  std::optional<End> end_;
};

}  // namespace hearsay
