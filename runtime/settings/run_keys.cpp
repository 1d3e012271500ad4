#include "runtime/settings/run_keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/experiment/join_later.hpp"
#include "runtime/settings/network_keys.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

// ---- data sources: "SCHEME:PATH" or "SCHEME:PATH,PATH"

struct Scheme {
  std::string_view name;
  int paths;
};
constexpr std::array schemes = {Scheme{"libsvm", 1}, Scheme{"idx", 2}, Scheme{"cifar10", 1}, Scheme{"csv", 1},
                                Scheme{"npy", 2}};

/// The scheme of a source spelling and what follows its colon; none for "synthetic(...)" and the like.
std::optional<std::pair<Scheme, std::string_view>> split_source(std::string_view source) {
  for (const Scheme& scheme : schemes)
    if (source.starts_with(scheme.name) && source.substr(scheme.name.size()).starts_with(':'))
      return std::pair{scheme, source.substr(scheme.name.size() + 1)};
  return std::nullopt;
}

std::string resolve_source(const Setting& setting, const std::string& source, const fs::path& directory) {
  const auto split = split_source(source);
  if (!split) return source;
  const auto& [scheme, paths] = *split;
  std::string resolved = std::string(scheme.name) + ":";
  if (scheme.paths == 1) return resolved + setting.resolve_path(paths, directory).string();
  const std::size_t comma = paths.find(',');
  if (comma == std::string_view::npos || paths.find(',', comma + 1) != std::string_view::npos)
    setting.refuse("two paths, " + resolved + "FEATURES,LABELS");
  const std::string features = setting.resolve_path(paths.substr(0, comma), directory).string();
  const std::string labels = setting.resolve_path(paths.substr(comma + 1), directory).string();
  // The comma is what separates the two, so neither may have one of its own.
  if ((features + labels).find(',') != std::string::npos) setting.refuse("two paths without a comma in them");
  return resolved + features + "," + labels;
}

std::string spelled_source(const std::string& source) {
  return toml_text(split_source(source) ? spelled_path(source) : source);
}

// ---- spelling

std::string spelled(std::uint64_t count) { return std::to_string(count); }
std::string spelled(bool flag) { return flag ? "true" : "false"; }
std::string spelled(const std::optional<double>& number) { return number ? toml_number(*number) : ""; }
std::string spelled(const std::vector<PeerId>& ids) { return ids.empty() ? "" : list_of(ids); }
std::string spelled_file(const fs::path& path) { return path.empty() ? "" : toml_text(spelled_path(path)); }

/// A run's name is a folder's name too, and text in records. (TOML, as which it is written, is UTF-8.)
std::string read_run_name(const Setting& setting) {
  const std::string& name = setting.name();
  const bool one_line = std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (name == "." || name == ".." || name.find('/') != std::string::npos || !one_line ||
      !parse_toml_value(toml_text(name), "run.name"))
    setting.refuse("a name that can be a folder's: one line of UTF-8, no slash, not \".\" or \"..\"");
  return name;
}

std::string read_init(const Setting& setting, const fs::path& directory) {
  const std::string& init = setting.name();
  if (init == "zeros") return init;
  if (!init.ends_with(".npy")) setting.refuse("\"zeros\" or a .npy file");
  return setting.resolve_path(init, directory).string();
}

void read_checkpoint_every(const Setting& setting, RunSettings::Failure& to) {
  to.checkpoint_period = Duration{0};
  if (!std::holds_alternative<std::string>(setting.value.data)) {
    to.checkpoint_every = setting.count(0);
    return;
  }
  to.checkpoint_every = as_announced;
  to.checkpoint_period = setting.duration();
  if (to.checkpoint_period <= Duration{0})
    setting.refuse("a time above 0, a number of iterations, or 0: never");
}

std::optional<std::uint64_t> read_batch(const Setting& setting) {
  const auto* const text = std::get_if<std::string>(&setting.value.data);
  if (text && *text == "full") return std::nullopt;
  const auto* const integer = std::get_if<std::int64_t>(&setting.value.data);
  if (integer == nullptr || *integer < 1) setting.refuse("a whole number >= 1, or \"full\"");
  return static_cast<std::uint64_t>(*integer);
}

