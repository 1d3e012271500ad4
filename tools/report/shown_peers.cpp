#include "tools/report/shown_peers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/record/link_uses.hpp"
#include "tools/report/course.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_peers_shown = 128;
constexpr std::size_t most_links_shown = 128;
constexpr const char* time_columns[] = {"compute_seconds", "wait_seconds", "wire_seconds"};
constexpr const char* byte_columns[] = {"bytes_sent", "bytes_received"};

double number_or_zero(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

/// Returns the whole number that the object has at `key`; empty if it has none.
std::optional<std::uint64_t> count_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  if (!found->is_number_unsigned() && found->get<std::int64_t>() < 0) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::optional<PeerId> peer_at(const Json& object) {
  const auto id = count_at(object, "peer");
  if (!id || *id > std::numeric_limits<PeerId>::max()) return std::nullopt;
  return static_cast<PeerId>(*id);
}

/// Returns the member `key` if it is of that kind, else null.
const Json& member_of_kind(const Json& object, const char* key, Json::value_t kind) {
  static const Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(key);
  return found != object.end() && found->type() == kind ? *found : null;
}

const Json& list_at(const Json& object, const char* key) {
  return member_of_kind(object, key, Json::value_t::array);
}
const Json& object_at(const Json& object, const char* key) {
  return member_of_kind(object, key, Json::value_t::object);
}

/// Returns the objects in the list; empty if it is no list.
std::vector<const Json*> objects_in(const Json& list) {
  std::vector<const Json*> objects;
  for (const Json& object : list)
    if (object.is_object()) objects.push_back(&object);
  return objects;
}

std::vector<LinkUse> links_between(const std::vector<const Json*>& peers) {
  std::vector<LinkUse> said;
  for (const Json* peer : peers) {
    const auto id = peer_at(*peer);
    if (!id) continue;
    for (const Json* source : objects_in(list_at(*peer, "waited_for")))
      if (const auto from = peer_at(*source))
        said.push_back({*from, *id, number_or_zero(*source, "seconds"), 0});
    for (const Json* hearer : objects_in(list_at(*peer, "sent_to")))
      if (const auto to = peer_at(*hearer))
        said.push_back({*id, *to, 0.0, count_at(*hearer, "bytes").value_or(0)});
  }
  return merged(std::move(said));
}

Json list_of_waits(const std::vector<LinkUse>& links) {
  Json list = Json::array();
  for (const LinkUse& link : longest_waits(links, most_links_shown))
    list.push_back({link.from, link.to, short_number(link.seconds), link.bytes});
  return list;
}

Json shown_map(const LinkMap& map) {
  Json cells = Json::array();
  for (const LinkMap::Cell& cell : map.cells)
    cells.push_back({cell.from, cell.to, short_number(cell.seconds), short_number(cell.bytes), cell.links});
  return {{"side", map.side}, {"blocks", map.blocks}, {"cells", std::move(cells)}};
}

/// Returns columns of these peers, which are some of so many.
Json columns_of(const std::vector<const Json*>& shown, std::uint64_t of) {
  Json columns = {{"of", of}};
  const auto add = [&](const char* key) {
    columns[key] = Json::array();
    for (const Json* peer : shown) columns[key].push_back(short_number(peer->value(key, Json(nullptr))));
  };
  add("peer");
  for (const char* key : byte_columns) add(key);
  for (const char* key : time_columns) add(key);
  return columns;
}

Json peers_of_list(const Json& per_peer) {
  std::vector<const Json*> shown = objects_in(per_peer);
  const std::vector<LinkUse> links = links_between(shown);
  const std::size_t of = shown.size();
  if (of > most_peers_shown) {
    std::ranges::stable_sort(shown, std::greater<>(),
                             [](const Json* peer) { return number_or_zero(*peer, "wait_seconds"); });
    shown.resize(most_peers_shown);
    std::ranges::sort(shown);
  }
  Json columns = columns_of(shown, of);
  columns["links"] = list_of_waits(links);
  columns["map"] = shown_map(link_map(links));
  return columns;
}

/// Returns the list with its fractions cut to what eyes can tell; without the rows that are no lists of
/// `length` numbers.
Json shortened(const Json& rows, std::size_t length) {
  Json list = Json::array();
  for (const Json& row : rows) {
    if (!row.is_array() || row.size() != length) continue;
    if (!std::ranges::all_of(row, [](const Json& number) { return number.is_number(); })) continue;
    Json& kept = list.emplace_back(Json::array());
    for (const Json& number : row) kept.push_back(number.is_number_float() ? short_number(number) : number);
  }
  return list;
}

Json spread_of(const Json& columns) {
  Json spread = Json::object();
  const auto add = [&](const char* key) {
    const Json& column = object_at(columns, key);
    if (!column.is_object()) return;
    for (const auto& [name, value] : column.items())
      spread[key][name] = value.is_number_float() ? short_number(value) : value;
  };
  for (const char* key : byte_columns) add(key);
  for (const char* key : time_columns) add(key);
  return spread;
}

Json peers_of_statistics(const Json& statistics) {
  const Json& columns = object_at(statistics, "columns");
  const Json& slowest = list_at(object_at(columns, "wait_seconds"), "worst");
  std::vector<const Json*> shown = objects_in(list_at(statistics, "worst"));
  std::erase_if(shown, [&](const Json* peer) {
    return std::ranges::find(slowest, peer->value("peer", Json(nullptr))) == slowest.end();
  });
  const Json& links = object_at(statistics, "links");
  const Json& map = object_at(links, "map");
  Json shown_columns = columns_of(shown, count_at(statistics, "peers").value_or(0));
  shown_columns["links"] = shortened(list_at(links, "longest_waits"), 4);
  shown_columns["map"] = {{"side", std::max(1.0, number_or_zero(map, "side"))},
                          {"blocks", number_or_zero(map, "blocks")},
                          {"cells", shortened(list_at(map, "cells"), 5)}};
  shown_columns["spread"] = spread_of(columns);
  return shown_columns;
}

}  // namespace

Json peers_of(const Json& summary) {
  if (const Json& per_peer = list_at(summary, "per_peer"); !per_peer.empty()) return peers_of_list(per_peer);
  if (const Json& statistics = object_at(summary, "peer_statistics"); !statistics.empty())
    return peers_of_statistics(statistics);
  return nullptr;
}

}  // namespace hearsay
