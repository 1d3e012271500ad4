#include "tools/terminal/written_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "runtime/foundation/file_descriptor.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

bool begins_with(const fs::path& file, std::string_view mark) {
  std::string beginning(mark.size(), '\0');
  std::ifstream(file, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  return beginning == mark;
}

/// Throws Misuse if write_file could not begin: it writes NAME.partial first.
void require_creatable(const std::string& option, const fs::path& file) {
  const fs::path partial = file.string() + ".partial";
  if (!FileDescriptor(partial, O_WRONLY | O_CREAT))
    throw Misuse(option, file.string(), std::string("it cannot be written: ") + std::strerror(errno));
  ::unlink(partial.c_str());
}

}  // namespace

void require_replaceable(const std::string& option, const fs::path& file, std::string_view mark,
                         const std::string& what, bool overwrite) {
  std::error_code ignored;
  if (const fs::path folder = file.parent_path(); !folder.empty() && !fs::is_directory(folder, ignored))
    throw Misuse(option, file.string(), "there is no folder " + folder.string());
  if (file.filename().empty()) throw Misuse(option, file.string(), "expected the name of a file");
  if (!fs::exists(fs::symlink_status(file, ignored))) return require_creatable(option, file);
  if (!fs::is_regular_file(file, ignored) || !begins_with(file, mark))
    throw Misuse(option, file.string(), "it is there, and no " + what + " of hearsay; expected another name");
  if (!overwrite) throw Misuse(option, file.string(), "it is there; --overwrite replaces it");
  require_creatable(option, file);
}

}  // namespace hearsay
