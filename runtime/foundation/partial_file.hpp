#pragma once

#include <filesystem>
#include <string_view>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// A new file beside NAME, which becomes NAME once it is whole: NAME.partial, or NAME.partial-1 and so on if
/// that is there. Whoever left it there, a user, a writer that is at work or one that was killed, keeps it.
struct PartialFile {
  std::filesystem::path path;
  FileDescriptor file;  ///< false if none can be made (errno says why)
};
PartialFile make_partial_file(const std::filesystem::path& name);

/// Returns NAME if `file` is called as a partial file of NAME, else `file`.
std::string_view without_partial_ending(std::string_view file);

/// Renames `partial` to `name`, which must not be there. False if that fails (errno EEXIST: it is there).
bool rename_to_new(const std::filesystem::path& partial, const std::filesystem::path& name);

}  // namespace hearsay
