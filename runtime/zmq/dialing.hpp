#pragma once

#include <cstddef>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "runtime/cluster/address.hpp"

namespace hearsay {

/// Connects a DEALER to the addresses of a name, one after the other, until one answers. ZeroMQ itself dials
/// the first address of a name only, for ever, though its server may listen at another: at the IPv4 address
/// of a name that has an IPv6 address, too, say.
class Dialing {
 public:
  /// Misuse if the address is invalid. The DEALER must outlive this object, and be set up for connecting.
  Dialing(zmq::socket_t& dealer, const std::string& address);

  bool has_a_choice() const { return addresses_.size() > 1; }
  /// Dials the first address.
  void begin();
  /// True if `address` is the one that was dialed last.
  bool dials(const std::string& address) const { return address == addresses_[place_].text; }
  /// The address that was dialed last does not answer: dials the next one.
  void dial_next();

 private:
  void dial();

  zmq::socket_t* dealer_;
  std::vector<DialedAddress> addresses_;
  std::size_t place_ = 0;
};

}  // namespace hearsay
