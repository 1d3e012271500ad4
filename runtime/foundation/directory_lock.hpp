#pragma once

#include <filesystem>
#include <string>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// A directory that one process, and those that it forks, has for itself for as long as this lives: what two
/// runs write to the same place is neither's. The kernel lets go of it when the processes end, however they
/// do.
class DirectoryLock {
 public:
  /// Throws Misuse, about `key`, where another process has it.
  DirectoryLock(const std::string& key, const std::filesystem::path& directory);

 private:
  FileDescriptor directory_;
};

}  // namespace hearsay
