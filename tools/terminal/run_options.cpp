#include "tools/terminal/run_options.hpp"

#include <CLI/CLI.hpp>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

void add_run_file_options(CLI::App& command, RunFileOptions& options) {
  command.add_option("FILE", options.file, "run file (TOML)")->required();
  command.add_option("--set", options.assignments, "override a key: --set network.latency=\"20 ms\"")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--quiet", options.quiet, "no progress and no closing words");
  command.add_flag("--json", options.json, "print the record as JSON on standard output");
}

void add_output_options(CLI::App& command, RunOptions& options) {
  add_run_file_options(command, options);
  command.add_flag("--overwrite", options.overwrite, "replace an earlier output");
  command
      .add_option_function<std::string>(
          "--output",
          [&options](const std::string& directory) {
            if (directory.empty()) throw Misuse("--output", "\"\"", "expected a path");
            // Paths on a command line start at the working directory, so the path is made absolute. $ begins
            // a variable in a run file, so it is doubled.
            std::string path = std::filesystem::absolute(directory).lexically_normal().string();
            for (std::size_t k = path.find('$'); k != std::string::npos; k = path.find('$', k + 2))
              path.insert(k, 1, '$');
            options.assignments.push_back("run.output=" + path);
          },
          "output directory, instead of run.output")
      ->type_name("DIR");
  command
      .add_option_function<std::string>(
          "--save",
          [&options](const std::string& what) {
            options.save = what == "peers" ? SaveModels::peers : SaveModels::mean;
          },
          "also save every peer's model")
      ->type_name("peers")
      ->check(CLI::IsMember({"peers"}));
}

void add_resume_option(CLI::App& command, RunOptions& options) {
  command.add_flag(
      "--resume", options.resume,
      "go on from the checkpoints of a run that was cut off, or extend it to more run.iterations");
}

void add_live_option(CLI::App& command, RunOptions& options) {
  command.add_flag("--live{0}")
      ->description(
          "serve a page that shows the run as it goes on, at 127.0.0.1; --live=PORT chooses the port")
      ->check(CLI::Range(0, 65535))
      ->each([&options](const std::string& port) {
        options.live_port = static_cast<std::uint16_t>(std::stoi(port, nullptr, 0));
      });
}

void add_start_patience_option(CLI::App& command, std::string& patience) {
  command.add_option("--wait", patience, "how long the others may take to come up [2 min]")
      ->type_name("TIME");
}

}  // namespace hearsay
