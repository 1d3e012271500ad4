#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace hearsay::test {

/// The faults that a proxy causes, as probabilities per message in either direction.
struct FrameFaults {
  double drop = 0.0;
  double repeat = 0.0;
  double overtake = 0.0;  ///< the message arrives after the next one
  double truncate = 0.0;  ///< the header or the payload loses its end, or the payload is missing
  double flip = 0.0;      ///< one bit of header or payload is flipped
  double lie = 0.0;       ///< messages with a replica digest: the digest is wrong, the checksum fits
};

/// A proxy between the clients that connect to `front` and the ROUTER at `back`. It opens one connection to
/// the router for each client, under the name of that client. One seed decides which fault strikes which
/// frame. `bye` of a client always passes, since its sender does not stay to repeat it. The proxy has
/// threads, so fork processes before it is made.
class FrameProxy {
 public:
  FrameProxy(const std::string& front, const std::string& back, std::uint64_t seed, FrameFaults faults);
  ~FrameProxy();

  /// How often each fault struck.
  struct Struck {
    std::uint64_t passed = 0;
    std::uint64_t dropped = 0;
    std::uint64_t repeated = 0;
    std::uint64_t overtaken = 0;
    std::uint64_t truncated = 0;
    std::uint64_t flipped = 0;
    std::uint64_t lied = 0;
  };
  /// Ends the proxy and returns its counters.
  Struck stop();

 private:
  class Relay;
  std::unique_ptr<Relay> relay_;
};

}  // namespace hearsay::test
