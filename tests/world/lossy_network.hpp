#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/simulator/timetable.hpp"
#include "runtime/simulator/virtual_network.hpp"

namespace hearsay {

/// The faults of frames as probabilities, those to and from the observer included.
struct Weather {
  double loss = 0.0;
  double repeat = 0.0;    ///< arrives twice
  double overtake = 0.0;  ///< arrives late, after frames that left after it
};

/// A network without a bandwidth that loses, repeats and reorders frames, at random, and is cut.
class LossyNetwork final : public VirtualNetwork {
 public:
  /// `time` and `random` must outlive the network.
  LossyNetwork(Timetable& time, RandomStream& random, Weather weather, PeerId peer_count);

  /// Lets no frame pass between a and b, in either direction, in [from, until).
  void cut(PeerId a, PeerId b, Duration from, Duration until);

  void carry(const VirtualFrame& frame, Arrival arrives) override;
  Instant release(PeerId, PeerId, std::uint64_t) override { return time_.now(); }

  // How often the weather struck.
  std::uint64_t lost = 0;
  std::uint64_t repeated = 0;
  std::uint64_t overtaken = 0;
  /// Called with every frame when it is sent, before any fault.
  std::function<void(PeerId from, PeerId to, const FrameHeader&, std::span<const std::byte>)> overhears;

 private:
  struct Cut {
    PeerId a, b;
    Instant from, until;
  };
  bool is_cut(PeerId a, PeerId b) const;

  Timetable& time_;
  RandomStream& random_;
  Weather weather_;
  PeerId places_;                          // the peers, and the observer
  std::vector<Instant> previous_arrival_;  // index from * places + to: links are FIFO
  std::vector<Cut> cuts_;
};

}  // namespace hearsay
