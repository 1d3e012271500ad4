#include "runtime/survey/measured_links.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace hearsay {

namespace {

/// Returns the number with three significant digits.
double rounded(double number) {
  if (number <= 0.0) return number;
  const double unit = std::pow(10.0, std::floor(std::log10(number)) - 2.0);
  return unit < 1.0 ? std::round(number / unit) / std::round(1.0 / unit) : std::round(number / unit) * unit;
}

/// Rounds the bits per second, as which a reader sees it.
Bandwidth rounded_bandwidth(std::uint64_t bytes_per_s) {
  return {rounded(8.0 * static_cast<double>(bytes_per_s)) / 8.0};
}

Duration rounded_latency(Duration round_trip) {
  return Duration(static_cast<std::int64_t>(rounded(static_cast<double>(round_trip.count()) / 2.0)));
}

}  // namespace

LinksFile links_file_of(const std::vector<std::string>& names, const std::vector<MeasuredLink>& measured) {
  const auto faster = [](Bandwidth& port, const Bandwidth& link) {
    port.bytes_per_s = std::max(port.bytes_per_s, link.bytes_per_s);
  };
  LinksFile file{.names = names, .ports = std::vector<PortBandwidths>(names.size()), .links = {}};
  std::map<std::pair<PeerId, PeerId>, Duration> round_trips;  // by the lower and the higher id
  for (const MeasuredLink& link : measured) {
    const auto pair = std::minmax(link.from, link.to);
    const auto [known, is_new] = round_trips.emplace(std::pair(pair), link.round_trip);
    if (!is_new) known->second = std::min(known->second, link.round_trip);
  }
  for (const MeasuredLink& link : measured) {
    const Bandwidth bandwidth = rounded_bandwidth(link.bytes_per_s);
    faster(file.ports[link.from].up, bandwidth);
    faster(file.ports[link.to].down, bandwidth);
    const Duration round_trip = round_trips.at(std::pair(std::minmax(link.from, link.to)));
    file.links.push_back({link.from, link.to, rounded_latency(round_trip), bandwidth});
  }
  std::ranges::sort(file.links, {}, [](const LinkOverride& link) { return std::pair(link.from, link.to); });
  return file;
}

}  // namespace hearsay
