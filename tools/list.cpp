#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "algorithms/compression/registry.hpp"
#include "algorithms/methods/parts/feedback.hpp"
#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/partition.hpp"
#include "algorithms/objectives/registry.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "algorithms/seam/step_size.hpp"
#include "tools/key_list.hpp"
#include "tools/manual_tables.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/options_json.hpp"
#include "tools/terminal/table.hpp"
#include "topology/families.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/mixing.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

namespace {

const Choice data_formats[] = {
    {"synthetic", "(samples=8192, features=500, classes=100)", "built in: a seeded Gaussian mixture"},
    {"libsvm", ":PATH", "sparse text, \"label index:value ...\""},
    {"idx", ":IMAGES,LABELS", "MNIST's format; pixels / 255"},
    {"cifar10", ":DIR", "data_batch_*.bin and, as test data, test_batch.bin; pixels / 255"},
    {"csv", ":PATH", "numbers, the target in the last column"},
    {"npy", ":X,Y", "two NumPy arrays"},
};

std::vector<Choice> compressor_choices() {
  std::vector<Choice> choices;
  for (const CompressorName& compressor : compressor_names())
    choices.push_back({std::string(compressor.name),
                       {},
                       std::string(compressor.summary) + "; e.g. " + std::string(compressor.example)});
  return choices;
}

/// Returns what else the method reads, with its defaults: "consensus_step = 0.2, optimizer = sgd".
std::string options_text(const MethodInfo& method) {
  std::string text;
  if (method.default_step_size != MethodInfo().default_step_size)
    text = "step_size = " + number_text(method.default_step_size);
  if (!method.default_batch) text += (text.empty() ? "" : ", ") + std::string("batch = full");
  for (const MethodOptions::Entry& option : method.options)
    text += (text.empty() ? "" : ", ") + option.row->name + " = " + option.text();
  return text;
}

struct Section {
  std::string key;  ///< of the run file
  std::string heading;
  std::vector<Choice> choices;
};

std::vector<Section> sections() {
  const auto copy = [](std::span<const Choice> choices) {
    return std::vector<Choice>(choices.begin(), choices.end());
  };
  return {{"algorithm.compressor", "Compressors", compressor_choices()},
          {"algorithm.feedback", "Error feedback", copy(feedback_choices())},
          {"algorithm.optimizer", "Local optimizers", copy(local_optimizer_choices())},
          {"algorithm.step_schedule", "Step size schedules", copy(step_schedule_choices())},
          {"topology.kind", "Topologies", copy(family_choices())},
          {"topology.weights", "Mixing weights", copy(mixing_choices())},
          {"topology.schedule", "Topology schedules", copy(schedule_choices())},
          {"model.kind", "Models", copy(model_choices())},
          {"model.regularizer", "Regularizers", copy(regularizer_choices())},
          {"data.source", "Data", copy(data_formats)},
          {"data.partition", "Partitions", copy(partition_choices())}};
}

nlohmann::ordered_json lists_as_json() {
  using Json = nlohmann::ordered_json;
  Json record;
  for (const MethodInfo& method : methods())
    record["algorithm.kind"].push_back(
        {{"name", method.name},
         {"summary", method.summary},
         {"equation", method.equation},
         {"bytes_per_iteration", method.bytes},
         {"default_compressor", method.default_compressor},
         {"default_step_size", method.default_step_size},
         {"default_batch", method.default_batch ? Json(*method.default_batch) : Json("full")},
         {"asynchronous", method.asynchronous},
         {"options", options_json(method.options)},
         {"source", method.source}});
  for (const Section& section : sections())
    for (const Choice& choice : section.choices)
      record[section.key].push_back(
          {{"name", choice.name}, {"arguments", choice.arguments}, {"description", choice.description}});
  return record;
}

std::string lists_as_text() {
  using enum Table::Align;
  std::string text = "Methods (algorithm.kind)\n";
  Table method_table({{"", left}, {"", left}, {"", left}});
  for (const MethodInfo& method : methods()) {
    method_table.add({method.name, "", method.summary});
    method_table.add({"", "equation", method.equation});
    method_table.add({"", "sends", method.bytes + " bytes per iteration"});
    if (const std::string options = options_text(method); !options.empty())
      method_table.add({"", "options", options});
    if (method.asynchronous)
      method_table.add({"", "asynchronous", "a seed gives the same bits in the simulator only"});
    method_table.add({"", "source", method.source});
  }
  text += method_table.text(2);
  for (const Section& section : sections()) {
    text += "\n" + section.heading + " (" + section.key + ")\n";
    Table table({{"", left}, {"", left}});
    for (const Choice& choice : section.choices)
      table.add({choice.name + choice.arguments, choice.description});
    text += table.text(2);
  }
  return text;
}

struct ListOptions {
  bool json = false;
  bool keys = false;
  std::string table_or_key;  ///< with `keys`; empty: all
  std::string manual_table;  ///< to be printed in Markdown instead of the lists; empty: the lists
};

int print_keys(const ListOptions& options) {
  const std::vector<KeyInfo> keys = keys_named(options.table_or_key);
  std::fputs((options.json ? keys_json(keys).dump() + "\n" : keys_text(keys)).c_str(), stdout);
  return exit_done;
}

int list_command(const ListOptions& options) {
  if (options.keys && !options.manual_table.empty())
    throw Misuse("--markdown", options.manual_table,
                 "--keys prints no table of the manual; expected one of them");
  if (options.keys) return print_keys(options);
  if (!options.table_or_key.empty())
    throw Misuse("TABLE", options.table_or_key,
                 "it chooses among keys; expected hearsay list --keys " + options.table_or_key);
  for (const ManualTable& known : manual_tables())
    if (known.name == options.manual_table) {
      std::fputs(known.text().c_str(), stdout);
      return exit_done;
    }
  std::fputs((options.json ? lists_as_json().dump() + "\n" : lists_as_text()).c_str(), stdout);
  return exit_done;
}

}  // namespace

void add_list(CommandLine& program, Invocation& invocation) {
  CommandLine command =
      program.command("list", "methods, compressors, topologies, models, data formats; keys of run files");
  const auto options = std::make_shared<ListOptions>();
  command.flag("--keys", options->keys, "every key of a run file: type, default, meaning, who reads it");
  command.optional_argument("TABLE", &options->table_or_key,
                            "with --keys: a table, such as network, or one key [all]");
  command.flag("--json", options->json, "print the lists as JSON");
  std::vector<std::string> tables;
  for (const ManualTable& table : manual_tables()) tables.emplace_back(table.name);
  command.option("--markdown", &options->manual_table, "print one table of the manual, in Markdown",
                 {.values = tables, .excludes = "--json"});
  command.examples({"hearsay list", "hearsay list --keys network"});
  command.when_chosen(
      [options, &invocation] { invocation.run = [options] { return list_command(*options); }; });
}

}  // namespace hearsay
