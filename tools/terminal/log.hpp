#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// How the lines on standard error are written (--log).
enum class LogFormat : std::uint8_t {
  plain,  ///< for who looks on: sentences, and one line of progress that is rewritten
  text,   ///< time, level, peer, and the sentence
  json,   ///< the same as an object of JSON
};

enum class LogLevel : std::uint8_t { info, warning, error };

struct LogEntry {
  LogLevel level = LogLevel::info;
  std::optional<PeerId> peer = {};  ///< in whose process it is said; empty: in that of no single peer
  std::string sentence = {};
};

/// Returns the line of an entry, without its end: "2026-11-30T20:30:07.123Z warning peer 3: ...", or {"time",
/// "level", "peer", "message"} and the members of `details`, an object. A sentence that begins with the peer
/// does not name it twice. Control characters are spelled out. `since_epoch`: that of 1970, UTC. `format` is
/// not plain.
std::string log_line(LogFormat format, std::chrono::milliseconds since_epoch, const LogEntry& entry,
                     const nlohmann::ordered_json& details);

/// Tells which sentences were said within a minute: such a one is said once a minute, with a count. Pure.
class RepeatedSentences {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  /// Returns how often the sentence was held back since it was said last; empty if it is to be held back now.
  std::optional<std::uint64_t> say(const std::string& sentence, Instant now);

 private:
  struct Said {
    Instant at;
    std::uint64_t held_back = 0;
  };
  std::map<std::string, Said> said_;  // within the last minute, or held back since
};

/// From now on the lines of this process, and of those that are forked from it, have this format.
void begin_log(LogFormat format);
/// From now on they are those of this peer's process.
void name_log(PeerId peer);
/// True if `begin_log` was called.
bool is_logged();
/// Writes an entry to the log. Several threads may call it.
void log(LogLevel level, const std::string& sentence);
void log(LogLevel level, const std::string& sentence, const nlohmann::ordered_json& details);

}  // namespace hearsay
