#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
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
  std::string name;                ///< "n3", in front of its lines
  std::vector<std::string> words;  ///< the command
  std::filesystem::path directory;
  std::string parcel;     ///< what it is sent first
  std::string host;       ///< peers of one host start a few at a time
  std::string leaves_in;  ///< "node3:experiments/...": what is left there where it cannot send its output
};

struct LaunchedRunPlan {
  std::vector<LaunchedPeerPlan> peers;  ///< ascending, from 0 on; not those that join later
  std::filesystem::path output;
  bool overwrite = false;
  const std::atomic<bool>* interrupted = nullptr;
  Duration start_patience = std::chrono::minutes(2);  ///< for a host to start a peer
  Duration beat_every = std::chrono::seconds(2);      ///< so that peers know that somebody is there
  bool drops = false;                                 ///< peers that are lost are done without
};

/// How a launched run ended.
struct LaunchedRunEnd {
  int exit_code = 0;
  std::string reason;  ///< a sentence that names the peer and what it said, where the code is not 0
  bool output_complete = false;
};

/// Starts all peers, passes their lines on to standard error with their names in front, and takes peer 0's
/// output directory in, with a log of every peer.
///
/// All end together: where a peer ends otherwise than well, the others get a few seconds to end by
/// themselves; then their standard input ends, upon which they end in good order; then they are killed.
/// Ctrl-C does the same, peer 0 first. Where the run drops peers, one that is lost while it trains ends
/// nobody else; without peer 0, with whom the record goes, the models of the others are taken in.
LaunchedRunEnd run_launched(const LaunchedRunPlan& plan);

}  // namespace hearsay
