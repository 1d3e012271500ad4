#include "runtime/rules/transport_rules.hpp"

#include <algorithm>

#include "runtime/network/congestion.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

bool have_addresses(const std::vector<NamedPeer>& peers) {
  return std::ranges::any_of(peers, [](const NamedPeer& peer) { return !peer.address.empty(); });
}

/// The end of a sentence about a key that only connections of TCP heed.
constexpr const char* without_tcp =
    " has no effect: hearsay run takes sockets of this machine, not TCP (network.transport)";

[[noreturn]] void refuse_ipc(const std::string& why) { throw Misuse("network.transport", "ipc", why); }

}  // namespace

Transport transport_of(const RunSettings& settings, const std::vector<NamedPeer>& peers, bool is_in_kernel) {
  const bool is_ipc = settings.transport != Transport::tcp && !is_in_kernel && !have_addresses(peers);
  return is_ipc ? Transport::ipc : Transport::tcp;
}

void require_fitting_transport(const RunSettings& settings, const std::vector<NamedPeer>& peers,
                               bool is_in_kernel) {
  if (settings.transport != Transport::ipc) return;
  if (is_in_kernel) refuse_ipc("the kernel's network connects hosts by TCP; expected \"auto\" or \"tcp\"");
  if (have_addresses(peers))
    refuse_ipc(
        "the topology file gives addresses, where peers listen for TCP; expected \"auto\" or \"tcp\", "
        "or a topology file without addresses");
}

void require_tcp(const RunSettings& settings, const char* driver) {
  if (settings.transport == Transport::ipc)
    refuse_ipc(std::string(driver) + " connects its peers by TCP; expected \"auto\" or \"tcp\"");
}

std::optional<std::string> congestion_warning(const RunSettings& settings, Transport transport) {
  if (transport == Transport::tcp || settings.congestion == automatic_congestion) return std::nullopt;
  return "network.congestion = " + toml_text(settings.congestion) + without_tcp;
}

std::optional<std::string> pace_warning(const RunSettings& settings, Transport transport) {
  if (transport == Transport::tcp || settings.pace.unlimited()) return std::nullopt;
  return "network.pace = " + toml_text(to_text(settings.pace)) + without_tcp;
}

std::string to_text(Transport transport) {
  ensure(transport != Transport::automatic, "a run has one transport");
  return transport == Transport::ipc ? "ipc" : "tcp";
}

}  // namespace hearsay
