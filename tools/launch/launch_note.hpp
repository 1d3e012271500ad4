#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/record/run_directory.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What `hearsay launch` tells a peer that it starts, besides run.toml, topology.toml and perhaps init.npy.
struct LaunchNote {
  PeerId id = 0;
  std::string run_file;          ///< its name at the launcher, for messages
  std::filesystem::path folder;  ///< the peer keeps here what it was sent, and its output while it runs
  std::vector<std::string> assignments;
  std::string command;  ///< that the user typed, for the record
  std::string start_patience = "2 min";
  SaveModels save = SaveModels::mean;
  bool quiet = false;
  bool has_initial_model = false;
  bool has_links = false;         ///< network.links names a file
  bool has_availability = false;  ///< topology.availability does
  bool sends_news = false;        ///< peer 0 tells how the run goes on, for a live page (run_news.hpp)
  bool resume = false;            ///< go on with the checkpoints in the folder
};

/// The folder, in the directory of a peer, that holds one folder for each launched peer.
inline constexpr const char* launch_folder = ".hearsay-launch";

nlohmann::json to_json(const LaunchNote& note);
/// Throws Misuse if `json` is no launch note, or one of another version of hearsay.
LaunchNote read_launch_note(const nlohmann::json& json);

}  // namespace hearsay
