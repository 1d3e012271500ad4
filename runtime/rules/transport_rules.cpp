#include "runtime/rules/transport_rules.hpp"

#include <algorithm>

#include "runtime/network/congestion.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// The end of a sentence about a key that only connections of TCP heed.
constexpr const char* without_tcp =
    " has no effect: hearsay run takes sockets of this machine, not TCP (network.transport)";
/// That of one about network.pace.
constexpr const char* within_a_machine =
    " has no effect in hearsay run: only connections to other hosts are paced, and its peers are all on this "
    "machine";

[[noreturn]] void refuse_ipc(const std::string& why) { throw Misuse("network.transport", "ipc", why); }

}  // namespace

bool have_addresses(const std::vector<NamedPeer>& peers) {
  return std::ranges::any_of(peers, [](const NamedPeer& peer) { return !peer.address.empty(); });
}

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

std::vector<std::string> transport_warnings(const RunSettings& settings, Transport transport,
                                            bool between_hosts) {
  const bool has_tcp = transport == Transport::tcp;
  std::vector<std::string> warnings;
  if (!has_tcp && settings.congestion != automatic_congestion)
    warnings.push_back("network.congestion = " + toml_text(settings.congestion) + without_tcp);
  if (!settings.pace.unlimited() && !(has_tcp && between_hosts))
    warnings.push_back("network.pace = " + toml_text(to_text(settings.pace)) +
                       (has_tcp ? within_a_machine : without_tcp));
  return warnings;
}

std::string to_text(Transport transport) {
  ensure(transport != Transport::automatic, "a run has one transport");
  return transport == Transport::ipc ? "ipc" : "tcp";
}

}  // namespace hearsay
