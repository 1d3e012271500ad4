#pragma once

#include <string>

namespace hearsay {

/// True if both ends of a connection of TCP are on this machine.
bool stays_here(int socket);

/// Returns where the other end of a connection of TCP is, its address and port, in bytes; an empty text if
/// `socket` is none.
std::string far_end(int socket);

}  // namespace hearsay
