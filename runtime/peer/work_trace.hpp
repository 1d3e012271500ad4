#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/seam/iteration.hpp"

namespace hearsay {

/// A step of an iteration that takes time: one thing that the method asked of its peer.
struct WorkStep {
  enum class Kind : std::uint8_t {
    gradient,  ///< a gradient on `amount` samples
    send,      ///< a message of `amount` bytes of payload to `to`
    wait,      ///< a wait for the messages of `senders`, sent `amount` iterations earlier
  };
  Kind kind;
  Slot slot = 0;
  PeerId to = 0;
  std::uint64_t amount = 0;
  std::vector<PeerId> senders = {};
  bool operator==(const WorkStep&) const = default;
};

/// The steps of a peer's method in every iteration, in order. If the method is synchronous, they do not
/// depend on the network: from the trace follows how long the run takes on any network (retiming.hpp). Equal
/// iterations are stored once.
class WorkTrace {
 public:
  /// Begins iteration `number`: its steps follow. Iterations that the peer sits out are skipped.
  void begin(std::uint64_t number);
  void add(WorkStep step) { steps_.back().push_back(std::move(step)); }
  /// Ends the last iteration.
  void end() { keep_once(); }

  /// The steps of iteration `number`; empty if the peer sat it out.
  std::span<const WorkStep> of(std::uint64_t number) const;
  /// The largest number of samples of any gradient.
  std::uint64_t most_samples() const { return largest_of(WorkStep::Kind::gradient); }
  /// The largest payload of any message, in bytes.
  std::uint64_t longest_message() const { return largest_of(WorkStep::Kind::send); }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  /// Drops the last entry of `steps_` if a recent one equals it.
  void keep_once();
  /// The largest amount of the steps of a kind; 0 if there are none.
  std::uint64_t largest_of(WorkStep::Kind kind) const;

  std::vector<std::vector<WorkStep>> steps_;  // the distinct iterations; the last one may be incomplete
  std::vector<std::uint32_t> kept_;           // by iteration - 1: its place in `steps_`, or `none`
};

}  // namespace hearsay
