#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// The folder of an output directory that holds what is recorded of every peer, a .npy file per column.
inline constexpr std::string_view per_peer_folder = "per-peer";

/// True if `file` is the name of a file that a run leaves in that folder.
bool is_column_file(std::string_view file);

/// Writes the folder into the output directory, in place of an earlier one (see this room's README.md).
/// Throws Misuse if a file cannot be written; then the folder is gone.
void write_columns(const std::filesystem::path& output, const std::vector<PeerOutcome>& peers);

}  // namespace hearsay
