#include "runtime/zmq/listening.hpp"

#include <cerrno>

#include "runtime/cluster/address.hpp"
#include "runtime/network/congestion.hpp"
#include "runtime/zmq/monitor.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

// The most connections that the kernel holds until ZeroMQ accepts them. The number is large so that a burst
// of strangers does not keep a neighbor out.
constexpr int waiting_connections = 1024;

}  // namespace

std::string listen(zmq::context_t& context, zmq::socket_t& router, const Listening& limits,
                   const std::string& key, const std::string& address) {
  router.set(zmq::sockopt::linger, limits.linger_ms);
  router.set(zmq::sockopt::router_mandatory, true);
  router.set(zmq::sockopt::router_handover, true);
  router.set(zmq::sockopt::rcvhwm, limits.queue_frames);
  router.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(limits.payload_limit_bytes));
  router.set(zmq::sockopt::handshake_ivl, handshake_patience_ms);
  router.set(zmq::sockopt::backlog, waiting_connections);
  // If a domain is set, ZeroMQ refuses the old versions of its protocol, in which callers cannot prove who
  // they are. The domain is needed even without keys: arbitrary bytes pass for version 1 of the protocol, and
  // abort the process if they come while the ROUTER closes (libzmq 4.3).
  router.set(zmq::sockopt::zap_domain, "hearsay");
  router.set(zmq::sockopt::ipv6, Address::parse(address).is_v6());
  // Connections inherit the congestion control of the socket that accepts them.
  Monitor monitor(context, router, "listening", Attempts::untold,
                  [&](int socket) { set_congestion(socket, limits.congestion); });
  try {
    router.bind(address);
  } catch (const zmq::error_t& error) {
    const bool not_here = error.num() == EADDRNOTAVAIL || error.num() == ENODEV;
    throw Misuse(
        key, address,
        "cannot listen there (" + std::string(error.what()) + ")" +
            (not_here ? "; expected an address of this machine, or, behind NAT or in a container, where to "
                        "listen instead: bind = \"tcp://0.0.0.0:PORT\""
             : error.num() == EADDRINUSE ? "; expected a port at which no other program listens"
                                         : ""));
  }
  while (monitor.next()) continue;
  return router.get(zmq::sockopt::last_endpoint);
}

}  // namespace hearsay