using S = RunSettings;

/// A key of [network] is a NetworkKey applied to the common network.
template <std::size_t index>
RunKey common_network_key() {
  return {"network." + network_keys()[index].name,
          [](const Setting& s, const fs::path& directory, S& to) {
            network_keys()[index].read(s, directory, to.network);
          },
          [](const S& of) { return network_keys()[index].write(of.network); }};
}

std::vector<RunKey> make_common_keys() {
  return {
      {"run.name", [](const Setting& s, const fs::path&, S& to) { to.run.name = read_run_name(s); },
       [](const S& of) { return toml_text(of.run.name); }},
      {"run.seed", [](const Setting& s, const fs::path&, S& to) { to.run.seed = s.count(0); },
       [](const S& of) { return spelled(of.run.seed); }},
      {"run.scalar",
       [](const Setting& s, const fs::path&, S& to) {
         to.run.scalar = s.one_of({"float", "double"}) == 0 ? ScalarKind::float32 : ScalarKind::float64;
       },
       [](const S& of) { return toml_text(of.run.scalar == ScalarKind::float32 ? "float" : "double"); }},
      {"run.iterations", [](const Setting& s, const fs::path&, S& to) { to.run.iterations = s.count(1); },
       [](const S& of) { return of.run.epochs ? "" : spelled(of.run.iterations); }},
      {"run.epochs", [](const Setting& s, const fs::path&, S& to) { to.run.epochs = s.positive(); },
       [](const S& of) { return spelled(of.run.epochs); }},
      {"run.evaluate_every",
       [](const Setting& s, const fs::path&, S& to) { to.run.evaluate_every = s.count(1); },
       [](const S& of) { return spelled(of.run.evaluate_every); }},
      {"run.target_loss", [](const Setting& s, const fs::path&, S& to) { to.run.target_loss = s.number(); },
       [](const S& of) { return spelled(of.run.target_loss); }},
      {"run.output",
       [](const Setting& s, const fs::path& directory, S& to) { to.run.output = s.path(directory); },
       [](const S& of) { return spelled_file(of.run.output); }},

      {"data.source",
       [](const Setting& s, const fs::path& directory, S& to) {
         to.data.source = resolve_source(s, s.name(), directory);
       },
       [](const S& of) { return spelled_source(of.data.source); }},
      {"data.test",
       [](const Setting& s, const fs::path& directory, S& to) {
         to.data.test = resolve_source(s, s.text(), directory);
       },
       [](const S& of) { return spelled_source(of.data.test); }},
      {"data.partition", [](const Setting& s, const fs::path&, S& to) { to.data.partition = s.name(); },
       [](const S& of) { return toml_text(of.data.partition); }},
      {"data.scale", [](const Setting& s, const fs::path&, S& to) { to.data.scale = s.positive(); },
       [](const S& of) { return spelled(of.data.scale); }},

      {"model.kind", [](const Setting& s, const fs::path&, S& to) { to.model.kind = s.name(); },
       [](const S& of) { return toml_text(of.model.kind); }},
      {"model.l1", [](const Setting& s, const fs::path&, S& to) { to.model.l1 = s.non_negative(); },
       [](const S& of) { return toml_number(of.model.l1); }},
      {"model.l2", [](const Setting& s, const fs::path&, S& to) { to.model.l2 = s.non_negative(); },
       [](const S& of) { return toml_number(of.model.l2); }},
      {"model.regularizer", [](const Setting& s, const fs::path&, S& to) { to.model.regularizer = s.name(); },
       [](const S& of) { return toml_text(of.model.regularizer); }},
      {"model.init",
       [](const Setting& s, const fs::path& directory, S& to) { to.model.init = read_init(s, directory); },
       [](const S& of) { return toml_text(spelled_path(of.model.init)); }},

      {"topology.kind", [](const Setting& s, const fs::path&, S& to) { to.topology.kind = s.name(); },
       [](const S& of) { return of.topology.file.empty() ? toml_text(of.topology.kind) : ""; }},
      {"topology.peers",
       [](const Setting& s, const fs::path&, S& to) {
         to.topology.peers = static_cast<PeerId>(s.count(1, std::numeric_limits<PeerId>::max()));
       },
       [](const S& of) { return of.topology.file.empty() ? spelled(std::uint64_t{of.topology.peers}) : ""; }},
      {"topology.weights", [](const Setting& s, const fs::path&, S& to) { to.topology.weights = s.name(); },
       [](const S& of) { return toml_text(of.topology.weights); }},
      {"topology.schedule", [](const Setting& s, const fs::path&, S& to) { to.topology.schedule = s.name(); },
       [](const S& of) { return toml_text(of.topology.schedule); }},
      {"topology.participation",
       [](const Setting& s, const fs::path&, S& to) { to.topology.participation = s.share(); },
       [](const S& of) { return toml_number(of.topology.participation); }},
      {"topology.file",
       [](const Setting& s, const fs::path& directory, S& to) { to.topology.file = s.path(directory); },
       [](const S& of) { return spelled_file(of.topology.file); }},

      {"security.authorized",
       [](const Setting& s, const fs::path& directory, S& to) { to.security.authorized = s.path(directory); },
       [](const S& of) { return spelled_file(of.security.authorized); }},
      {"security.secret",
       [](const Setting& s, const fs::path& directory, S& to) { to.security.secret = s.path(directory); },
       [](const S& of) { return spelled_file(of.security.secret); }},

      {"failure.policy",
       [](const Setting& s, const fs::path&, S& to) {
         to.failure.policy =
             s.one_of({"wait", "drop"}) == 0 ? S::Failure::Policy::wait : S::Failure::Policy::drop;
       },
       [](const S& of) {
         return toml_text(of.failure.policy == S::Failure::Policy::wait ? "wait" : "drop");
       }},
      {"failure.checkpoint_every",
       [](const Setting& s, const fs::path&, S& to) { read_checkpoint_every(s, to.failure); },
       [](const S& of) {
         return of.failure.checkpoint_every == as_announced ? toml_text(to_text(of.failure.checkpoint_period))
                                                            : spelled(of.failure.checkpoint_every);
       }},
      {"failure.lost_after",
       [](const Setting& s, const fs::path&, S& to) {
         to.failure.lost_after = s.duration();
         if (to.failure.lost_after < shortest_lost_after)
           s.refuse("at least " + to_text(shortest_lost_after));
       },
       [](const S& of) { return toml_text(to_text(of.failure.lost_after)); }},
      {"failure.join_later",
       [](const Setting& s, const fs::path&, S& to) { to.failure.join_later = s.distinct_ids(); },
       [](const S& of) { return spelled(of.failure.join_later); }},

      {"algorithm.kind", [](const Setting& s, const fs::path&, S& to) { to.algorithm.kind = s.name(); },
       [](const S& of) { return toml_text(of.algorithm.kind); }},
      {"algorithm.compressor",
       [](const Setting& s, const fs::path&, S& to) { to.algorithm.compressor = s.text(); },
       [](const S& of) { return toml_text(of.algorithm.compressor); }},
      {"algorithm.step_size",
       [](const Setting& s, const fs::path&, S& to) { to.algorithm.step_size = s.positive(); },
       [](const S& of) { return toml_number(of.algorithm.step_size); }},
      {"algorithm.step_schedule",
       [](const Setting& s, const fs::path&, S& to) { to.algorithm.step_schedule = s.name(); },
       [](const S& of) { return toml_text(of.algorithm.step_schedule); }},
      {"algorithm.warm_up",
       [](const Setting& s, const fs::path&, S& to) { to.algorithm.warm_up = s.count(0); },
       [](const S& of) { return spelled(of.algorithm.warm_up); }},
      {"algorithm.batch",
       [](const Setting& s, const fs::path&, S& to) { to.algorithm.batch = read_batch(s); },
       [](const S& of) { return of.algorithm.batch ? spelled(*of.algorithm.batch) : toml_text("full"); }},
      {"algorithm.allow_unsound",
       [](const Setting& s, const fs::path&, S& to) { to.algorithm.allow_unsound = s.flag(); },
       [](const S& of) { return spelled(of.algorithm.allow_unsound); }},

      common_network_key<0>(),
      common_network_key<1>(),
      common_network_key<2>(),
      common_network_key<3>(),
      common_network_key<4>(),
      common_network_key<5>(),
      common_network_key<6>(),
      common_network_key<7>(),
      {"network.framing",
       [](const Setting& s, const fs::path&, S& to) {
         to.framing = s.one_of({"none", "ethernet"}) == 0 ? Framing::none : Framing::ethernet;
       },
       [](const S& of) { return toml_text(of.framing == Framing::none ? "none" : "ethernet"); }},
  };
}

