#include "runtime/record/peer_columns.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <type_traits>

namespace hearsay {

namespace {

constexpr std::string_view iterations_column = "iterations";
constexpr std::string_view peak_memory_column = "peak_memory_bytes";

using Counts = std::vector<std::uint64_t>;

std::vector<MeterRow> all_meter_rows() {
  std::vector<MeterRow> rows = {
      {"seconds", &PeerMeters::now},
      {"bytes_sent", &PeerMeters::bytes_sent},
      {"bytes_received", &PeerMeters::bytes_received},
      {"messages_sent", &PeerMeters::messages_sent},
      {"retransmitted", &PeerMeters::retransmitted},
      {"gaps", &PeerMeters::gaps},
      {"repeated", &PeerMeters::repeated},
      {"refused", &PeerMeters::refused},
      {"garbage", &PeerMeters::garbage},
  };
  const std::span counters(peer_counter_rows);
  for (const auto some : {counters.subspan(work_counter_count), counters.first(work_counter_count)})
    for (const PeerCounterRow& row : some) rows.push_back({row.name, row.member});
  rows.push_back({"compute_seconds", &PeerMeters::compute});
  rows.push_back({"wait_seconds", &PeerMeters::wait});
  rows.push_back({"wire_seconds", &PeerMeters::wire});
  return rows;
}

bool is_time(const MeterRow& row) { return std::holds_alternative<Duration PeerMeters::*>(row.member); }

/// Fills all columns in one pass over the peers, whose records lie far apart.
template <class Peer, class MetersOf>
std::vector<PeerColumn> meter_columns(const std::vector<Peer>& peers, MetersOf meters_of) {
  std::vector<PeerColumn> columns;
  for (const MeterRow& row : meter_rows()) {
    columns.push_back({row.name, Counts()});
    if (is_time(row)) columns.back().values = std::vector<double>();
    std::visit([&](auto& values) { values.reserve(peers.size()); }, columns.back().values);
  }
  for (const Peer& peer : peers)
    for (std::size_t k = 0; k < columns.size(); ++k)
      std::visit(
          [&](auto number) { std::get<std::vector<decltype(number)>>(columns[k].values).push_back(number); },
          number_of(meter_rows()[k], std::invoke(meters_of, peer)));
  return columns;
}

}  // namespace

std::span<const MeterRow> meter_rows() {
  static const std::vector<MeterRow> rows = all_meter_rows();
  return rows;
}

std::variant<std::uint64_t, double> number_of(const MeterRow& row, const PeerMeters& meters) {
  return std::visit(
      [&](auto member) -> std::variant<std::uint64_t, double> {
        if constexpr (std::is_same_v<decltype(member), Duration PeerMeters::*>)
          return seconds(meters.*member);
        else if constexpr (std::is_same_v<decltype(member), std::uint64_t PeerMeters::*>)
          return meters.*member;
        else
          return meters.counters.*member;
      },
      row.member);
}

std::vector<PeerColumn> columns_of(const std::vector<PeerMeters>& peers) {
  return meter_columns(peers, std::identity());
}

std::vector<PeerColumn> columns_of(const std::vector<PeerOutcome>& peers) {
  std::vector<PeerColumn> columns = meter_columns(peers, &PeerOutcome::meters);
  Counts iterations(peers.size());
  Counts peak_memory(peers.size());
  std::ranges::transform(peers, iterations.begin(), &PeerOutcome::iterations);
  std::ranges::transform(peers, peak_memory.begin(), &PeerOutcome::peak_memory_bytes);
  columns.push_back({iterations_column, std::move(iterations)});
  columns.push_back({peak_memory_column, std::move(peak_memory)});
  return columns;
}

std::vector<std::string_view> column_names() {
  std::vector<std::string_view> names;
  for (const MeterRow& row : meter_rows()) names.push_back(row.name);
  names.push_back(iterations_column);
  names.push_back(peak_memory_column);
  return names;
}

bool least_is_worst(std::string_view column) {
  static constexpr std::array<std::string_view, 3> work = {iterations_column, "gradient_evaluations",
                                                           "gossip_rounds"};
  return std::ranges::find(work, column) != work.end();
}

}  // namespace hearsay
