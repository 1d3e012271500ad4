#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/settings/key_reference.hpp"
#include "tools/key_list.hpp"
#include "tools/manual/page.hpp"
#include "tools/manual/registries.hpp"
#include "tools/manual_tables.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/options_json.hpp"
#include "tools/terminal/table.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

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

/// Returns whom a peer talks to: "neighbors", "ring", "ring or doubling" or "hub".
std::string talks_to(const MethodInfo& method) {
  if (method.pattern.has_hub) return "hub";
  if (method.pattern.uses_graph) return "neighbors";
  return method.options.has(option::reduce) ? "ring or doubling" : "ring";
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
         {"messages_hidden_by_gradients", overlap_text(method.manual.overlap)},
         {"default_compressor", method.default_compressor},
         {"default_step_size", method.default_step_size},
         {"default_batch", method.default_batch ? Json(*method.default_batch) : Json("full")},
         {"asynchronous", method.asynchronous},
         {"talks_to", talks_to(method)},
         {"options", options_json(method.options)},
         {"source", method.source}});
  for (const Registry& registry : registries())
    for (const Choice& choice : registry.choices)
      record[registry.key].push_back(
          {{"name", choice.name}, {"arguments", choice.arguments}, {"description", choice.description}});
  return record;
}

std::string lists_as_text() {
  using enum Table::Align;
  std::string text =
      "Methods (algorithm.kind); hearsay list NAME prints the page of one, or of what is named below\n";
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
  for (const Registry& registry : registries()) {
    text += "\n" + registry.heading + " (" + registry.key + ")\n";
    Table table({{"", left}, {"", left}});
    for (const Choice& choice : registry.choices)
      table.add({choice.name + choice.arguments, choice.description});
    text += table.text(2);
  }
  return text;
}

struct ListOptions {
  bool json = false;
  bool keys = false;
  std::string name;      ///< of what has a page; with `keys` a table or key; empty: all
  std::string markdown;  ///< a table of the manual, or a word of `page_words`; empty: text
};

bool is_page_word(const std::string& word) {
  const std::vector<std::string> words = page_words();
  return std::ranges::find(words, word) != words.end();
}

int print_keys(const ListOptions& options) {
  const std::vector<KeyInfo> keys = keys_named(options.name);
  std::fputs((options.json ? keys_json(keys).dump() + "\n" : keys_text(keys)).c_str(), stdout);
  return exit_done;
}

/// Throws Misuse if the name is that of a table of keys.
void require_no_table(const std::string& name) {
  for (const KeyInfo& info : key_reference())
    if (info.key.starts_with(name + "."))
      throw Misuse("NAME", name, "it is a table of keys; expected hearsay list --keys " + name);
}

int print_pages(const ListOptions& options) {
  if (options.json)
    throw Misuse("--json", options.name, "a page is text; expected hearsay list --json alone");
  if (options.markdown.empty()) require_no_table(options.name);
  std::string (&render)(const Page&) = options.markdown.empty() ? page_text : page_markdown;
  std::string text;
  for (const Page& page : pages_named(options.name, options.markdown))
    text += (text.empty() ? "" : "\n") + render(page);
  std::fputs(text.c_str(), stdout);
  return exit_done;
}

int print_table(const ListOptions& options) {
  for (const ManualTable& known : manual_tables())
    if (known.name == options.markdown) std::fputs(known.text().c_str(), stdout);
  return exit_done;
}

int list_command(const ListOptions& options) {
  const bool wants_page = is_page_word(options.markdown);
  if (options.keys && !options.markdown.empty())
    throw Misuse("--markdown", options.markdown,
                 "--keys prints no table of the manual; expected one of them");
  if (options.keys) return print_keys(options);
  if (wants_page && options.name.empty())
    throw Misuse("--markdown", options.markdown,
                 "it prints a page; expected a NAME after it, as hearsay list has it");
  if (!wants_page && !options.markdown.empty() && !options.name.empty())
    throw Misuse("NAME", options.name, "--markdown " + options.markdown + " is a table; expected no name");
  if (!options.name.empty()) return print_pages(options);
  if (!options.markdown.empty()) return print_table(options);
  std::fputs((options.json ? lists_as_json().dump() + "\n" : lists_as_text()).c_str(), stdout);
  return exit_done;
}

}  // namespace

void add_list(CommandLine& program, Invocation& invocation) {
  CommandLine command = program.command(
      "list",
      "methods, compressors, topologies, models, data formats, keys of run files, and a page of each");
  const auto options = std::make_shared<ListOptions>();
  command.optional_argument(
      "NAME", &options->name,
      "the page of one of them; with --keys a table, such as network, or one key [all]");
  command.flag("--keys", options->keys, "every key of a run file: type, default, meaning, who reads it");
  command.flag("--json", options->json, "print the lists as JSON");
  std::vector<std::string> printable = page_words();
  for (const ManualTable& table : manual_tables()) printable.emplace_back(table.name);
  command.option("--markdown", &options->markdown,
                 "in Markdown: one table of the manual, or the page NAME of what is so called",
                 {.values = printable, .excludes = "--json"});
  command.examples({"hearsay list", "hearsay list choco-sgd", "hearsay list network.latency",
                    "hearsay list --keys network"});
  command.when_chosen(
      [options, &invocation] { invocation.run = [options] { return list_command(*options); }; });
}

}  // namespace hearsay
