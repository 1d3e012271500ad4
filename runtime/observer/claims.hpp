#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/observer/observer_frames.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/observer/peer_statements.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// Decides which process is peer `id`, for every id.
///
/// An id belongs to the process that was welcomed first, the holder. If another process, the rival, says
/// hello with the same id, the holder is asked to say hello again. If the holder does, it keeps the id and
/// the rival is refused. The rival gets the id if the holder cannot be reached, or has not answered when the
/// rival says hello again half a heartbeat later or more.
class IdClaims {
 public:
  /// How far the holder has come.
  enum class Stage {
    absent,    ///< there is no holder
    welcomed,  ///< it runs with the same agreement as the observer
    ready,     ///< it has said `ready`
  };
  /// Another process that claims the id.
  struct Rival {
    FrameHeader hello;
    std::vector<std::byte> payload;  ///< of the hello
    std::string host;
    Instant since;  ///< when the holder was asked to say hello again
  };
  struct Claim {
    Stage stage = Stage::absent;
    std::uint32_t incarnation = 0;  ///< of the holder
    std::string host = {};          ///< address of the holder; empty if unknown
    std::string refusal = {};       ///< why the last hello with this id was refused; empty if it was not
    std::optional<Rival> rival = {};
  };

  /// `input` and `words` must outlive the claims.
  IdClaims(const ObserverInput& input, ObserverFrames& words)
      : input_(input), words_(words), claims_(input.peer_count) {}

  const Claim& of(PeerId id) const { return claims_[id]; }
  bool is_absent(PeerId id) const { return claims_[id].stage == Stage::absent; }
  bool is_ready(PeerId id) const { return claims_[id].stage == Stage::ready; }
  /// True if the sender of `header` is the holder of its id.
  bool is_holder(const FrameHeader& header) const {
    return !is_absent(header.sender) && claims_[header.sender].incarnation == header.incarnation;
  }
  /// True if another process is the holder of the id that the sender of `hello` claims.
  bool is_taken(const FrameHeader& hello) const { return !is_absent(hello.sender) && !is_holder(hello); }

  /// Returns true if the sender can take part. If not, refuses it with a sentence that says why.
  bool accepts(const FrameHeader& hello, std::span<const std::byte> payload);
  /// Returns true if the sender must wait for the answer of the holder. An answer of the holder (its second
  /// hello) refuses the rival.
  bool must_wait(const FrameHeader& hello, std::span<const std::byte> payload, Instant now,
                 const std::string& host);
  /// Returns the rival of process `incarnation`, if that process is the holder of `id`; else nothing.
  std::optional<Rival> rival_of(PeerId id, std::uint32_t incarnation) const;

  /// Notes the address of the sender of `hello`, which is about to become the holder: it has no rival any
  /// more.
  void note_host(const FrameHeader& hello, const std::string& host);
  /// Makes the sender of `hello`, which was accepted, the holder, which is not ready yet. What it states
  /// counts from now on.
  void welcome(const FrameHeader& hello, std::span<const std::byte> payload);
  /// Returns that data.samples is not the sum of what the holders train on, in a sentence; nothing if it is,
  /// or cannot be known here.
  std::optional<std::string> objection_to_samples() const {
    if (!input_.samples) return std::nullopt;
    return statements_.objection_to_samples(*input_.samples, input_.peer_count);
  }
  std::string different_builds() const { return statements_.different_builds(); }
  /// The holder of `id` has said `ready`.
  void mark_ready(PeerId id) {
    ensure(!is_absent(id), "a process that is ready was welcomed");
    claims_[id].stage = Stage::ready;
  }

 private:
  std::string objection_to(const FrameHeader& hello, std::span<const std::byte> payload) const;
  void refuse_rival(Claim& claim);

  const ObserverInput& input_;
  ObserverFrames& words_;
  std::vector<Claim> claims_;
  PeerStatements statements_;  // of the holders
};

}  // namespace hearsay
