#include "tools/manual/method_page.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "algorithms/methods/own_methods.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/settings/key_reference.hpp"
#include "runtime/toml/document.hpp"
#include "tools/manual/gallery.hpp"

namespace hearsay {

namespace {

/// Returns the value as a run file spells it: a number as it is, text in quotes.
std::string toml_value(const std::string& text) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789.e-") == std::string::npos &&
                         parse_toml_value(text, "default");
  return is_number ? text : toml_text(text);
}

/// Returns the steps of the box, a line each: they are separated by "; ". A listing shows no Markdown.
std::string box(std::string iteration) {
  std::erase(iteration, '`');
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t end = iteration.find("; "); end != std::string::npos; end = iteration.find("; ", begin)) {
    lines += iteration.substr(begin, end - begin) + "\n";
    begin = iteration.find_first_not_of(' ', end + 1);
  }
  return lines + iteration.substr(begin) + "\n";
}

/// True if the symbol stands in the text, and not as a part of a longer one.
bool has_symbol(std::string_view text, std::string_view symbol) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(symbol); at != text.npos; at = text.find(symbol, at + 1)) {
    const std::size_t end = at + symbol.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

struct Symbol {
  std::string name;
  std::string meaning;
};

/// What no box and no option explains.
const Symbol symbols[] = {
    {"x_i", "the model of peer i"},
    {"x", "the model"},
    {"w_ij", "the weight with which peer i hears peer j, of the mixing matrix W"},
    {"eta", "the step size, `algorithm.step_size`"},
    {"g_i", "a gradient of peer i"},
    {"g_j", "a gradient of peer j"},
    {"C", "the compressor, `algorithm.compressor`"},
    {"C_dwn", "the compressor of the hub, `algorithm.down_compressor`"},
    {"xhat_j", "peer i's replica of x_j"},
    {"h_i", "the memory that the hub and worker i both keep of it"},
    {"hbar", "the mean of the memories h_i"},
    {"S", "the workers of the round"},
    {"sum_S", "the sum over the workers of the round"},
    {"r", "the number of workers of the round"},
    {"rho", "the step of `algorithm.outer`, the first number"},
    {"deg", "the number of neighbors"},
    {"outdeg", "the number of peers that hear it"},
    {"d", "the number of parameters"},
    {"n", "the number of peers"},
    {"|C|", "the bytes of a compressed vector"},
    {"|C_dwn|", "the bytes of a vector that the hub has compressed"},
};

Entries symbols_of(const MethodInfo& method, const std::string& iteration) {
  const std::string text = iteration + " " + method.bytes + " " + method.manual.memory;
  Entries entries{.headings = {"symbol", "what it is"}, .entries = {}};
  for (const Symbol& symbol : symbols)
    if (has_symbol(text, symbol.name)) entries.entries.push_back({symbol.name, {}, symbol.meaning});
  return entries;
}

PagePart iteration_part(const MethodInfo& method) {
  const std::string& iteration = method.manual.iteration.empty() ? method.equation : method.manual.iteration;
  return {"One iteration", {Listing{"", box(iteration)}, symbols_of(method, iteration)}};
}

std::string overlap_words(Overlap overlap) {
  switch (overlap) {
    case Overlap::all:
      return "while a gradient is computed: an iteration takes as long as the longer of the two";
    case Overlap::some:
      return "in part while a gradient is computed";
    case Overlap::none:
      return "between gradients, which they are made of and lead to: an iteration takes as long as both "
             "together";
  }
  return "";
}

/// Returns what a message that is sent, and a peer's memory, come to.
PagePart cost_part(const MethodInfo& method) {
  const bool misses = method.manual.bytes_note.find("(*)") != std::string::npos;
  const std::string bytes =
      method.bytes + (misses
                          ? "; if links change, a message also carries the packets that its receiver missed"
                          : method.manual.bytes_note);
  Entries costs{.headings = {"of a peer", "how much"}, .entries = {}};
  costs.entries.push_back({"bytes sent", {}, bytes + "; the 64 are the header of a message"});
  costs.entries.push_back({"messages travel", {}, overlap_words(method.manual.overlap)});
  costs.entries.push_back({"memory, in vectors of d numbers", {}, method.manual.memory});
  return {"What an iteration costs", {costs}};
}

std::string compressor_words(CompressorNeed need) {
  switch (need) {
    case CompressorNeed::none:
      return "none: vectors are sent in full precision";
    case CompressorNeed::any:
      return "any; its error never vanishes";
    case CompressorNeed::unbiased:
      return "an unbiased one, whose variance factor omega is below a limit that `hearsay check` prints";
    case CompressorNeed::absolute:
      return "an unbiased one, whose error does not grow with what it compresses";
    case CompressorNeed::bounded:
      return "one whose error does not grow with what it compresses; it may be biased";
    case CompressorNeed::contracting:
      return "a contractive one; it may be biased";
    case CompressorNeed::damped:
      return "an unbiased one, or a mildly contractive one";
    case CompressorNeed::corrected:
      return "an unbiased one, or any with `algorithm.feedback`";
  }
  return {};
}

std::string membership_words(Membership membership) {
  switch (membership) {
    case Membership::exact:
      return "the others go on without it, and readmit it";
    case Membership::no_return:
      return "the others go on without it, and do not readmit it";
    case Membership::forgotten:
      return "the hub goes on without it, discards its contributions, and does not readmit it; all workers "
             "take "
             "part in "
             "every round";
    case Membership::by_agreement:
      return "the others agree on who is left, and form that iteration anew; nobody is readmitted";
    case Membership::reinitialise:
      return "the run ends: the method keeps sums over all peers";
    case Membership::refuse:
      return "the run ends: the method needs every peer";
  }
  return {};
}

std::string partners_words(const MethodInfo& method) {
  if (method.pattern.has_hub)
    return "a hub, peer 0, and its workers (`topology.kind = \"star\"`" +
           std::string(method.permits_tree ? ", or a tree below the hub, `\"hub-tree(3)\"`)" : ")");
  if (method.options.has(option::reduce))
    return "the next peer of a ring, or, by doubling, one other peer in each of log2 n steps (`reduce`), "
           "whatever the topology";
  if (!method.pattern.uses_graph) return "the next peer of a ring, whatever the topology";
  if (method.push_sum) return "its neighbors; links may be one-way";
  return method.pattern.reads_weights ? "its neighbors" : "its neighbors; `topology.weights` is not read";
}

/// Returns the entries that only methods with a mixing matrix have.
std::vector<Entries::Entry> mixing_entries(const MethodInfo& method) {
  if (!method.pattern.uses_graph || method.pattern.has_hub) return {};
  return {{"schedules",
           {},
           method.permits_time_varying ? "any: W may change from round to round, and peers may sit out"
                                       : "static ones with all peers in every round"}};
}

PagePart limits_part(const MethodInfo& method) {
  Entries limits{.headings = {"what", "for this method"}, .entries = {}};
  auto& entries = limits.entries;
  entries.push_back({"partners of a peer", {}, partners_words(method)});
  if (!method.manual.needs.empty()) entries.push_back({"needs", {}, method.manual.needs});
  const std::string own =
      method.compressor == CompressorNeed::none ? "" : "; the default is " + code(method.default_compressor);
  entries.push_back({"compressor", {}, compressor_words(method.compressor) + own});
  for (Entries::Entry& entry : mixing_entries(method)) entries.push_back(std::move(entry));
  entries.push_back(
      {"if a peer is lost", {}, membership_words(method.membership) + " (`failure.policy = \"drop\"`)"});
  if (method.may_be_joined) entries.push_back({"joining", {}, "a peer may join at any iteration"});
  if (method.answers_may_be_late)
    entries.push_back({"late answers", {}, "the hub may close a round (`topology.round_deadline`)"});
  if (method.composite)
    entries.push_back({"regularizers", {}, "`model.l1` and `model.regularizer`, by their proximal maps"});
  if (refuses_clipping(method))
    entries.push_back({"clipping", {}, "`algorithm.clip` is refused: " + method.unclippable_because});
  if (method.asynchronous)
    entries.push_back({"asynchronous",
                       {},
                       "peers do not wait for each other; a seed gives the same bits in the simulator only"});
  return {"Needs and limits", {limits}};
}

PagePart options_part(const MethodInfo& method) {
  const std::string all =
      "Those of all methods (`algorithm.step_size`, `algorithm.batch` and others): "
      "`hearsay list --keys algorithm`.";
  Entries options{.headings = {"key of `[algorithm]`", "type and default", "what it says"},
                  .entries = {},
                  .are_code = true};
  for (const MethodOption& option : options_of(method))
    options.entries.push_back(
        {option.name, option.type + "; default " + code(option.default_value), option.description});
  if (options.entries.empty()) return {"Options", {Paragraphs{{"It has none of its own. " + all}}}};
  return {"Options", {options, Paragraphs{{all}}}};
}

PagePart example_part(const MethodInfo& method) {
  const std::string file = method.name + ".toml";
  return {"An example",
          {Paragraphs{{"As " + code(file) + ":"}}, Listing{"toml", example_run(method)},
           Listing{"sh", "hearsay check " + file + "\nhearsay simulate " + file + "\n"}}};
}

/// Returns with what a trial is made: "sign(bucket=512), local_steps = 4".
std::string trial_name(const MethodTrial& trial) {
  std::string name = trial.compressor == "none" ? "" : trial.compressor;
  const auto add = [&](const std::string& what) { name += (name.empty() ? "" : ", ") + what; };
  for (const MethodOptions::Entry& option : trial.options)
    add(option.row->name + " = " + toml_value(option.text()));
  if (!trial.weights.empty()) add("weights = " + toml_text(trial.weights));
  if (trial.only_on)
    add("kind = " + toml_text(trial.only_on->kind) + ", schedule = " + toml_text(trial.only_on->schedule));
  return name.empty() ? "its defaults" : name;
}

PagePart trials_part(const MethodInfo& method) {
  const std::string heading = "What hearsay advise tries";
  if (!method.trials.none_because.empty())
    return {heading, {Paragraphs{{"Nothing: " + method.trials.none_because + "."}}}};
  if (method.trials.with.empty()) return {heading, {Paragraphs{{"The method with its defaults."}}}};
  Entries trials{.headings = {"with", "because"}, .entries = {}};
  for (const MethodTrial& trial : method.trials.with)
    trials.entries.push_back({trial_name(trial), {}, trial.because});
  return {heading, {trials}};
}

/// Returns nothing if no entry of the gallery has a claim about the method.
std::vector<PagePart> claims_parts(const MethodInfo& method) {
  const std::vector<GalleryEntry> gallery = gallery_of(method.name);
  if (gallery.empty()) return {};
  PagePart part{"Claims", {Paragraphs{{"Each command, run in the source tree, tests the claims above it."}}}};
  for (const GalleryEntry& entry : gallery) {
    Paragraphs claims{{"**" + entry.title + "**"}};
    for (const std::string& claim : entry.claims) claims.texts.push_back("* " + claim + ".");
    part.content.push_back(std::move(claims));
    const std::string data = entry.wants_data ? "HEARSAY_DATA_DIR=FOLDER " : "";
    part.content.push_back(Listing{"sh", data + "hearsay sweep bench/papers/" + entry.file + "\n"});
  }
  return {part};
}

PagePart source_part(const MethodInfo& method) {
  const std::string related = method.manual.related.empty() ? "" : "; " + method.manual.related;
  Paragraphs source{{method.source + related + "."}};
  if (!is_from_outside(method))
    source.texts.push_back("Code: " + code("algorithms/methods/" + source_stem(method) + ".hpp") + ".");
  return {"Source", {source}};
}

/// Returns the lines of the example that say how long its steps are, and by which samples.
std::string example_steps(const MethodInfo& method) {
  constexpr double of_the_example = 0.05;
  const bool has_own = method.default_step_size != MethodInfo().default_step_size;
  return "step_size = " + toml_number(has_own ? method.default_step_size : of_the_example) + "\n" +
         (method.default_batch ? "" : "batch = \"full\"\n");
}

}  // namespace

