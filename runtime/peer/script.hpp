#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/seam/iteration.hpp"

namespace hearsay {

/// One thing that a method asked of its peer in an iteration, as far as time depends on it.
struct ScriptStep {
  enum class Kind : std::uint8_t {
    gradient,  ///< on `amount` samples
    send,      ///< `amount` bytes of payload, to `to`
    wait,      ///< for what `senders` said `amount` iterations before
  };
  Kind kind;
  Slot slot = 0;
  PeerId to = 0;
  std::uint64_t amount = 0;
  std::vector<PeerId> senders = {};
  bool operator==(const ScriptStep&) const = default;
};

/// What a peer's method did in every iteration, in order. If the method is synchronous, this does not depend
/// on the network: the script says what the run costs on any network (retiming.hpp). Iterations that are
/// alike are kept once.
class PeerScript {
 public:
  /// The steps of iteration `number` follow. A peer that sits an iteration out skips its number.
  void begin(std::uint64_t number);
  void add(ScriptStep step) { steps_.back().push_back(std::move(step)); }
  /// No more steps follow.
  void end() { keep_once(); }

  std::span<const ScriptStep> of(std::uint64_t number) const;
  /// The most samples that any gradient was taken on.
  std::uint64_t most_samples() const;

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  void keep_once();

  std::vector<std::vector<ScriptStep>> steps_;  // the distinct ones; the last one may be under way
  std::vector<std::uint32_t> kept_;             // by iteration - 1: which of them
};

}  // namespace hearsay
