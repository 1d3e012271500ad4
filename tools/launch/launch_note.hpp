#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/record/run_directory.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What a peer that `hearsay launch` starts is told, besides run.toml, topology.toml and perhaps init.npy.
struct LaunchNote {
  PeerId id = 0;
  std::string run_file;          ///< its name where it comes from, for messages
  std::filesystem::path folder;  ///< where the peer keeps what was sent and its output while it runs
  std::vector<std::string> assignments;
  std::string start_patience = "2 min";
  SaveModels save = SaveModels::mean;
  bool quiet = false;
  bool has_initial_model = false;
  bool resume = false;  ///< goes on with what is in the folder
};

/// Under it, in the peer's directory, is the folder of each peer.
inline constexpr const char* launch_folder = ".hearsay-launch";

nlohmann::json to_json(const LaunchNote& note);
/// Misuse where it is none, or one of another version of hearsay.
LaunchNote read_launch_note(const nlohmann::json& json);

}  // namespace hearsay
