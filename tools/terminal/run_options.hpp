#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/record/run_directory.hpp"
#include "tools/terminal/stop_request.hpp"

namespace hearsay {

class CommandLine;

/// The options of every command that reads a run file.
struct RunFileOptions {
  std::filesystem::path file;
  std::vector<std::string> assignments;  ///< --set a.b=value
  bool quiet = false;                    ///< print neither progress nor closing words
  bool json = false;                     ///< print the record on standard output, for programs
};

/// The options of every command that writes an output directory.
struct RunOptions : RunFileOptions {
  bool overwrite = false;
  bool resume = false;
  std::optional<std::uint16_t> live_port = {};  ///< of the page that shows the run; 0: any free port
  std::string metrics = {};                     ///< where a monitoring system may ask; empty: nowhere
  SaveModels save = SaveModels::mean;
  bool per_peer = false;                    ///< write what is recorded of every peer, in columns
  std::filesystem::path trace = {};         ///< of who computed, waited and sent; empty: none is written
  std::optional<std::size_t> threads = {};  ///< of what runs in virtual time; empty: one for every core
  StopRequest* stop = nullptr;              ///< what signals ask of the command
};

/// The threads of a command that runs in virtual time.
std::size_t threads_of(const RunOptions& options);

// Each function adds the options of one of the structs above, or a part of them, to `command`. `options` must
// outlive the parsing.
void add_run_file_options(CommandLine& command, RunFileOptions& options);
void add_output_options(CommandLine& command, RunOptions& options);
void add_per_peer_option(CommandLine& command, RunOptions& options);
void add_resume_option(CommandLine& command, RunOptions& options);
void add_live_option(CommandLine& command, RunOptions& options);
void add_log_option(CommandLine& command);
void add_metrics_option(CommandLine& command, RunOptions& options);
void add_threads_option(CommandLine& command, RunOptions& options);
void add_trace_option(CommandLine& command, RunOptions& options);
void add_start_patience_option(CommandLine& command, std::string& patience);

}  // namespace hearsay