// ---- the options of methods

struct OptionReader {
  const Setting& setting;
  MethodOptions& to;
  void operator()(const OptionKey::Number& of) const {
    const double value = setting.number();
    if (value < of.least || value > of.most) setting.refuse(expectation(of));
    to.*of.member = value;
  }
  void operator()(const OptionKey::Count& of) const { to.*of.member = setting.count(of.least); }
  void operator()(const OptionKey::Text& of) const {
    const auto* const count = std::get_if<std::int64_t>(&setting.value.data);
    const std::string text = of.may_be_count && count ? std::to_string(*count) : setting.name();
    std::string names;
    for (const std::string& choice : of.choices) names += (names.empty() ? "" : ", ") + choice;
    if (!of.choices.empty() && std::ranges::find(of.choices, text) == of.choices.end())
      setting.refuse("one of " + names);
    to.*of.member = text;
  }

  /// The bounds as people say them: 2.2e-308 is "more than 0".
  static std::string expectation(const OptionKey::Number& of) {
    const std::string least = of.least == 0.0     ? "of at least 0"
                              : of.least < 1e-300 ? "greater than 0"
                                                  : "of at least " + toml_number(of.least);
    const double rounded = std::round(of.most);
    if (rounded > 1e300) return "a number " + least;
    return "a number " + least + (of.most < rounded ? " and less than " : " and at most ") +
           toml_number(rounded);
  }
};

