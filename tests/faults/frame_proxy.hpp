#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace hearsay::test {

/// What a proxy does to ZeroMQ messages, each way, as probabilities.
struct FrameFaults {
  double drop = 0.0;
  double repeat = 0.0;
  double overtake = 0.0;  ///< arrives after the next one
  double truncate = 0.0;  ///< loses its end: bytes of the header or the payload, or the payload altogether
  double flip = 0.0;      ///< one bit of header or payload is another
  double lie = 0.0;  ///< of those that carry a replica digest: carries another, under a checksum that fits
};

/// Stands between those who connect to `front` and the ROUTER at `back`, as each of them: to the router a
/// client has the same name as without it. Draws what befalls which frame from one seed; `bye`, which nobody
/// stays to say again, passes. Has threads: forked processes are to be started before.
class FrameProxy {
 public:
  FrameProxy(const std::string& front, const std::string& back, std::uint64_t seed, FrameFaults faults);
  ~FrameProxy();

  /// How often each fault struck so far.
  struct Struck {
    std::uint64_t passed = 0;
    std::uint64_t dropped = 0;
    std::uint64_t repeated = 0;
    std::uint64_t overtaken = 0;
    std::uint64_t truncated = 0;
    std::uint64_t flipped = 0;
    std::uint64_t lied = 0;
  };
  /// Ends the proxy.
  Struck stop();

 private:
  class Relay;
  std::unique_ptr<Relay> relay_;
};

}  // namespace hearsay::test
