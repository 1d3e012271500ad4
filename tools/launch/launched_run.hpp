#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// How to start one peer.
struct LaunchedPeerPlan {
  PeerId id = 0;
  std::string label;               ///< "n3 (user@node3)"
  std::string name;                ///< stands in front of its lines
  std::vector<std::string> words;  ///< the command
  std::filesystem::path directory;
  std::string parcel;     ///< the first bytes of its standard input
  std::string host;       ///< only a few peers of one host start at a time
  std::string leaves_in;  ///< place of its output if it cannot send it
};

struct LaunchedRunPlan {
  std::vector<LaunchedPeerPlan> peers;  ///< ascending, from 0 on; without peers that join later
  std::filesystem::path output;
  bool overwrite = false;
  const std::atomic<bool>* interrupted = nullptr;
  Duration start_patience = std::chrono::minutes(2);  ///< how long a host may take to start a peer
  Duration beat_every = std::chrono::seconds(2);      ///< interval of the heartbeats to the peers
  /// Called with what peer 0 tells of the run while it goes on (run_news.hpp).
  std::function<void(const nlohmann::json& news)> on_news = [](const nlohmann::json&) {};
  bool drops = false;  ///< failure.policy = "drop": the run goes on without lost peers
  Duration lost_after = std::chrono::minutes(1);  ///< failure.lost_after
  bool has_hub = false;  ///< peer 0 is a hub without a standby: no run goes on without it
};

/// How a launched run ended.
struct LaunchedRunEnd {
  int exit_code = 0;
  std::string reason;  ///< a sentence with the peer and its last words; empty if the code is 0
  bool output_complete = false;
};

/// Starts all peers, prints their lines on standard error with their names in front, and receives the output
/// directory of peer 0. Writes a log of every peer into it.
///
/// All peers end together. If a peer fails, the others get a few seconds to end by themselves. Then their
/// standard input is closed, which asks them to end in good order. Then they are killed. Ctrl-C does the
/// same, and peer 0 is asked first.
///
/// If the run drops lost peers, a peer that is lost once it has started does not end the others. Peer 0 is
/// told of it, so that a run that has not begun does not wait for it: at once, or, of a peer whose connection
/// broke, after `lost_after`, since it may have come up. If the lost peer is peer 0, the record is lost, and
/// the models of the others are received.
LaunchedRunEnd run_launched(const LaunchedRunPlan& plan);

}  // namespace hearsay
