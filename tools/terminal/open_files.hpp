#pragma once

namespace hearsay {

/// Every connection is an open file, strangers' too: the more of them the process may have, the more
/// strangers it takes to keep neighbors out. Raises the soft limit (`ulimit -n`) to the hard one, or to
/// 65,536 where that is higher.
void raise_limit_of_open_files();

}  // namespace hearsay