std::string source_stem(const MethodInfo& method) {
  // Several methods in a file.
  static const std::map<std::string, std::string> shared = {{"diloco", "local_sgd"},
                                                            {"slowmo", "local_sgd"},
                                                            {"fed-paq", "fed_avg"},
                                                            {"fed-prox", "fed_avg"},
                                                            {"diana", "artemis"},
                                                            {"neolithic", "double_squeeze"},
                                                            {"ef21-bc", "ef21"},
                                                            {"cd-adam", "ef21"},
                                                            {"econtrol", "ef21"},
                                                            {"rand-mcm", "mcm"},
                                                            {"qcmd-adagrad", "quantized_adagrad"},
                                                            {"qrda-adagrad", "quantized_adagrad"}};
  if (const auto file = shared.find(method.name); file != shared.end()) return file->second;
  std::string stem = method.name;
  std::ranges::replace(stem, '-', '_');
  return stem;
}

std::vector<MethodOption> options_of(const MethodInfo& method) {
  std::vector<MethodOption> options;
  for (const MethodOptions::Entry& entry : method.options) {
    const KeyInfo& info = key_named("algorithm." + entry.row->name);
    options.push_back({entry.row->name, info.type, toml_value(entry.text()), info.description});
  }
  // Of the orders that methods have, each knows a few.
  for (MethodOption& option : options)
    if (option.name == "order" && !method.orders.empty()) {
      option.type.clear();
      for (const std::string& order : method.orders)
        option.type += (option.type.empty() ? "" : " or ") + toml_text(order);
    }
  return options;
}