struct OptionWriter {
  const MethodOptions& of;
  template <class Kind>
  std::string operator()(const Kind& kind) const {
    const auto& value = of.*kind.member;
    return value ? toml_of(*value) : "";
  }
  static std::string toml_of(double value) { return toml_number(value); }
  static std::string toml_of(std::uint64_t value) { return spelled(value); }
  static std::string toml_of(const std::string& value) { return toml_text(value); }
};

RunKey option_key(const OptionKey& option) {
  return {"algorithm." + option.name,
          [&option](const Setting& s, const fs::path&, S& to) {
            std::visit(OptionReader{s, to.algorithm.options}, option.kind);
          },
          [&option](const S& of) { return std::visit(OptionWriter{of.algorithm.options}, option.kind); }};
}

std::vector<RunKey> make_run_keys() {
  std::vector<RunKey> keys = make_common_keys();
  const auto first_of_network =
      std::ranges::find_if(keys, [](const RunKey& key) { return key.name.starts_with("network."); });
  std::vector<RunKey> options;
  for (const OptionKey& option : option_keys()) options.push_back(option_key(option));
  keys.insert(first_of_network, options.begin(), options.end());
  return keys;
}

}  // namespace

const std::vector<RunKey>& run_keys() {
  static const std::vector<RunKey> keys = make_run_keys();
  return keys;
}

std::vector<std::string> replaced_keys(const std::string& key) {
  if (key == "run.iterations") return {"run.epochs"};
  if (key == "run.epochs") return {"run.iterations"};
  if (key == "network.bandwidth")
    return {"network.bandwidth_up", "network.bandwidth_down", "network.bandwidth_trace"};
  if (key == "network.bandwidth_up" || key == "network.bandwidth_down") return {"network.bandwidth_trace"};
  if (key == "network.bandwidth_trace")
    return {"network.bandwidth", "network.bandwidth_up", "network.bandwidth_down"};
  if (key == "topology.file") return {"topology.kind", "topology.peers"};
  if (key == "topology.kind" || key == "topology.peers") return {"topology.file"};
  return {};
}

}  // namespace hearsay
