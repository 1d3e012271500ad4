#include <algorithm>
#include <cstdio>
#include <memory>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/settings/run_file.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/document.hpp"
#include "tools/advise/advice_text.hpp"
#include "tools/advise/plan_command.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/patient_line.hpp"
#include "tools/terminal/run_options.hpp"
#include "tools/terminal/shell_word.hpp"
#include "tools/terminal/written_file.hpp"
#include "tools/training/scalar_dispatch.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

struct AdviseOptions : RunFileOptions {
  fs::path output;         ///< the run file of the winner; empty: advised.toml beside the file
  bool overwrite = false;  ///< replace the run file of an earlier advice
  StopRequest* stop = nullptr;
  std::string plan;                ///< the method whose constants are planned; empty: advice
  std::string within;              ///< of a plan: its longest time
  std::string objective = "time";  ///< of a plan: what is to be least
  std::string error;               ///< of a plan: the largest mean square of the gradient
  std::string least_loss = "0";    ///< of a plan: the least loss there is
};

const std::string signature = "# Written by `hearsay advise";

std::string command_of(const AdviseOptions& options) {
  std::string command = "hearsay advise " + options.file.string();
  for (const std::string& assignment : options.assignments)
    command += assignment.starts_with(unset_prefix) ? " --" + assignment : " --set " + shell_word(assignment);
  // The command has to fit into one line of a comment, whatever its words hold.
  std::ranges::replace_if(
      command, [](unsigned char letter) { return letter < ' ' || letter == 0x7f; }, ' ');
  return command;
}

double number_of(const std::string& key, const std::string& text) {
  double number = 0.0;
  if (!parse_number(text, number)) throw Misuse(key, text, "expected a number");
  return number;
}

/// Plans GenQSGD's constants for the run, and writes the run file of the plan.
int plan_command(const AdviseOptions& options, const RunSettings& yours, const fs::path& output) {
  PlanQuestion question;
  if (!options.within.empty()) question.within = parse_duration("--within", options.within);
  if (!options.error.empty()) question.error = number_of("--error", options.error);
  if (question.error && !(*question.error > 0.0))
    throw Misuse("--error", options.error, "expected a number greater than 0");
  question.least_loss = number_of("--least-loss", options.least_loss);
  if (options.objective == "energy") question.objective = gen_qsgd::Objective::energy;
  question.interrupted = [&] {
    options.stop->is_heeded = true;
    return options.stop->interrupted.load();
  };
  const PlanAnswer answer =
      with_scalar(yours.run.scalar, [&]<class Scalar>() { return answer_plan<Scalar>(yours, question); });
  const std::string command = command_of(options) + " --plan " + options.plan;
  write_file(output, {"# Written by `" + command + "`: its method, batch, steps and step size.\n\n",
                      to_toml(answer.run)});
  if (options.json) {
    nlohmann::ordered_json record = answer.record;
    record["written"] = output.string();
    std::printf("%s\n", json_text(record).c_str());
    return exit_done;
  }
  std::fputs(answer.text.c_str(), stdout);
  std::printf("\nwritten   %s   (hearsay run %s)\n", output.c_str(), output.c_str());
  return exit_done;
}

int advise_command(const AdviseOptions& options) {
  const fs::path output =
      options.output.empty() ? options.file.parent_path() / "advised.toml" : options.output;
  RunSettings yours = load_run_file(options.file, options.assignments);
  // The advice is on the network: nothing fails, and whom a fault would start is there.
  if (!std::exchange(yours.faults, {}).empty()) yours.failure.join_later.clear();
  require_replaceable("--output", output, signature, "advice", options.overwrite);
  if (!options.plan.empty()) return plan_command(options, yours, output);

  PatientLine progress(options.quiet);
  AdviceControl control;
  // The first look comes when the data have been loaded.
  control.interrupted = [&] {
    options.stop->is_heeded = true;
    return options.stop->interrupted.load();
  };
  control.progress = [&](const std::string& what) { progress.show(what); };
  const RankedAdvice advice =
      with_scalar(yours.run.scalar, [&]<class Scalar>() { return advise<Scalar>(yours, control); });
  progress.close();

  const bool written = !advice.interrupted;
  if (written) {
    for (const std::string& warning : advice.ranked.front().warnings) print_notice("warning: " + warning);
    write_file(output, {heading_of(advice, command_of(options)), to_toml(run_of_winner(advice))});
  }
  if (options.json) {
    nlohmann::ordered_json record = record_of(advice);
    record["written"] = written ? nlohmann::ordered_json(output.string()) : nlohmann::ordered_json(nullptr);
    std::printf("%s\n", json_text(record).c_str());
  } else {
    std::fputs(text_of(advice).c_str(), stdout);
    if (written)
      std::printf("\nwritten   %s   (hearsay run %s)\n", output.c_str(), output.c_str());
    else
      std::printf("\ninterrupted: the best so far; no run file is written\n");
  }
  return advice.interrupted ? exit_interrupted : exit_done;
}

}  // namespace

void add_advise(CommandLine& program, Invocation& invocation) {
  CommandLine command = program.command(
      "advise", "the method, compressor and topology that reach the target loss first on this network");
  const auto options = std::make_shared<AdviseOptions>();
  options->stop = &invocation.stop;
  add_run_file_options(command, *options);
  command.option("--output", &options->output, "the run file of the winner [advised.toml beside FILE]",
                 {.value_name = "FILE"});
  command.flag("--overwrite", options->overwrite, "replace the run file of an earlier advice");
  command.option("--plan", &options->plan,
                 "instead: rounds, local steps, batch and step size of this method on this network",
                 {.value_name = "METHOD", .values = {"gen-qsgd"}});
  command.option("--within", &options->within, "the longest time of the plan",
                 {.value_name = "TIME", .needs = "--plan"});
  command.option("--objective", &options->objective, "what the plan minimizes [time]",
                 {.value_name = "WHAT", .values = {"time", "energy"}, .needs = "--plan"});
  command.option("--error", &options->error,
                 "the bound on the mean squared gradient norm [what follows from run.target_loss]",
                 {.value_name = "NUMBER", .needs = "--plan"});
  command.option("--least-loss", &options->least_loss, "the infimum of the loss [0]",
                 {.value_name = "NUMBER", .needs = "--plan"});
  command.examples({"hearsay advise first.toml", "hearsay advise first.toml --plan gen-qsgd"});
  command.when_chosen([options, &invocation] {
    invocation.on_signal = OnSignal::end_in_good_order;
    invocation.run = [options] { return advise_command(*options); };
  });
}

}  // namespace hearsay
