#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "runtime/foundation/model_spool.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/transfer/courtesy.hpp"
#include "runtime/transfer/moment.hpp"
#include "runtime/transfer/take_window.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/pieces.hpp"

namespace hearsay {

/// A frame that has come in pieces.
struct WholeFrame {
  std::span<const std::byte> payload() const { return in_spool.empty() ? std::span(own) : in_spool; }

  FrameHeader header;
  std::vector<std::byte> own = {};
  std::span<const std::byte> in_spool = {};  ///< the payload stands there; empty: in `own`
};

/// Asks senders for the pieces of their long frames, at most eight at a time in the order of the
/// announcements, and puts the frames together. Holds at most one unfinished frame of each sender.
class PieceReceiver {
 public:
  /// Senders are numbered from 0. A frame with a longer payload than `payload_limit_bytes` is not taken.
  /// Payloads are put together in `spool`, where it has room; null: in memory.
  PieceReceiver(std::size_t senders, std::size_t payload_limit_bytes, ModelSpool* spool)
      : payload_limit_bytes_(payload_limit_bytes), senders_(senders), spool_(spool) {}

  /// Takes in a piece of sender `from`, whose checksums are right. Returns the frame that it completes.
  std::optional<WholeFrame> hear(std::size_t from, const FrameHeader& head,
                                 std::span<const std::byte> payload, Instant now);
  /// Frames of sender `from` on `iteration` or earlier ones are not needed any more.
  void close(std::size_t from, std::uint64_t iteration);
  /// Sender `from` is another process now, or gone.
  void forget(std::size_t from);

  /// Asks for what may travel now, and again for what is lost. Returns false if only the training holds up
  /// something.
  bool ask(const Moment& moment);
  /// What to say to the senders. The caller must remove it.
  struct Said {
    std::size_t to;
    Take take;
  };
  std::vector<Said>& outbox() { return outbox_; }

  /// When what is under way is believed to be lost.
  Instant next() const;

 private:
  struct Asked {
    std::uint64_t until;
    std::uint64_t bytes;
    Instant at;
    bool is_first;  // false: it may come from an earlier ask
  };
  struct Sender {
    std::optional<WholeFrame> frame;  // unfinished
    std::uint64_t come = 0;           // bytes of its payload
    std::uint64_t asked_until = 0;    // a position in the frame
    std::uint64_t ever_asked = 0;     // the last position that was ever asked for
    std::deque<Asked> asked;          // what is under way
    Instant last_news{};              // when a piece came, or was asked for while none was under way
    Duration last_delay{};
    int losses = 0;          // since a piece came
    bool owes_word = false;  // it does not know that the last piece has come
    TakeWindow window;
    std::optional<FrameHeader> whole;     // the last frame that has come whole: its sender may not know it
    std::optional<std::uint64_t> closed;  // the last iteration that is closed

    PiecesOf name() const { return pieces_of(frame->header); }
    std::uint64_t has() const { return header_bytes + come; }
    std::uint64_t bytes() const { return header_bytes + frame->header.payload_bytes; }
    std::uint64_t under_way() const { return asked_until - has(); }
    Instant lost_at() const;
    bool needs(const FrameHeader& header) const {
      return whole != header && (!closed || header.iteration > *closed);
    }
  };
  std::size_t active() const { return std::min(turns_.size(), most_active); }
  void take_announcement(std::size_t from, const FrameHeader& head, std::span<const std::byte> payload);
  void note_arrival(Sender& sender, Instant now, Duration held);
  void give_up_what_is_lost(Instant now);
  bool put(std::size_t from, std::span<const std::byte> bytes);
  bool is_intact(const WholeFrame& frame) const;
  void drop_frame(std::size_t from);
  bool ask(std::size_t whom, const Moment& moment);
  void say_what_has_come(std::size_t to);
  void say(std::size_t to, const Take& take) { outbox_.push_back({to, take}); }

  static constexpr std::size_t most_active = 8;

  std::size_t payload_limit_bytes_;
  std::vector<Sender> senders_;
  ModelSpool* spool_;
  std::deque<std::size_t> turns_;  // the senders that owe pieces; the first ones are asked
  std::vector<Said> outbox_;
  Courtesy courtesy_;  // towards the training
};

}  // namespace hearsay
