#include <cstdio>
#include <memory>

#include "runtime/foundation/whole_file.hpp"
#include "tools/report/page.hpp"
#include "tools/report/report_data.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/written_file.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<fs::path> folders;  ///< output directories of runs and sweeps
  fs::path output = "report.html";
  bool overwrite = false;
  bool quiet = false;
};

int report_command(const ReportOptions& options) {
  require_replaceable("--output", options.output, page_mark, "report", options.overwrite);
  const std::string library = chart_library();
  const ReportData data = report_data(options.folders);
  const std::string text = page(PageKind::file, data.json(), library);
  write_file(options.output, {text});
  if (!options.quiet)
    std::printf("%s  %s, opens in any browser\n", options.output.c_str(),
                megabytes_text(static_cast<double>(text.size())).c_str());
  return exit_done;
}

}  // namespace

void add_report(CommandLine& program, Invocation& invocation) {
  CommandLine command =
      program.command("report", "one HTML page of what runs and sweeps did: charts, winners, topologies");
  const auto options = std::make_shared<ReportOptions>();
  command.argument("DIR", &options->folders, "output directories of runs and of sweeps");
  command.option("--output", &options->output, "the page [report.html]", {.value_name = "FILE"});
  command.flag("--overwrite", options->overwrite, "replace an earlier report");
  command.flag("--quiet", options->quiet, "no closing words");
  command.when_chosen(
      [options, &invocation] { invocation.run = [options] { return report_command(*options); }; });
}

}  // namespace hearsay
