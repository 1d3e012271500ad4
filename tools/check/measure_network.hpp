#pragma once

#include "tools/check/check_connections.hpp"

namespace hearsay {

class CommandLine;

/// The options of `hearsay check FILE --connect --measure`.
void add_measure_options(CommandLine& command, CheckOptions& options);

/// `hearsay check FILE --connect --measure`: tests the connections of a peer to all others, and measures the
/// links between any two. Peer 0 writes the links file. Returns the exit code.
int measure_network_command(const CheckOptions& options);

}  // namespace hearsay
