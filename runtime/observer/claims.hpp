#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/observer/observer_input.hpp"
#include "runtime/observer/words.hpp"

namespace hearsay {

/// Which process has the name of each peer.
///
/// A name belongs to the process that was welcomed first. If another process says hello under it, the
/// first is asked to say hello again. If it does, it keeps the name, and the other is refused. If it
/// cannot be reached, or says nothing until the other calls again, it has ended, and the other has the
/// name.
class NameClaims {
 public:
  /// How far the process that has the name has come.
  enum class Stage {
    absent,    ///< nobody has the name
    welcomed,  ///< it agrees with the observer
    ready,     ///< all its neighbors have welcomed it
  };
  /// Another process that claims the name.
  struct Rival {
    FrameHeader hello;
    std::string host;
    Instant since;
  };
  struct Claim {
    Stage stage = Stage::absent;
    std::uint32_t incarnation = 0;  ///< of the process that has the name
    std::string host = {};          ///< where that process is, if known
    std::string refusal = {};       ///< why the last hello was refused; empty if it was not
    std::optional<Rival> rival = {};
  };

  /// `input` and `words` must outlive the claims.
  NameClaims(const ObserverInput& input, ObserverWords& words)
      : input_(input), words_(words), claims_(input.peer_count) {}

  const Claim& of(PeerId id) const { return claims_[id]; }
  bool is_absent(PeerId id) const { return claims_[id].stage == Stage::absent; }
  bool is_ready(PeerId id) const { return claims_[id].stage == Stage::ready; }
  /// Whether the sender of `header` is the process that has the name.
  bool is_holder(const FrameHeader& header) const {
    return !is_absent(header.sender) && claims_[header.sender].incarnation == header.incarnation;
  }
  /// Whether another process has the name that the sender of `hello` claims.
  bool is_taken(const FrameHeader& hello) const { return !is_absent(hello.sender) && !is_holder(hello); }

  /// Returns whether the sender can take part. If not, it is refused with a sentence that says why.
  bool accepts(const FrameHeader& hello, std::span<const std::byte> payload);
  /// Returns whether the sender must wait for what the process that has the name says.
  bool must_wait(const FrameHeader& hello, Instant now, const std::string& host);
  /// The rival of process `incarnation`, if that process has the name of peer `id`.
  std::optional<Rival> rival_of(PeerId id, std::uint32_t incarnation) const;

  /// The sender of `hello` is at `host`, and is to have the name: there is no rival any more.
  void note_host(const FrameHeader& hello, const std::string& host);
  /// The sender of `hello` has the name, and is not ready.
  void welcome(const FrameHeader& hello);
  void mark_ready(PeerId id) { claims_[id].stage = Stage::ready; }

 private:
  std::string objection_to(const FrameHeader& hello, std::span<const std::byte> payload) const;
  void refuse_rival(Claim& claim);

  const ObserverInput& input_;
  ObserverWords& words_;
  std::vector<Claim> claims_;
};

}  // namespace hearsay
