#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/wire/survey_words.hpp"

namespace hearsay {

/// Sends what another peer measures (link_meter.hpp): as much as that peer permits, and answers to its
/// questions. Pure.
class LoadSource {
 public:
  /// Sends at most `most_bytes` in a step, whatever is permitted, and in the first `steps` steps only.
  LoadSource(std::uint64_t most_bytes, std::size_t steps) : most_bytes_(most_bytes), steps_(steps) {}

  /// Peer `to` permits or asks. Returns false if that does not fit: another step, or another peer in the same
  /// one, or more than is ever sent.
  bool hear(PeerId to, const Allow& allow);

  /// The connection to the peer of this step has delivered so many bytes up to `now`, by the count of TCP:
  /// segments that came behind a lost one included, which the receiver does not see yet.
  void note_delivered(std::uint64_t bytes, Instant now);
  /// The peer to which the transfer of this step goes; empty if there is none.
  std::optional<PeerId> transfers_to() const;

  /// A frame that is to be sent: its header's word, and the length of its payload.
  struct Piece {
    PeerId to;
    Load load;
    std::size_t bytes;
  };
  /// Returns the next one; empty if there is nothing to send now. It stays the next one until it is `sent`.
  std::optional<Piece> next() const;
  void sent();

  /// The longest payload.
  static constexpr std::size_t longest_piece = 64 << 10;

 private:
  std::uint64_t most_bytes_;
  std::size_t steps_;
  std::optional<std::uint64_t> step_;
  PeerId to_ = 0;
  std::uint64_t allowed_ = 0;
  std::uint64_t position_ = 0;
  std::size_t piece_ = 1;
  std::optional<std::uint32_t> question_;

  std::uint64_t delivered_per_s() const;

  struct Delivery {
    Instant at;
    std::uint64_t bytes;
  };
  std::vector<Delivery> deliveries_;
  bool is_stopped_ = true;
};

}  // namespace hearsay
