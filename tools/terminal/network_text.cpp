#include "tools/terminal/network_text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

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

std::string percent(double share) { return significant(100.0 * share, 3); }

/// The shares of up to so many peers are listed one by one.
constexpr std::size_t listed_peers = 16;

std::string shares_text(const std::vector<Availability>& peers) {
  std::string text;
  if (peers.size() <= listed_peers) {
    for (const Availability& peer : peers) text += (text.empty() ? "" : ", ") + percent(peer.share());
    return text + " % of the time, peer by peer";
  }
  const auto [least, most] = std::ranges::minmax_element(peers, {}, &Availability::share);
  double sum = 0.0;
  for (const Availability& peer : peers) sum += peer.share();
  const auto one = [&](auto peer) {
    return percent(peer->share()) + " % (peer " + std::to_string(peer - peers.begin()) + ")";
  };
  return one(least) + " to " + one(most) + " of the time, " +
         percent(sum / static_cast<double>(peers.size())) + " % on average";
}

}  // namespace

std::string availability_text(const RunSettings& settings) {
  Duration longest{0};
  double slowest = 1.0;
  for (const Availability& peer : settings.availability) {
    longest = std::max(longest, peer.period());
    for (const Availability::Stretch& stretch : peer.stretches())
      slowest = std::max(slowest, stretch.slowdown);
  }
  return shares_text(settings.availability) +
         (longest > Duration{0} ? ", anew after " + seconds_text(seconds(longest)) : "") +
         (slowest > 1.0 ? "; gradients take up to " + significant(slowest, 3) + " times as long" : "");
}

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
