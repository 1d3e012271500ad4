#include "runtime/zmq/listening.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "runtime/cluster/address.hpp"
#include "runtime/network/congestion.hpp"
#include "runtime/zmq/monitor.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

// The most connections that the kernel holds until ZeroMQ accepts them. The number is large so that a burst
// of strangers does not keep a neighbor out.
constexpr int waiting_connections = 1024;

// Which users may connect to a socket of the machine; cppzmq has no name for it.
constexpr zmq::sockopt::integral_option<ZMQ_IPC_FILTER_UID, uid_t> user_who_may_connect{};

bool is_of_this_machine(const std::string& address) { return address.starts_with("ipc://"); }

/// Returns what the sentence says of an address that is not to be had: what to do about it.
std::string remedy_of(int error, const std::string& address) {
  if (error == EADDRNOTAVAIL || error == ENODEV)
    return "; expected an address of this machine, or, behind NAT or in a container, where to listen "
           "instead: bind = \"tcp://0.0.0.0:PORT\"";
  if (error != EADDRINUSE) return "";
  return is_of_this_machine(address) ? "; expected a name that no other program has"
                                     : "; expected a port at which no other program listens";
}

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
  // Everybody may read the names of sockets of the machine, and connect to them. ZeroMQ closes connections of
  // other users at once. It has to: it aborts a process that may open no more files when somebody connects to
  // such a socket (libzmq 4.3; at ports it does not).
  if (is_of_this_machine(address)) router.set(user_who_may_connect, geteuid());
  // Connections inherit the congestion control of the socket that accepts them.
  Monitor monitor(context, router, Attempts::untold,
                  [&](int socket) { set_congestion(socket, limits.congestion); });
  try {
    router.bind(address);
  } catch (const zmq::error_t& error) {
    throw Misuse(key, address,
                 "cannot listen there (" + std::string(error.what()) + ")" + remedy_of(error.num(), address));
  }
  while (monitor.next()) continue;
  return router.get(zmq::sockopt::last_endpoint);
}

}  // namespace hearsay
