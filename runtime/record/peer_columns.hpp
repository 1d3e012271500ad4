#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Which number of a peer's meters has the name in records.
struct MeterRow {
  const char* name;
  std::variant<std::uint64_t PeerMeters::*, Duration PeerMeters::*, std::uint64_t PeerCounters::*> member;
};

/// Returns all numbers of a peer's meters, in the order of its record.
std::span<const MeterRow> meter_rows();

/// Returns the number as it is recorded: a time in seconds.
std::variant<std::uint64_t, double> number_of(const MeterRow& row, const PeerMeters& meters);

/// One number of every peer, by id.
struct PeerColumn {
  std::string_view name;
  std::variant<std::vector<std::uint64_t>, std::vector<double>> values;
};

/// Returns the columns of all numbers of the meters.
std::vector<PeerColumn> columns_of(const std::vector<PeerMeters>& peers);
/// The same, then "iterations" and "peak_memory_bytes".
std::vector<PeerColumn> columns_of(const std::vector<PeerOutcome>& peers);

/// Returns the names of the columns of a run that has ended, in their order.
std::vector<std::string_view> column_names();

/// True if the peers with the least numbers are the worst: they did the least work. In all other columns the
/// worst are those with the most time, bytes, messages or faults.
bool least_is_worst(std::string_view column);

}  // namespace hearsay
