#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/foundation/availability.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Reads the file that topology.availability names: CSV, whose first line names the columns, in any order. A
/// row says from when to when a peer is there, in seconds since the start of the run, and, if it likes, how
/// many times as long a gradient takes meanwhile:
///
///     peer,from,to,slowdown
///     0,0,3600,1
///     0,7200,10800,2.5
///     1,0,14400,1
///
/// The columns may have the names of FedScale's client availability trace: client_id, active and inactive.
/// `from` and `to` may be lists, "[0, 7200]" and "[3600, 10800]". The trace of a peer begins anew at its
/// finish_time if there is that column, else at the latest `to` of the file. The columns duration and model
/// of FedScale are not read.
///
/// Returns when each of the `peers` peers is there, by id. Throws Misuse, which names the line by `label`,
/// for: a column that is missing or unknown; an empty field, a number that is negative or none; a peer that
/// the run has not; times of a peer that overlap, or do not ascend; and a peer without a row.
std::vector<Availability> parse_availability(std::string_view csv, const std::string& label, PeerId peers);

/// The same of a file; `label` names the setting.
std::vector<Availability> load_availability(const std::filesystem::path& file, const std::string& label,
                                            PeerId peers);

}  // namespace hearsay
