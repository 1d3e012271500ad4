#include "runtime/foundation/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

DirectoryLock::DirectoryLock(const std::string& key, const std::filesystem::path& directory)
    : directory_(directory, O_RDONLY | O_DIRECTORY) {
  if (!directory_) throw Misuse(key, directory, std::string("it cannot be opened: ") + std::strerror(errno));
  // Any other error means a file system without locks (some network file systems); the run does without.
  if (flock(directory_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Misuse(key, directory,
                 "a run that is under way has it, or one whose last processes are just ending");
}

}  // namespace hearsay
