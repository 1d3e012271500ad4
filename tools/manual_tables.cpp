#include "tools/manual_tables.hpp"

#include <array>
#include <initializer_list>

#include "algorithms/compression/registry.hpp"
#include "algorithms/methods/own_methods.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/registry.hpp"
#include "runtime/settings/key_reference.hpp"
#include "runtime/settings/run_settings.hpp"
#include "tools/manual/method_page.hpp"
#include "tools/manual/registries.hpp"
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

/// Returns what a row says of a name: if it is long the first clause, for the name has a page.
std::string joined(std::string_view description, std::string_view details) {
  return cell_text(std::string(description) + (details.empty() ? "" : "; " + std::string(details)));
}

/// The page of a method has the rest: `hearsay list NAME`.
std::string method_table() {
  std::string text = heading({"`algorithm.kind`", "what it is", "bytes a peer sends per iteration",
                              "hidden by gradients", "memory, in d"});
  for (const MethodInfo& method : methods()) {
    std::string names = code(method.name);
    if (!is_from_outside(method)) names = "[" + names + "](methods/" + source_stem(method) + ".hpp)";
    for (const std::string& alias : method.aliases) names += " (" + code(alias) + ")";
    text +=
        row({names, method.summary, method.bytes, overlap_text(method.manual.overlap), method.manual.memory});
  }
  return text;
}

/// Returns the methods that read the option with their defaults, "`d-psgd` (`1`), `cedas` (`0.3`)", or how
/// many they are.
std::string readers(const OptionRow& row) {
  constexpr std::size_t most_named = 3;
  std::string text;
  std::size_t count = 0;
  for (const MethodInfo& method : methods()) {
    if (!method.options.has(row)) continue;
    text += (count++ == 0 ? "" : ", ") + code(method.name) + " (" + code(method.options.text(row)) + ")";
  }
  return count <= most_named ? text : std::to_string(count) + " methods";
}

std::string option_table() {
  std::string text = heading({"key of `[algorithm]`", "what it says", "methods, with the default"});
  for (const OptionRow* const option : option_rows())
    text += row({code(option->name), cell_text(option->description), readers(*option)});
  return text;
}

std::string compressor_table() {
  std::string text = heading({"spelling", "what it does", "unbiased", "payload bytes"});
  for (const CompressorName& compressor : compressor_names())
    text +=
        row({std::string(compressor.manual.spellings), joined(compressor.summary, compressor.manual.details),
             std::string(compressor.manual.unbiased), cell_text(std::string(compressor.manual.bytes))});
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
    ManualTable{"methods", method_table},         ManualTable{"method-options", option_table},
    ManualTable{"compressors", compressor_table}, ManualTable{"models", model_table},
    ManualTable{"topologies", topology_tables},   ManualTable{"keys", keys_markdown},
};

}  // namespace

std::span<const ManualTable> manual_tables() { return tables; }

}  // namespace hearsay
