#pragma once

#include <string>

namespace hearsay {

/// How a peer's part in a run ended.
struct PeerEnd {
  /// 0: the run took its course; 2: some peer's input or file is unusable; 3: a peer or the observer was
  /// lost, or this peer could not take part; 4: the run diverged; 130: the run or this peer was interrupted.
  int exit_code = 0;
  std::string reason;        ///< a sentence; may be empty, above all with code 0
  bool run_goes_on = false;  ///< without this peer: it left under "drop", or was replaced as a hub
  bool took_part = false;    ///< false if it ended before it trained, or trained on
};

}  // namespace hearsay
