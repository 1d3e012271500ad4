#include "tools/training/provenance.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <thread>
#include <utility>

#include "runtime/foundation/machine.hpp"
#include "tools/terminal/shell_word.hpp"
#include "tools/terminal/version.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

std::string utc_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Returns the word in quotes if a shell would read it otherwise.
std::string as_typed(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  return !word.empty() && word.find_first_not_of(plain) == word.npos ? word : shell_word(word);
}

}  // namespace

std::string own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line;
  for (std::string word; std::getline(file, word, '\0');) line += (line.empty() ? "" : " ") + as_typed(word);
  return line;
}

Provenance::Provenance(std::string command)
    : begun_(std::chrono::system_clock::now()),
      command_(command.empty() ? own_command_line() : std::move(command)) {}

Json Provenance::record(std::uint64_t seed, const std::vector<std::string>& warnings) const {
  Json record = beginning(seed, warnings);
  record["ended"] = utc_text(std::chrono::system_clock::now());
  return record;
}

Json Provenance::beginning(std::uint64_t seed, const std::vector<std::string>& warnings) const {
  return {{"begun", utc_text(begun_)},
          {"ended", nullptr},
          {"version", version_text()},
          {"command", command_},
          {"host", host_name()},
          {"processor", processor_name()},
          {"cores", std::thread::hardware_concurrency()},
          {"memory_bytes", machine_memory()},
          {"seed", seed},
          {"warnings", warnings}};
}

}  // namespace hearsay
