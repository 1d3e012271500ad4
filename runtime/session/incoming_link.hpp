#pragma once

#include <cstdint>
#include <optional>

#include "runtime/foundation/units.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/words_to_neighbor.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What a peer knows of one that it hears: whether it has said hello, and which frame of it comes next.
/// A hello says from which number on the frames of its sender count; what came before it was meant for a
/// predecessor of this process, or is sent again after it.
class IncomingLink {
 public:
  explicit IncomingLink(PeerId id) : source(id) {}

  /// A hello was in order; true where this process under that name has not said one before.
  bool greeted(const FrameHeader& hello) {
    const bool is_new = incarnation_ != hello.incarnation;
    incarnation_ = hello.incarnation;
    expected_ = to_neighbor::as_hello(hello).next_number;
    asked_again_ = false;
    return is_new;
  }
  bool has_greeted() const { return incarnation_.has_value(); }
  bool has_greeted_as(std::uint32_t incarnation) const { return incarnation_ == incarnation; }

  enum class Frame {
    next,       ///< nothing is missing before it
    after_gap,  ///< frames before it are missing
    repeated,   ///< it was here before, or was given up for missing and is sent again
    ungreeted,  ///< its sender has not said hello to this process
  };
  /// Which frame this is, of kind data, or alive (which has the number of the next data frame and is
  /// none itself).
  Frame judge(const FrameHeader& header) {
    if (!incarnation_ || *incarnation_ != header.incarnation) return Frame::ungreeted;
    const bool is_data = header.kind == FrameKind::data;
    const std::uint64_t number = is_data ? header.sequence : to_neighbor::as_alive(header).next_number;
    if (number < expected_) return is_data ? Frame::repeated : Frame::next;
    const bool gap = number > expected_;
    expected_ = number + (is_data ? 1 : 0);
    return gap ? Frame::after_gap : Frame::next;
  }

  /// Whether to ask for another hello after this frame: at once, and again with every sign of life until
  /// it comes.
  bool must_ask_again(Frame frame, FrameKind kind) {
    const bool missing = frame == Frame::after_gap || frame == Frame::ungreeted;
    const bool ask = kind == FrameKind::alive ? missing || asked_again_ : missing && !asked_again_;
    asked_again_ |= missing;
    return ask;
  }

  PeerId source;

 private:
  std::optional<std::uint32_t> incarnation_;
  std::uint64_t expected_ = 0;
  bool asked_again_ = false;
};

}  // namespace hearsay
