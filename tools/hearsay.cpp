#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/objectives/stop_asked.hpp"
#include "runtime/program/program.hpp"
#include "runtime/program/program_groups.hpp"
#include "runtime/toml/document.hpp"
#include "runtime/toml/setting.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/manual.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/open_files.hpp"
#include "tools/terminal/version.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

namespace {

StopRequest stop;

/// Ends the process, and what its programs have forked.
void end_now() {
  kill_program_groups();
  _exit(exit_interrupted);
}

/// For commands that keep a record: the first Ctrl-C asks the run to end in good order, the second ends the
/// process at once. So does the first if there is no run yet.
void ask_to_end(int) {
  if (stop.interrupted.exchange(true) || !stop.is_heeded) end_now();
}

/// For one peer of a run over several hosts: the host wants this process to end, not the run.
void ask_to_leave(int) {
  if (stop.asked_to_leave.exchange(true) || !stop.is_heeded) end_now();
}

/// For commands that keep no record, such as check, which may take minutes.
void end_at_once(int) { end_now(); }

void install_signal_handlers(OnSignal on_signal) {
  struct sigaction action {};
  action.sa_handler = on_signal == OnSignal::end_at_once ? end_at_once : ask_to_end;
  action.sa_flags = SA_RESTART;  // system calls go on waiting; the run looks at the flag
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    sigaction(number, nullptr, &inherited);
    // An ignored signal stays ignored, as nohup wants it.
    if (inherited.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  if (on_signal == OnSignal::leave) signal(SIGTERM, ask_to_leave);
  signal(SIGXFSZ, SIG_IGN);  // a file beyond its size limit becomes a write error, as on a full disk
  signal(SIGPIPE, SIG_IGN);  // `hearsay ... | head` ends quietly
  signal(SIGCHLD,
         SIG_DFL);  // who starts hearsay may ignore it: how a peer or a program ends would be unknown
}

/// Refuses an unknown command by its name. CLI11 would only say that a subcommand is missing.
void require_known_command(const CLI::App& app, const std::string& given) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (given.starts_with('-') || std::ranges::find(known, given) != known.end()) return;
  throw Misuse(given + " is no command of hearsay" + did_you_mean(given, known));
}

/// Throws Misuse if what was printed cannot be written. A reader that closes the pipe early has read enough.
void require_written_output() {
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && errno != EPIPE)
    throw Misuse("cannot write to the standard output: " + std::string(std::strerror(errno)));
}

/// Makes `-- python3 train.py`, at the end of a command line, the assignments that it stands for: the model
/// is that program, run in this folder; with `launch`, which has peers on other hosts, it says where.
void take_program(std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end()) return;
  const std::vector<std::string> program(dashes + 1, words.end());
  words.erase(dashes, words.end());
  const std::vector<std::string> starters = {"run",   "simulate", "peer",   "launch",
                                             "sweep", "check",    "advise", "evaluate"};
  if (words.empty() || std::ranges::find(starters, words.front()) == starters.end())
    throw Misuse(
        "-- starts a program for the peers of a run; expected it after hearsay run, simulate, peer, "
        "launch, sweep, check, advise or evaluate");
  if (program.empty())
    throw Misuse(
        "-- ends the command line; expected the command of a program after it, such as -- python3 train.py");
  std::vector<std::string> assignments = {"model.kind=\"program\"", "model.program=" + toml_list(program)};
  if (words.front() != "launch")
    assignments.push_back("model.directory=" +
                          toml_text(spelled_path(std::filesystem::current_path().string())));
  for (const std::string& assignment : assignments) {
    words.emplace_back("--set");
    words.push_back(assignment);
  }
}

/// Returns the words of the command line; "help run" asks for the same as "run --help".
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  take_program(words);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

std::string last_words_of_help() {
  std::string text =
      "hearsay help COMMAND says what a command takes, with examples. To begin: hearsay new\n\nExit codes:";
  for (const auto& [code, meaning] : exit_meanings) {
    const std::string number = std::to_string(code);
    text += "\n    " + number + std::string(5 - number.size(), ' ') + meaning;
  }
  return text;
}

/// Throws Misuse if the folder that relative paths start at has been removed.
void require_current_folder() {
  std::error_code error;
  if (std::filesystem::current_path(error).empty())
    throw Misuse("the current folder cannot be found (" + error.message() +
                 "); expected to be called in another");
}

int main_of(int argc, char** argv) {
  CLI::App app("hearsay: decentralized gossip training", "hearsay");
  app.set_version_flag("-V,--version", "hearsay " + std::string(version_text()));
  app.footer(last_words_of_help());
  app.require_subcommand(1);
  app.fallthrough(false);
  Invocation invocation{stop};
  CommandLine command_line(app);
  for (AddCommand* const add : commands) add(command_line, invocation);
  // These two options serve the installation, so `--help` does not show them.
  for (const auto& [name, page] :
       {std::pair("--man-page", &man_page), std::pair("--bash-completion", &bash_completion)})
    if (argc == 2 && argv[1] == std::string_view(name)) {
      std::fputs(page(app, HEARSAY_VERSION).c_str(), stdout);
      return exit_done;
    }

  require_current_folder();
  std::vector<std::string> words = words_of(argc, argv);
  if (!words.empty()) require_known_command(app, words.front());
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    print_error(sentence_of(app, error));
    return exit_misuse;
  }
  install_signal_handlers(invocation.on_signal);
  return invocation.run();
}

}  // namespace

}  // namespace hearsay

int main(int argc, char** argv) {
  try {
    hearsay::raise_limit_of_open_files();
    const int code = hearsay::main_of(argc, argv);
    hearsay::require_written_output();
    return code;
  } catch (const hearsay::SilentStart& silence) {
    hearsay::print_error(silence.what());
    return hearsay::exit_lost;
  } catch (const hearsay::Misuse& misuse) {
    hearsay::print_error(misuse.what());
    return hearsay::exit_misuse;
  } catch (const hearsay::StopAsked& asked) {  // of the run that is being prepared
    hearsay::print_error(asked.what());
    return hearsay::exit_interrupted;
  } catch (const std::bad_alloc&) {
    hearsay::print_error("the memory of this machine does not suffice");
  } catch (const std::exception& error) {
    hearsay::print_error(std::string("a bug, or a machine at its limits: ") + error.what());
  }
  return hearsay::exit_failure;
}
