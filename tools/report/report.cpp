#include <cstdio>
#include <fstream>

#include "runtime/foundation/written_file.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/report/page.hpp"
#include "tools/report/report_data.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

bool is_report(const fs::path& file) {
  std::string beginning(page_mark.size(), '\0');
  std::ifstream(file, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  return beginning == page_mark;
}

void require_free(const fs::path& file, bool overwrite) {
  std::error_code ignored;
  if (const fs::path parent = file.parent_path(); !parent.empty() && !fs::is_directory(parent, ignored))
    throw Misuse("--output", file.string(), "there is no folder " + parent.string());
  if (!fs::exists(fs::symlink_status(file, ignored))) return;
  if (!fs::is_regular_file(file, ignored) || !is_report(file))
    throw Misuse("--output", file.string(),
                 "it exists and is no report of hearsay, so it is not overwritten");
  if (!overwrite)
    throw Misuse("--output", file.string(), "it exists; give --overwrite to replace it, or another --output");
}

}  // namespace

int report_command(const ReportOptions& options) {
  require_free(options.output, options.overwrite);
  const std::string library = chart_library();
  const ReportData data = report_data(options.folders);
  const std::string text = page(PageKind::file, data.json(), library);
  write_file(options.output, {text});
  if (!options.quiet)
    std::printf("%s  %s, opens in any browser\n", options.output.c_str(),
                megabytes_text(static_cast<double>(text.size())).c_str());
  return exit_done;
}

}  // namespace hearsay
