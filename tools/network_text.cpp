#include "tools/network_text.hpp"

#include "runtime/units.hpp"
#include "tools/human_text.hpp"

namespace hearsay {

std::string network_text(const RunSettings& settings) {
  const NetworkSettings& network = settings.network;
  std::string text =
      network.bandwidth_up == network.bandwidth_down
          ? to_text(network.bandwidth_up)
          : to_text(network.bandwidth_up) + " up, " + to_text(network.bandwidth_down) + " down";
  text += ", latency " + to_text(network.latency);
  if (network.jitter > Duration{0}) text += ", jitter up to " + to_text(network.jitter);
  if (network.message_loss > 0)
    text += ", loses " + significant(100 * network.message_loss) + " % of the messages";
  if (!settings.peer_networks.empty())
    text += "; " + counted(settings.peer_networks.size(), "peer") + " differ";
  if (!settings.link_overrides.empty())
    text += "; " + counted(settings.link_overrides.size(), "link") + " differ";
  return text;
}

}  // namespace hearsay
