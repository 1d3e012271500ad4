#pragma once

namespace hearsay {

/// Raises the soft limit of open files (`ulimit -n`) to the hard one, but at most to 65,536. Every connection
/// is an open file, those of strangers too: the higher the limit, the more strangers it takes to keep
/// neighbors out.
void raise_limit_of_open_files();

}  // namespace hearsay
