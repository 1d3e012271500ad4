#include "tools/export/export_folder.hpp"

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace fs = std::filesystem;

void require_export_folder(const std::string& option, const fs::path& folder) {
  std::error_code ignored;
  if (folder.empty()) throw Misuse(option, "\"\"", "expected a folder");
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
    throw Misuse(option, folder.string(),
                 "it is a file; expected a folder, which is made if it is not there");
}

void make_export_folder(const std::string& option, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Misuse(option, folder.string(), "the folder cannot be made: " + error.message());
}

}  // namespace hearsay
