#pragma once

#include <filesystem>
#include <string>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// An exclusive lock on a directory, so that two runs do not overwrite each other's files. This process and
/// the processes that it forks hold the lock as long as the object lives. The kernel releases the lock when
/// these processes end, however they end.
class DirectoryLock {
 public:
  /// Throws Misuse, which names `key`, if another process holds the lock or the directory cannot be opened. A
  /// file system without locks gives none: nothing is thrown then.
  DirectoryLock(const std::string& key, const std::filesystem::path& directory);

 private:
  FileDescriptor directory_;
};

}  // namespace hearsay
