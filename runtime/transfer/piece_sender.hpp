#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>

#include "runtime/foundation/shared_bytes.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/transfer/courtesy.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/pieces.hpp"

namespace hearsay {

/// The long frames on their way to one receiver, in order: each is announced, and cut into the pieces that
/// the receiver asks for, until it has the whole. One frame at a time.
class PieceSender {
 public:
  /// Shorter frames travel whole: announcing them would take longer.
  static constexpr std::size_t shortest_bytes = 64 << 10;

  /// Adds a frame. If one of its kind and iteration is waiting, that one is announced again instead; if the
  /// receiver has not answered the first announcement, it knows no pieces, and gets the whole frame.
  void add(const FrameHeader& header, SharedBytes payload);
  /// Adds a frame that travels whole, behind those before it.
  void add_whole(const FrameHeader& header, SharedBytes payload);
  bool empty() const { return frames_.empty(); }

  void hear(const Take& take, Instant now, Courtesy& courtesy);
  /// The receiver is another process, or begins anew: it knows of no frame, and is sent what it misses again.
  void forget() {
    frames_.clear();
    asked_.clear();
    last_piece_left_.reset();
  }

  /// Sends `sink` what may leave now. `sink` completes the header of a piece by the payload.
  using Sink = std::function<void(const FrameHeader&, std::span<const std::byte>)>;
  void send(Instant now, bool training_waits, Courtesy& courtesy, const Sink& sink);
  /// True if a piece was asked for and has not left.
  bool owes_piece() const { return !asked_.empty(); }

 private:
  struct Waiting {
    FrameHeader header;
    SharedBytes payload;
    bool is_whole;
    bool is_announced = false;
    bool is_answered = false;

    PiecesOf name() const { return {header.kind, header.iteration}; }
    std::uint64_t bytes() const { return header_bytes + payload.size(); }
  };
  void send_piece(std::uint64_t from, std::span<const std::byte> bytes, const Sink& sink) const;
  void announce(const Sink& sink) const;
  void close_front() {
    frames_.pop_front();
    asked_.clear();
  }

  std::deque<Waiting> frames_;  // the first one is under way
  std::deque<Take> asked_;      // of the first one, in order
  std::optional<Instant> last_piece_left_;
};

}  // namespace hearsay
