#pragma once

#include <functional>

#include "tools/terminal/stop_request.hpp"

namespace hearsay {

class CommandLine;

/// What SIGINT, SIGTERM and SIGHUP do while a command runs.
enum class OnSignal {
  end_at_once,        ///< end the process: the command keeps no record that would have to be closed
  end_in_good_order,  ///< set `interrupted`: a command that heeds it closes its record and ends
  leave,              ///< the same, but SIGTERM sets `asked_to_leave`
};

/// The command that the command line has chosen, and what signals ask of it.
struct Invocation {
  StopRequest& stop;
  /// Returns the exit code, and throws Misuse if the user got something wrong.
  std::function<int()> run = {};
  OnSignal on_signal = OnSignal::end_at_once;
};

/// Adds one subcommand with its own options. If the command line chooses it, parsing sets `invocation.run`.
using AddCommand = void(CommandLine& program, Invocation& invocation);

AddCommand add_new, add_run, add_simulate, add_peer, add_launch, add_sweep, add_task, add_topology, add_check,
    add_advise, add_evaluate, add_influence, add_codec, add_report, add_list, add_keys;

/// In the order of `hearsay --help`.
inline constexpr AddCommand* commands[] = {
    add_new,    add_run,      add_simulate,  add_peer,  add_launch, add_sweep, add_topology, add_check,
    add_advise, add_evaluate, add_influence, add_codec, add_report, add_list,  add_keys,     add_task,
};

}  // namespace hearsay
