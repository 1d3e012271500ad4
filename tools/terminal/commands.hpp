#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/record/run_directory.hpp"
#include "runtime/record/summary.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What the process ends with.
enum ExitCode : int {
  exit_done = 0,     ///< also when the target was reached
  exit_failure = 1,  ///< a bug, or a machine at its limits (memory)
  exit_misuse = 2,
  exit_lost = 3,
  exit_diverged = 4,
  exit_interrupted = 130,
};

/// What every command that reads a run file takes.
struct RunFileOptions {
  std::filesystem::path file;
  std::vector<std::string> assignments;  ///< --set a.b=value
  bool quiet = false;                    ///< no progress, no closing words
  bool json = false;                     ///< the record on standard output, for machines
};

struct RunOptions : RunFileOptions {
  bool overwrite = false;
  bool resume = false;
  std::optional<std::uint16_t> live_port = {};  ///< as in TrainingOptions
  SaveModels save = SaveModels::mean;
  const std::atomic<bool>* interrupted = nullptr;
  const std::atomic<bool>* asked_to_leave = nullptr;  ///< as in RunControl
};

/// What slows real processes down.
enum class SlowedBy { shaper, kernel };

struct SweepOptions : RunOptions {
  SlowedBy network = SlowedBy::shaper;
};

/// What becomes of an earlier output. Throws Misuse where the options contradict each other, or there can be no checkpoints.
EarlierOutput earlier_output(const RunOptions& options, const RunSettings& settings);

struct PeerOptions : RunOptions {
  std::optional<PeerId> id;  ///< else the environment says it
  std::string start_patience = "2 min";
  bool ends_with_input = false;
  std::atomic<bool>* ask_to_end = nullptr;  ///< what `interrupted` looks at
  /// Why the run cannot go on, where whoever started the peers has said so.
  std::function<std::optional<std::string>()> lost = [] { return std::nullopt; };
};

struct CheckOptions : RunFileOptions {
  bool connect = false;      ///< test the connections of one peer instead of printing the plan
  std::optional<PeerId> id;  ///< else the environment says it
  std::string patience = "30 s";
};

struct AdviseOptions : RunFileOptions {
  std::filesystem::path output;  ///< the run file of the winner; empty: advised.toml beside the file
  bool overwrite = false;        ///< what an earlier advice has written
  const std::atomic<bool>* interrupted = nullptr;
};

struct LaunchOptions : RunOptions {
  std::string start_patience = "2 min";
};

struct TopologyOptions {
  std::string spec;  ///< "ring(16)", or a topology file
  std::string weights;
  std::string schedule;
  double participation = 1.0;
  std::uint64_t seed = 1;
  std::vector<std::filesystem::path> write;
  bool json = false;
};

struct EvaluateOptions : RunFileOptions {
  std::filesystem::path model;
};

struct ReportOptions {
  std::vector<std::filesystem::path> folders;  ///< outputs of runs and of sweeps
  std::filesystem::path output = "report.html";
  bool overwrite = false;
  bool quiet = false;
};

struct AuthorizeOptions {
  std::filesystem::path authorized;
  std::string name;  ///< of the peer
  std::string key;   ///< public, or the file of a pair
};

// The commands. Each returns the exit code and throws Misuse for what the user got wrong.
int run_command(const RunOptions& options, Driver driver);
int peer_command(const PeerOptions& options);
int launch_command(const LaunchOptions& options);
int sweep_command(const SweepOptions& options);
int topology_command(const TopologyOptions& options);
int check_command(const RunFileOptions& options);
int check_connections_command(const CheckOptions& options);
int advise_command(const AdviseOptions& options);
int evaluate_command(const EvaluateOptions& options);
int report_command(const ReportOptions& options);
int list_command(bool json);
int new_key_command(const std::string& name);
int show_key_command(const std::filesystem::path& file);
int authorize_key_command(const AuthorizeOptions& options);

}  // namespace hearsay
