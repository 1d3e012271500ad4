#pragma once

#include <cstdint>
#include <optional>

#include "runtime/foundation/units.hpp"
#include "runtime/session/arriving_messages.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/words_to_neighbor.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The receiving end of the link from one source: whether the source has said hello, and the number of the
/// data frame that is expected next. A hello names the number of the sender's next data frame. Frames with
/// lower numbers were meant for an earlier process here, or are sent again after the hello.
class IncomingLink {
 public:
  explicit IncomingLink(PeerId id) : source(id) {}

  /// Records a valid hello. True if it is the first one of the source's current process.
  bool greeted(const FrameHeader& hello) {
    const bool is_new = incarnation_ != hello.incarnation;
    if (is_new) messages.forget_all();
    incarnation_ = hello.incarnation;
    expected_ = to_neighbor::as_hello(hello).next_number;
    asked_again_ = false;
    return is_new;
  }
  std::optional<std::uint32_t> incarnation() const { return incarnation_; }
  bool has_greeted() const { return incarnation_.has_value(); }
  bool has_greeted_as(std::uint32_t incarnation) const { return incarnation_ == incarnation; }
  /// Policy "drop": that process offers that the edge be in again, or has taken the offer. Its hello, over
  /// another connection, may come later.
  void agrees(std::uint32_t incarnation) { agreed_with_ = incarnation; }
  bool is_known(std::uint32_t incarnation) const {
    return incarnation_ == incarnation || agreed_with_ == incarnation;
  }

  enum class Frame {
    next,       ///< no frame before this one is missing
    after_gap,  ///< frames before this one are missing
    repeated,   ///< the number was passed: the frame was received before, or comes late after a gap
    ungreeted,  ///< the sender's process has not said hello to this one
  };
  /// Classifies a frame of a message, or an alive frame, and moves the expected number on. An alive frame
  /// names the number of the next one of a message, and takes none itself.
  Frame judge(const FrameHeader& header) {
    if (!incarnation_ || *incarnation_ != header.incarnation) return Frame::ungreeted;
    const bool is_data = carries_message(header.kind);
    const std::uint64_t number = is_data ? header.sequence : to_neighbor::as_alive(header).next_number;
    if (number < expected_) return is_data ? Frame::repeated : Frame::next;
    const bool gap = number > expected_;
    expected_ = number + (is_data ? 1 : 0);
    return gap ? Frame::after_gap : Frame::next;
  }

  /// True if this peer is to ask for another hello (`again`): at the first frame that shows something
  /// missing, then at every heartbeat of the source until the hello comes.
  bool must_ask_again(Frame frame, FrameKind kind) {
    const bool missing = frame == Frame::after_gap || frame == Frame::ungreeted;
    const bool ask = kind == FrameKind::alive ? missing || asked_again_ : missing && !asked_again_;
    asked_again_ |= missing;
    return ask;
  }

  PeerId source;
  Instant heard_at{};  ///< when any frame of the source last came
  ArrivingMessages messages = {};

 private:
  std::optional<std::uint32_t> incarnation_;
  std::optional<std::uint32_t> agreed_with_;
  std::uint64_t expected_ = 0;
  bool asked_again_ = false;
};

}  // namespace hearsay
