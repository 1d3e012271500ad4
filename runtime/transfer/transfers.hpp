#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/transfer/courtesy.hpp"
#include "runtime/transfer/moment.hpp"
#include "runtime/transfer/piece_receiver.hpp"
#include "runtime/transfer/piece_sender.hpp"

namespace hearsay {

/// The long frames of one process to others and from them, in pieces: the observer's with all peers, or a
/// peer's with the observer. The others are numbered from 0.
class Transfers {
 public:
  /// What this process writes into the headers of its frames.
  struct Self {
    std::uint32_t run_id;
    PeerId sender;
    std::uint32_t incarnation;
  };
  /// A frame with a longer payload than `payload_limit_bytes` is not taken. Those that come are put together
  /// in `spool`, which must outlive this; null: in memory.
  Transfers(std::size_t others, std::size_t payload_limit_bytes, Self self, ModelSpool* spool = nullptr)
      : self_(self), senders_(others), receiver_(others, payload_limit_bytes, spool) {}

  /// True for a frame that travels in pieces, or has to wait for one that does: a result is the last word of
  /// a peer.
  bool carries(std::size_t to, FrameKind kind, std::size_t payload_bytes) const {
    const bool is_model = kind == FrameKind::evaluation || kind == FrameKind::question;
    return is_model ? payload_bytes >= PieceSender::shortest_bytes
                    : kind == FrameKind::result && !senders_[to].empty();
  }
  /// Takes over such a frame. One that is on its way already is announced again. One that its receiver has,
  /// or did not need, and that is said anew, travels again.
  void send(std::size_t to, FrameHeader header, SharedBytes payload);

  static bool is_word(FrameKind kind) { return kind == FrameKind::piece || kind == FrameKind::take; }
  /// Takes in a piece or a take, whose checksums are right. Returns the frame that it completes.
  std::optional<WholeFrame> hear(std::size_t from, const FrameHeader& head,
                                 std::span<const std::byte> payload, Instant now);
  /// The other one knows the verdict on the evaluation at `iteration`, or has said it: no long frame on it or
  /// on earlier ones, in either direction, is needed any more.
  void close(std::size_t other, std::uint64_t iteration);
  /// The other one is a new process, greets this one anew, or is gone: all that was under way is void.
  void forget(std::size_t other);

  /// Gives `sink` what may leave now. It completes the headers by the payloads.
  using Sink = std::function<void(std::size_t to, const FrameHeader&, std::span<const std::byte>)>;
  void carry_out(const Moment& moment, const Sink& sink);

  /// When `carry_out` is to be called again, if nothing is heard before; Instant::max() if nothing is under
  /// way.
  Instant next() const;

 private:
  std::uint32_t checksum_of(const SharedBytes& payload) const;

  Self self_;
  std::vector<PieceSender> senders_;
  PieceReceiver receiver_;
  Courtesy outgoing_;                   // of all senders, towards the training
  std::uint64_t said_ = 0;              // how many frames were taken over
  std::size_t first_ = 0;               // whose pieces leave first the next time
  Instant next_look_ = Instant::max();  // if the training holds up something: whether it still does
};

}  // namespace hearsay
