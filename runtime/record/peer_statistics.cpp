#include "runtime/record/peer_statistics.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace hearsay {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t most_worst = 10;
constexpr std::size_t most_waits = 128;

/// Returns the quantiles, each a number of a peer: the least of which `percent` of all are not above it.
template <class Number>
Json quantiles_of(std::vector<Number> values) {
  Json record = Json::object();
  const auto [least, most] = std::ranges::minmax_element(values);
  const bool differ = least != values.end() && *least != *most;
  auto from = values.begin();
  for (const Quantile& quantile : quantiles) {
    if (values.empty()) {
      record[quantile.name] = nullptr;
      continue;
    }
    const std::size_t above = (quantile.percent * values.size() + 99) / 100;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(above, 1) - 1);
    // What is before an earlier quantile is not above it.
    if (differ && at >= from) std::ranges::nth_element(from, at, values.end());
    from = at;
    record[quantile.name] = *at;
  }
  return record;
}

template <class Number>
Json quantiles_and_total(const std::vector<Number>& values) {
  Json record = quantiles_of(values);
  record["total"] = std::accumulate(values.begin(), values.end(), Number{0});
  return record;
}

/// Returns the ids of the worst peers, the worst first; of equals the lower id first.
template <class Number>
std::vector<PeerId> worst_of(const std::vector<Number>& values, bool least_is_worst) {
  std::vector<PeerId> ids(values.size());
  std::iota(ids.begin(), ids.end(), PeerId{0});
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(most_worst, ids.size()));
  std::ranges::partial_sort(ids, end, [&](PeerId one, PeerId other) {
    if (values[one] != values[other]) return (values[one] < values[other]) == least_is_worst;
    return one < other;
  });
  ids.erase(end, ids.end());
  return ids;
}

/// Returns the record of a peer, without what it says of its links: a hub has as many as there are peers.
Json record_of(PeerId id, std::span<const PeerColumn> columns) {
  Json record = {{"peer", id}};
  for (const PeerColumn& column : columns)
    record[std::string(column.name)] =
        std::visit([id](const auto& values) { return Json(values[id]); }, column.values);
  return record;
}

Json waits_record(std::span<const LinkUse> links) {
  Json record = Json::array();
  for (const LinkUse& link : longest_waits(links, most_waits))
    record.push_back({link.from, link.to, link.seconds, link.bytes});
  return record;
}

Json map_record(const LinkMap& map) {
  Json cells = Json::array();
  for (const LinkMap::Cell& cell : map.cells)
    cells.push_back({cell.from, cell.to, cell.seconds, cell.bytes, cell.links});
  return {{"side", map.side}, {"blocks", map.blocks}, {"cells", std::move(cells)}};
}

Json links_record(std::span<const LinkUse> links) {
  std::vector<double> waits(links.size());
  std::vector<std::uint64_t> bytes(links.size());
  std::ranges::transform(links, waits.begin(), &LinkUse::seconds);
  std::ranges::transform(links, bytes.begin(), &LinkUse::bytes);
  return {{"count", links.size()},
          {"wait_seconds", quantiles_and_total(waits)},
          {"bytes", quantiles_and_total(bytes)},
          {"longest_waits", waits_record(links)},
          {"map", map_record(link_map(links))}};
}

}  // namespace

Json peer_statistics(std::size_t peers, std::span<const PeerColumn> columns, std::span<const LinkUse> links) {
  Json of_columns = Json::object();
  std::set<PeerId> named;
  for (const PeerColumn& column : columns) {
    Json& record = of_columns[std::string(column.name)];
    std::visit(
        [&](const auto& values) {
          record = quantiles_and_total(values);
          const std::vector<PeerId> worst = worst_of(values, least_is_worst(column.name));
          named.insert(worst.begin(), worst.end());
          record["worst"] = worst;
        },
        column.values);
  }
  Json worst = Json::array();
  for (const PeerId id : named) worst.push_back(record_of(id, columns));
  return {{"peers", peers},
          {"columns", std::move(of_columns)},
          {"worst", std::move(worst)},
          {"links", links_record(links)}};
}

}  // namespace hearsay
