#include "tools/terminal/network_text.hpp"

#include <cmath>

#include "runtime/foundation/units.hpp"
#include "tools/terminal/human_text.hpp"

namespace hearsay {

namespace {

std::string bandwidth_text(const NetworkSettings& network) {
  if (!network.trace.empty()) {
    const double mean = network.trace.mean_bytes_per_s();
    return "a bandwidth trace of " + counted(network.trace.rows().size(), "row") + ", on average " +
           (std::isfinite(mean) ? significant(8e-6 * mean) + " Mbit/s" : "unlimited") +
           (network.trace.period() > Duration{0} ? ", anew after " + to_text(network.trace.period()) : "");
  }
  if (network.bandwidth_up == network.bandwidth_down) return to_text(network.bandwidth_up);
  return to_text(network.bandwidth_up) + " up, " + to_text(network.bandwidth_down) + " down";
}

}  // namespace

std::string network_text(const RunSettings& settings) {
  const NetworkSettings& network = settings.network;
  std::string text = bandwidth_text(network);
  text += ", latency " + to_text(network.latency);
  if (network.jitter > Duration{0}) text += ", jitter up to " + to_text(network.jitter);
  if (network.message_loss > 0)
    text += ", loses " + significant(100 * network.message_loss) + " % of the messages";
  if (!settings.peer_networks.empty())
    text += "; " + counted(settings.peer_networks.size(), "peer") + " differ";
  if (!settings.link_overrides.empty())
    text += "; " + counted(settings.link_overrides.size(), "link") + " differ";
  if (!settings.links_file.empty())
    text += "; between any two peers as " + settings.links_file.filename().string() + " says";
  return text;
}

}  // namespace hearsay
