#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>

#include "runtime/foundation/shared_bytes.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/transfer/courtesy.hpp"
#include "runtime/transfer/moment.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/pieces.hpp"

namespace hearsay {

/// The long frames on their way to one receiver, in order: each is announced, and cut into the pieces that
/// the receiver asks for, until it has the whole. One frame at a time. Any word of either side may be lost
/// with a connection: the first frame is announced again until the receiver says that it has it.
class PieceSender {
 public:
  /// Shorter frames travel whole: announcing them would take longer.
  static constexpr std::size_t shortest_bytes = 64 << 10;

  /// Adds a frame. Its kind and iteration must not be waiting.
  void add(const FrameHeader& header, SharedBytes payload);
  /// Adds a result, which travels whole, behind the frames before it; in the place of one that waits.
  void add_result(const FrameHeader& header, SharedBytes payload);
  bool is_waiting(FrameKind kind, std::uint64_t iteration) const;
  /// Returns the checksum of that payload if a frame with the same bytes in memory is waiting.
  std::optional<std::uint32_t> checksum_of(std::span<const std::byte> payload) const;
  bool empty() const { return frames_.empty(); }
  /// The receiver may have missed the announcement.
  void announce_again() { announces_at_ = Instant::min(); }

  void hear(const Take& take, Instant now, Courtesy& courtesy);
  /// Frames on `iteration` or earlier ones are not needed any more.
  void close(std::uint64_t iteration, Courtesy& courtesy);
  /// The receiver is another process, or begins anew: it knows of no frame, and is sent what it misses again.
  void forget(Courtesy& courtesy);

  /// Sends `sink` what may leave now. `sink` completes the header of a piece by the payload.
  using Sink = std::function<void(const FrameHeader&, std::span<const std::byte>)>;
  void send(const Moment& moment, Courtesy& courtesy, const Sink& sink);
  /// True if a piece was asked for and has not left.
  bool owes_piece() const { return !asked_.empty(); }
  /// When `send` is due although nothing was heard; Instant::max() if no frame waits.
  Instant next() const { return frames_.empty() ? Instant::max() : std::min(announces_at_, lost_at()); }

 private:
  /// A receiver says at once what has come. One that is silent for so long has nothing.
  static constexpr Duration patience = std::chrono::seconds(3);
  static constexpr Duration least_interval = std::chrono::seconds(5);
  static constexpr Duration most_interval = std::chrono::seconds(60);

  struct Waiting {
    FrameHeader header;
    SharedBytes payload;
    bool is_whole;  // travels whole

    PiecesOf name() const { return pieces_of(header); }
    std::uint64_t bytes() const { return header_bytes + payload.size(); }
  };
  struct Asked {
    Take take;  // what has not left of it
    Instant at;
  };
  struct Left {
    std::uint64_t until;
    std::uint64_t bytes;
    Instant at;
    bool is_timed;  // false: it has left before
  };
  Instant lost_at() const { return left_.empty() ? Instant::max() : left_.back().at + patience; }
  bool can_serve(const Take& take) const;
  void give_up_from(std::uint64_t from, Courtesy& courtesy);
  void note_arrivals(std::uint64_t has, Instant now, Courtesy& courtesy);
  void send_asked(Asked& asked, std::uint64_t most_bytes, Instant now, Courtesy& courtesy, const Sink& sink);
  void send_piece(const Piece& piece, std::span<const std::byte> bytes, const Sink& sink) const;
  void announce(Instant now, const Sink& sink);
  void begin_front(Courtesy& courtesy);
  void close_front(Courtesy& courtesy);

  std::deque<Waiting> frames_;   // the first one is under way
  std::deque<Asked> asked_;      // of the first one, in order
  std::deque<Left> left_;        // pieces of the first one that its receiver does not have yet, in order
  std::uint64_t ever_left_ = 0;  // the last position of the first one that has ever left
  Instant announces_at_ = Instant::min();  // when the first one is announced again
  Duration interval_ = least_interval;
};

}  // namespace hearsay
