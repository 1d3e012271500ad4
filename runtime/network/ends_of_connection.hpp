#pragma once

namespace hearsay {

/// True if both ends of a connection of TCP are on this machine.
bool stays_here(int socket);

}  // namespace hearsay