std::string example_run(const MethodInfo& method) {
  std::string text =
      "[run]\nname = " + toml_text(method.name) + "\niterations = 200\n\n[data]\n" +
      "source = \"synthetic(samples=2048, features=40, classes=4)\"\n\n[model]\nkind = \"softmax\"\n" +
      (method.composite ? "l1 = 0.001\n" : "") + "\n[topology]\n";
  if (method.pattern.has_hub)
    text += "kind = \"star\"\n";
  else if (method.pattern.uses_graph)
    text += "kind = \"ring\"\n";
  text += "peers = 8\n\n[algorithm]\nkind = " + toml_text(method.name) + "\n";
  if (method.compressor != CompressorNeed::none)
    text += "compressor = " + toml_text(method.default_compressor) + "\n";
  text += example_steps(method);
  const std::vector<MethodOption> options = options_of(method);
  if (!options.empty()) text += "# The options of this method, with their defaults.\n";
  for (const MethodOption& option : options) text += option.name + " = " + option.default_value + "\n";
  return text;
}

Page method_page(const MethodInfo& method) {
  std::string names;
  for (const std::string& alias : method.aliases) names += (names.empty() ? "" : ", ") + code(alias);
  Page page{.title = method.name, .kind = "method", .summary = method.summary + ".", .parts = {}};
  if (!names.empty()) page.summary += " Also called " + names + ".";
  page.parts = {iteration_part(method), cost_part(method),    limits_part(method),
                options_part(method),   example_part(method), trials_part(method)};
  for (PagePart& part : claims_parts(method)) page.parts.push_back(std::move(part));
  page.parts.push_back(source_part(method));
  return page;
}

}  // namespace hearsay
