#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <optional>

#include "runtime/foundation/text_bytes.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "tools/check/rate_figure.hpp"
#include "tools/export/csv_files.hpp"
#include "tools/export/exported_run.hpp"
#include "tools/export/tensorboard.hpp"
#include "tools/report/page.hpp"
#include "tools/report/report_data.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/rewritten_line.hpp"
#include "tools/terminal/written_file.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<fs::path> folders;  ///< output directories of runs and sweeps
  std::optional<fs::path> output;
  std::optional<fs::path> csv;
  std::optional<fs::path> tensorboard;
  bool overwrite = false;
  bool quiet = false;

  bool exports() const { return csv || tensorboard; }
  /// The page, which is also left out if there are only exports.
  std::optional<fs::path> page() const { return output || exports() ? output : "report.html"; }
};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "localhost";
}

void write_page(const ReportOptions& options, const std::string& library) {
  RewrittenLine line;
  ReadingProgress progress([&](const std::string& text) { line.show(printable(text)); },
                           ReadingProgress::Clock::now);
  RateFigure rates;
  const ReportData data = report_data(
      options.folders,
      options.quiet ? ReadingWatch()
                    : [&](const std::string& name, std::size_t done,
                          std::size_t in_total) { progress.show(name, done, in_total); },
      [&](const RunSettings& settings) { return rates.of(settings); });
  line.finish();
  const std::string text = page(PageKind::file, data.json(), library);
  write_file(*options.page(), {text});
  if (!options.quiet)
    std::printf("%s  %s, opens in any browser\n", options.page()->c_str(),
                megabytes_text(static_cast<double>(text.size())).c_str());
}

void write_exports(const ReportOptions& options) {
  const std::vector<ExportedRun> runs = exported_runs(options.folders);
  if (options.tensorboard) require_free_for_tensorboard(*options.tensorboard, runs, options.overwrite);
  for (const ExportedRun& exported : runs)
    if (!exported.run.defect.empty()) print_notice(exported.folder.string() + ": " + exported.run.defect);
  if (options.csv) {
    const CsvTable evaluations = evaluation_table(runs);
    const CsvTable summaries = run_table(runs);
    write_csv(*options.csv, evaluations, summaries);
    if (!options.quiet)
      std::printf(
          "%s  %s, in evaluations.csv and runs.csv\n", options.csv->c_str(),
          (counted(evaluations.row_count(), "evaluation") + " of " + counted(summaries.row_count(), "run"))
              .c_str());
  }
  if (options.tensorboard) {
    const std::size_t written = write_tensorboard(*options.tensorboard, runs, host_name());
    if (!options.quiet)
      std::printf("%s  %s, for tensorboard --logdir\n", options.tensorboard->c_str(),
                  counted(written, "run").c_str());
  }
}

int report_command(const ReportOptions& options) {
  std::string library;
  if (options.page()) {
    if (const std::string ending = options.page()->extension(); ending != ".html" && ending != ".htm")
      throw Misuse("--output", options.page()->string(), "expected a name that ends in .html");
    require_replaceable("--output", *options.page(), page_mark, "report", options.overwrite);
    library = chart_library();
  }
  if (options.csv) require_free_for_csv(*options.csv, options.overwrite);
  if (options.exports()) write_exports(options);
  if (options.page()) write_page(options, library);
  return exit_done;
}

}  // namespace

void add_report(CommandLine& program, Invocation& invocation) {
  CommandLine command =
      program.command("report", "one HTML page of what runs and sweeps did: charts, winners, topologies");
  const auto options = std::make_shared<ReportOptions>();
  const auto takes_path = [](std::optional<fs::path>& target) {
    return [&target](const std::string& path) { target = path; };
  };
  command.argument("DIR", &options->folders, "output directories of runs and of sweeps");
  command.option("--output", takes_path(options->output),
                 "the page [report.html; without --output, none if there is an export]",
                 {.value_name = "FILE"});
  command.option("--csv", takes_path(options->csv), "export evaluations.csv and runs.csv into this folder",
                 {.value_name = "FOLDER"});
  command.option("--tensorboard", takes_path(options->tensorboard),
                 "export event files for TensorBoard into this folder", {.value_name = "FOLDER"});
  command.flag("--overwrite", options->overwrite, "replace an earlier report or export");
  command.flag("--quiet", options->quiet, "no closing words");
  command.examples({"hearsay report runs/first runs/simulated"});
  command.when_chosen(
      [options, &invocation] { invocation.run = [options] { return report_command(*options); }; });
}

}  // namespace hearsay
