#include "tools/terminal/written_file.hpp"

#include <fstream>
#include <iterator>
#include <system_error>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

bool begins_with(const fs::path& file, std::string_view mark) {
  std::string beginning(mark.size(), '\0');
  std::ifstream(file, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  return beginning == mark;
}

}  // namespace

void require_replaceable(const std::string& option, const fs::path& file, std::string_view mark,
                         const std::string& what, bool overwrite) {
  std::error_code ignored;
  if (const fs::path folder = file.parent_path(); !folder.empty() && !fs::is_directory(folder, ignored))
    throw Misuse(option, file.string(), "there is no folder " + folder.string());
  if (!fs::exists(fs::symlink_status(file, ignored))) return;
  if (!fs::is_regular_file(file, ignored) || !begins_with(file, mark))
    throw Misuse(option, file.string(), "it is there, and no " + what + " of hearsay; expected another name");
  if (!overwrite) throw Misuse(option, file.string(), "it is there; --overwrite replaces it");
}

}  // namespace hearsay
