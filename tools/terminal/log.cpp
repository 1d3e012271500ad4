#include "tools/terminal/log.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <nlohmann/json.hpp>

#include "runtime/foundation/peer_name.hpp"
#include "runtime/foundation/text_bytes.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::chrono::minutes time_to_repeat{1};
/// A count that nobody has asked for.
constexpr std::chrono::hours time_to_forget{1};

/// Standard error is one for the whole process, and so is how it is written.
struct LogOfProcess {
  LogFormat format = LogFormat::plain;
  std::optional<PeerId> peer = {};
  std::mutex mutex = {};
  RepeatedSentences repeated = {};
};

LogOfProcess& log_of_process() {
  static LogOfProcess log;
  return log;
}

const char* word_of(LogLevel level) {
  constexpr std::array words = {"info", "warning", "error"};
  return words.at(static_cast<std::size_t>(level));
}

/// In UTC, with milliseconds: "2026-11-30T20:30:07.123Z".
std::string timestamp(std::chrono::milliseconds since) {
  const std::time_t seconds = static_cast<std::time_t>(since.count() / 1000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text.data() + length, text.size() - length, ".%03dZ", static_cast<int>(since.count() % 1000));
  return text.data();
}

}  // namespace

std::string log_line(LogFormat format, std::chrono::milliseconds since_epoch, const LogEntry& entry,
                     const nlohmann::ordered_json& details) {
  const std::string sentence = printable(entry.sentence);
  if (format == LogFormat::text) {
    const std::string name = entry.peer ? name_of(*entry.peer) : "";
    const bool is_named =
        name.empty() || sentence.starts_with(name + " ") || sentence.starts_with(name + ":");
    return timestamp(since_epoch) + " " + word_of(entry.level) + " " + (is_named ? "" : name + ": ") +
           sentence;
  }
  ensure(format == LogFormat::json, "plain lines have no form of their own");
  nlohmann::ordered_json line = {{"time", timestamp(since_epoch)}, {"level", word_of(entry.level)}};
  if (entry.peer) line["peer"] = *entry.peer;
  line["message"] = sentence;
  line.update(details);
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<std::uint64_t> RepeatedSentences::say(const std::string& sentence, Instant now) {
  std::erase_if(said_, [&](const auto& other) {
    const Instant::duration age = now - other.second.at;
    return other.first != sentence &&
           (age >= time_to_forget || (age >= time_to_repeat && other.second.held_back == 0));
  });
  const auto [known, is_new] = said_.try_emplace(sentence, Said{now});
  if (is_new) return 0;
  Said& said = known->second;
  if (now - said.at < time_to_repeat) {
    ++said.held_back;
    return std::nullopt;
  }
  const std::uint64_t held_back = said.held_back;
  said = {now};
  return held_back;
}

void begin_log(LogFormat format) { log_of_process().format = format; }

void name_log(PeerId peer) { log_of_process().peer = peer; }

bool is_logged() { return log_of_process().format != LogFormat::plain; }

void log(LogLevel level, const std::string& sentence) {
  log(level, sentence, nlohmann::ordered_json::object());
}

void log(LogLevel level, const std::string& sentence, const nlohmann::ordered_json& details) {
  LogOfProcess& process = log_of_process();
  const std::lock_guard lock(process.mutex);
  const auto held_back = level == LogLevel::error
                             ? std::optional<std::uint64_t>(0)
                             : process.repeated.say(sentence, std::chrono::steady_clock::now());
  if (!held_back) return;
  LogEntry entry{level, process.peer, sentence};
  if (*held_back > 0)
    entry.sentence += " (said " + std::to_string(*held_back) + " times more since the last line)";
  const auto since_epoch = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  std::fprintf(stderr, "%s\n", log_line(process.format, since_epoch, entry, details).c_str());
}

}  // namespace hearsay
