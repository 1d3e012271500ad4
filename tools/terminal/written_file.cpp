#include "tools/terminal/written_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "runtime/foundation/partial_file.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

bool begins_with(const fs::path& file, std::string_view mark) {
  std::string beginning(mark.size(), '\0');
  std::ifstream(file, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  return beginning == mark;
}

/// Throws Misuse if write_file could not begin: it makes a partial file first.
void require_creatable(const std::string& option, const fs::path& file) {
  const PartialFile partial = make_partial_file(file);
  if (!partial.file)
    throw Misuse(option, file.string(), std::string("it cannot be written: ") + std::strerror(errno));
  ::unlink(partial.path.c_str());
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

void write_replaceable(const std::string& option, const fs::path& file, std::string_view mark,
                       const std::string& what, bool overwrite, std::string_view text) {
  if (overwrite) {
    require_replaceable(option, file, mark, what, true);
    return write_file(file, {mark, text});
  }
  PartialFile partial = make_partial_file(file);
  const bool is_made = static_cast<bool>(partial.file);
  const auto writes = [&](std::string_view part) {
    return write_all(partial.file.number(), part) == part.size();
  };
  if (is_made && writes(mark) && writes(text) && partial.file.close() && rename_to_new(partial.path, file))
    return;
  const int error = errno;
  if (is_made) ::unlink(partial.path.c_str());
  if (error == EEXIST) require_replaceable(option, file, mark, what, false);
  throw HostRefusal("cannot write " + file.string() + ": " + std::strerror(error));
}

}  // namespace hearsay
