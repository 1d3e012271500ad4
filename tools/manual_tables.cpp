#include "tools/manual_tables.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "algorithms/compression/registry.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/registry.hpp"
#include "runtime/settings/key_reference.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/families.hpp"
#include "topology/mixing.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

namespace {

std::string row(std::initializer_list<std::string> cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    text += ' ';
    for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
    text += " |";
  }
  return text + "\n";
}

std::string heading(std::initializer_list<std::string> cells) {
  std::string text = row(cells) + "|";
  for (std::size_t column = 0; column < cells.size(); ++column) text += " --- |";
  return text + "\n";
}

std::string code(const std::string& text) { return "`" + text + "`"; }

/// Returns one spelling for each form of the arguments: "`quadratic(d)`, `quadratic(d, dense)`" for "(d) or
/// (d, dense)".
std::string spellings(const std::string& name, const std::string& arguments) {
  const std::string between = " or ";
  const std::size_t cut = arguments.find(between);
  if (cut == std::string::npos) return code(name + arguments);
  return code(name + arguments.substr(0, cut)) + ", " +
         spellings(name, arguments.substr(cut + between.size()));
}

std::string joined(std::string_view description, std::string_view details) {
  return std::string(description) + (details.empty() ? "" : "; " + std::string(details));
}

std::string method_table() {
  std::string text = heading({"`algorithm.kind`", "one iteration", "bytes a peer sends per iteration",
                              "memory, in d", "needs", "source", "file in `algorithms/methods/`"});
  for (const MethodInfo& method : methods()) {
    std::string names = code(method.name);
    for (const std::string& alias : method.aliases) names += " (" + code(alias) + ")";
    std::string file = method.name;
    std::ranges::replace(file, '-', '_');
    const MethodManual& manual = method.manual;
    text += row({names, manual.iteration.empty() ? method.equation : manual.iteration,
                 method.bytes + manual.bytes_note, manual.memory, manual.needs,
                 joined(method.source, manual.related), code(file)});
  }
  return text;
}

/// Returns the methods that read the option, with their defaults: "`d-psgd` (1), `cedas` (0.3)".
std::string readers(const OptionRow& row) {
  std::string text;
  for (const MethodInfo& method : methods())
    if (method.options.has(row))
      text += (text.empty() ? "" : ", ") + code(method.name) + " (" + code(method.options.text(row)) + ")";
  return text;
}

std::string option_table() {
  std::string text = heading({"key of `[algorithm]`", "methods, with the default", "what it says"});
  for (const OptionRow* const option : option_rows())
    text += row({code(option->name), readers(*option), option->description});
  return text;
}

std::string compressor_table() {
  std::string text = heading({"spelling", "what it does", "unbiased", "payload bytes"});
  for (const CompressorName& compressor : compressor_names())
    text +=
        row({std::string(compressor.manual.spellings), joined(compressor.summary, compressor.manual.details),
             std::string(compressor.manual.unbiased), std::string(compressor.manual.bytes)});
  return text;
}

std::string choice_table(const std::string& key, const std::string& what, std::span<const Choice> choices,
                         const std::string& by_default) {
  std::string text = heading({code(key), what});
  for (const Choice& choice : choices)
    text += row({spellings(choice.name, choice.arguments) + (choice.name == by_default ? " (default)" : ""),
                 joined(choice.description, choice.details)});
  return text;
}

std::string topology_tables() {
  const RunSettings defaults;
  return choice_table("topology.kind", "what it is", family_choices(), defaults.topology.kind) + "\n" +
         choice_table("topology.weights", "what it is", mixing_choices(), defaults.topology.weights) +
         row({code("explicit"), "those in the topology file"}) + "\n" +
         choice_table("topology.schedule", "round by round", schedule_choices(), defaults.topology.schedule);
}

std::string model_table() {
  std::string text = heading({"`model.kind`", "what it is", "parameters d"});
  for (const ModelInfo& model : models())
    text += row({spellings(model.name, model.arguments),
                 model.description + (model.has_intercept ? "" : ", no intercept"), model.parameters});
  return text;
}

constexpr std::array tables{
    ManualTable{"methods", "algorithms/README.md", method_table},
    ManualTable{"method-options", "algorithms/README.md", option_table},
    ManualTable{"compressors", "algorithms/README.md", compressor_table},
    ManualTable{"models", "algorithms/README.md", model_table},
    ManualTable{"topologies", "topology/README.md", topology_tables},
    ManualTable{"keys", "runtime/settings/README.md", keys_markdown},
};

}  // namespace

std::span<const ManualTable> manual_tables() { return tables; }

}  // namespace hearsay
