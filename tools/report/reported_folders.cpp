#include "tools/report/reported_folders.hpp"

#include <algorithm>

#include "tools/report/run_folder.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace fs = std::filesystem;

ReportedFolders reported_folders(const std::vector<fs::path>& folders) {
  ReportedFolders reported;
  for (auto folder = folders.begin(); folder != folders.end(); ++folder)
    if (std::any_of(folders.begin(), folder, [&](const fs::path& earlier) {
          std::error_code ignored;
          return fs::equivalent(earlier, *folder, ignored);
        }))
      throw Misuse(folder->string() + ": it is given twice; expected each output directory once");
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / "sweep.json", ignored))
      reported.sweeps.push_back(folder);
    else if (is_run_folder(folder))
      reported.runs.push_back(folder);
    else if (!fs::exists(folder, ignored))
      throw Misuse("DIR", folder.string(), "there is no such folder");
    else
      throw Misuse(folder.string() +
                   ": expected the output directory of a run (run.toml, metrics.jsonl) or of a "
                   "sweep (sweep.json)");
  }
  return reported;
}

std::string name_of(const fs::path& folder) {
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  return absolute.has_filename() ? absolute.filename().string() : absolute.parent_path().filename().string();
}

}  // namespace hearsay
