#include "runtime/zmq/dialing.hpp"

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// How long an address of several may be silent until the next one is dialed.
constexpr int silent_address_ms = 2000;

}  // namespace

Dialing::Dialing(zmq::socket_t& dealer, const std::string& address)
    : dealer_(&dealer), addresses_(addresses_to_dial(address)) {}

void Dialing::begin() {
  if (has_a_choice()) {
    dealer_->set(zmq::sockopt::connect_timeout, silent_address_ms);
    // Frames wait for a connection. Otherwise ZeroMQ would keep them for an address that was given up, go on
    // dialing it beside the others, and connect twice once the server is up.
    dealer_->set(zmq::sockopt::immediate, true);
  }
  dial();
}

void Dialing::dial_next() {
  if (!has_a_choice()) return;
  dealer_->disconnect(addresses_[place_].text);
  place_ = (place_ + 1) % addresses_.size();
  dial();
}

void Dialing::dial() {
  const auto& [address, is_v6] = addresses_[place_];
  dealer_->set(zmq::sockopt::ipv6, is_v6);  // ZeroMQ dials the first address of its kind
  try {
    dealer_->connect(address);
  } catch (const zmq::error_t& error) {
    throw Misuse("address", address, "cannot connect there (" + std::string(error.what()) + ")");
  }
}

}  // namespace hearsay
