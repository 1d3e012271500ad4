#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/data/npy.hpp"
#include "runtime/data/problem_builder.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/run_options.hpp"
#include "tools/terminal/table.hpp"
#include "tools/training/scalar_dispatch.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

struct EvaluateOptions : RunFileOptions {
  std::filesystem::path model;
};

template <class Scalar>
int evaluate_as(const EvaluateOptions& options, const RunSettings& settings) {
  const Vector<Scalar> model = read_npy<Scalar>(options.model).values;
  std::vector<std::string> doubts;
  const Problem<Scalar> problem = problem_of<Scalar>(settings, {}, doubts);
  for (const std::string& doubt : doubts) print_notice("warning: " + doubt);
  if (model.size() != problem.dimension())
    throw Misuse(options.model.string() + " holds " + grouped(static_cast<std::uint64_t>(model.size())) +
                 " numbers, and the model of " + options.file.string() + " has " +
                 grouped(static_cast<std::uint64_t>(problem.dimension())));
  const ModelScore score = problem.score(model);
  const double loss = score.loss;
  if (!std::isfinite(loss))
    throw Misuse(options.model.string() + ": its loss is " + (std::isnan(loss) ? "no number" : "infinite") +
                 "; a model of a run that diverged?");
  const std::uint64_t training = learns_from_samples(settings) ? score.samples : 0;
  const std::string which = score.judged.are_test ? "test" : "training";
  if (options.json) {
    nlohmann::ordered_json record = {{"model", options.model.string()},
                                     {"dimension", problem.dimension()},
                                     {"loss", loss},
                                     {"loss_samples", nullptr},
                                     {"accuracy", nullptr},
                                     {"accuracy_of", nullptr},
                                     {"accuracy_samples", nullptr}};
    if (training > 0) record["loss_samples"] = training;
    if (score.accuracy) {
      record["accuracy"] = *score.accuracy;
      record["accuracy_of"] = which;
      record["accuracy_samples"] = score.judged.count;
    }
    std::printf("%s\n", json_text(record).c_str());
    return exit_done;
  }
  Table table({{"", Table::Align::left}, {"", Table::Align::left}});
  table.add(
      {"model", settings.model.kind + ", " + counted(static_cast<std::uint64_t>(model.size()), "parameter")});
  if (training > 0 && !has_programs(settings)) table.add({"training data", settings.data.source});
  if (!settings.data.test.empty()) table.add({"test data", settings.data.test});
  table.add({"loss", significant(loss, 6) + samples_text(training, "training")});
  if (score.accuracy)
    table.add(
        {"accuracy", fixed(100.0 * *score.accuracy, 2) + " %" + samples_text(score.judged.count, which)});
  std::fputs(table.text().c_str(), stdout);
  return exit_done;
}

int evaluate_command(const EvaluateOptions& options) {
  const RunSettings settings = load_run_file(options.file, options.assignments);
  return with_scalar(settings.run.scalar,
                     [&]<class Scalar>() { return evaluate_as<Scalar>(options, settings); });
}

}  // namespace

void add_evaluate(CommandLine& program, Invocation& invocation) {
  CommandLine command =
      program.command("evaluate", "loss and accuracy of a saved model on a run file's data");
  const auto options = std::make_shared<EvaluateOptions>();
  command.argument("MODEL", &options->model, "model.npy");
  add_run_file_options(command, *options);
  command.examples({"hearsay evaluate runs/first/model.npy first.toml"});
  command.when_chosen(
      [options, &invocation] { invocation.run = [options] { return evaluate_command(*options); }; });
}

}  // namespace hearsay
