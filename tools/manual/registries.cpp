#include "tools/manual/registries.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "algorithms/compression/registry.hpp"
#include "algorithms/methods/parts/feedback.hpp"
#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/partition.hpp"
#include "algorithms/objectives/registry.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "algorithms/seam/step_size.hpp"
#include "runtime/settings/key_reference.hpp"
#include "runtime/toml/document.hpp"
#include "tools/manual/key_page.hpp"
#include "tools/manual/method_page.hpp"
#include "tools/terminal/shell_word.hpp"
#include "topology/families.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"
#include "topology/mixing.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

namespace {

const std::string method_word = "method";
const std::string key_word = "key";

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

Page compressor_page(const CompressorName& compressor, const Registry& registry) {
  const std::string example(compressor.example);
  Page page{.title = std::string(compressor.name),
            .kind = registry.word,
            .summary = std::string(compressor.summary) + ".",
            .parts = {}};
  Entries facts{.headings = {"what", "of this compressor"}, .entries = {}};
  facts.entries.push_back({"spelled", {}, std::string(compressor.manual.spellings)});
  if (!compressor.manual.details.empty())
    facts.entries.push_back({"details", {}, std::string(compressor.manual.details)});
  facts.entries.push_back({"unbiased", {}, std::string(compressor.manual.unbiased)});
  facts.entries.push_back({"payload bytes", {}, std::string(compressor.manual.bytes)});
  page.parts.push_back({"What it is", {facts}});
  page.parts.push_back(
      {"In a run file", {Listing{"toml", registry.key + " = " + toml_text(example) + "\n"}}});
  page.parts.push_back({"Its effect on a vector",
                        {Listing{"sh", "hearsay codec " + shell_word(example) + " runs/first/model.npy\n"}}});
  return page;
}

/// Returns the page of a choice that brings a name, arguments and a description.
Page choice_page(const Choice& choice, const Registry& registry) {
  PagePart part{"In a run file", {}};
  if (choice.arguments.empty())
    part.content.push_back(Listing{"toml", registry.key + " = " + toml_text(choice.name) + "\n"});
  else
    part.content.push_back(
        Paragraphs{{"`" + registry.key + "`: " + spellings(choice.name, choice.arguments) + "."}});
  if (!choice.details.empty()) part.content.push_back(Paragraphs{{choice.details + "."}});
  return {.title = choice.name, .kind = registry.word, .summary = choice.description + ".", .parts = {part}};
}

bool has_name(const MethodInfo& method, const std::string& name) {
  return method.name == name || std::ranges::find(method.aliases, name) != method.aliases.end();
}

void add_pages_of(const Registry& registry, const std::string& name, std::vector<Page>& pages) {
  for (const Choice& choice : registry.choices) {
    if (choice.name != name) continue;
    const auto compressor = std::ranges::find(compressor_names(), name, &CompressorName::name);
    const bool compresses = registry.word == "compressor" && compressor != compressor_names().end();
    pages.push_back(compresses ? compressor_page(*compressor, registry) : choice_page(choice, registry));
  }
}

/// Adds the page of the key of that name; if nothing has the name, the pages of all keys that end with it, or
/// of the table that it stands in ("fault.kind").
void add_pages_of_keys(const std::string& name, std::vector<Page>& pages) {
  const auto add = [&](const auto& is_meant) {
    for (const KeyInfo& key : key_reference())
      if (is_meant(key)) pages.push_back(key_page(key));
  };
  add([&](const KeyInfo& info) { return info.key == name; });
  if (pages.empty()) add([&](const KeyInfo& info) { return info.key.ends_with("." + name); });
  if (pages.empty())
    add([&](const KeyInfo& info) {
      return info.type.starts_with("tables") && name.starts_with(info.key + ".");
    });
}

/// Returns every name that has a page, with the word or with any if it is empty.
std::vector<std::string> known_names(const std::string& word) {
  std::vector<std::string> names;
  if (word.empty() || word == method_word)
    for (const MethodInfo& method : methods()) {
      names.push_back(method.name);
      names.insert(names.end(), method.aliases.begin(), method.aliases.end());
    }
  for (const Registry& registry : registries())
    if (word.empty() || word == registry.word)
      for (const Choice& choice : registry.choices) names.push_back(choice.name);
  if (word.empty() || word == key_word)
    for (const KeyInfo& key : key_reference()) names.push_back(key.key);
  return names;
}

}  // namespace

std::string spellings(const std::string& name, const std::string& arguments) {
  const std::string between = " or ";
  const std::size_t cut = arguments.find(between);
  if (cut == std::string::npos) return "`" + name + arguments + "`";
  return "`" + name + arguments.substr(0, cut) + "`, " +
         spellings(name, arguments.substr(cut + between.size()));
}

std::vector<Registry> registries() {
  const auto copy = [](std::span<const Choice> choices) {
    return std::vector<Choice>(choices.begin(), choices.end());
  };
  return {{"compressor", "algorithm.compressor", "Compressors", compressor_choices()},
          {"feedback", "algorithm.feedback", "Error feedback", copy(feedback_choices())},
          {"optimizer", "algorithm.optimizer", "Local optimizers", copy(local_optimizer_choices())},
          {"step-schedule", "algorithm.step_schedule", "Step size schedules", copy(step_schedule_choices())},
          {"topology", "topology.kind", "Topologies", copy(family_choices())},
          {"weights", "topology.weights", "Mixing weights", copy(mixing_choices())},
          {"schedule", "topology.schedule", "Topology schedules", copy(schedule_choices())},
          {"model", "model.kind", "Models", copy(model_choices())},
          {"regularizer", "model.regularizer", "Regularizers", copy(regularizer_choices())},
          {"data", "data.source", "Data", copy(data_formats)},
          {"partition", "data.partition", "Partitions", copy(partition_choices())}};
}

std::vector<std::string> page_words() {
  std::vector<std::string> words = {method_word, key_word};
  for (const Registry& registry : registries()) words.push_back(registry.word);
  return words;
}

std::vector<Page> pages_named(const std::string& name, const std::string& word) {
  std::vector<Page> pages;
  if (word.empty() || word == method_word)
    for (const MethodInfo& method : methods())
      if (has_name(method, name)) pages.push_back(method_page(method));
  for (const Registry& registry : registries())
    if (word.empty() || word == registry.word) add_pages_of(registry, name, pages);
  if (word.empty() || word == key_word) add_pages_of_keys(name, pages);
  if (pages.empty()) {
    const std::string nearest = nearest_name(name, known_names(word));
    throw Misuse(
        "NAME", name,
        "nothing of that name has a page (nearest: " + nearest + "); hearsay list names all that has one");
  }
  return pages;
}

}  // namespace hearsay
