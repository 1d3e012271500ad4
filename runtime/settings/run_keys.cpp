#include "runtime/settings/run_keys.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "algorithms/methods/registry.hpp"
#include "runtime/foundation/machine.hpp"
#include "runtime/settings/data_source_key.hpp"
#include "runtime/settings/evaluate_every.hpp"
#include "runtime/settings/keep_models.hpp"
#include "runtime/settings/network_keys.hpp"
#include "runtime/settings/option_keys.hpp"
#include "runtime/settings/with_all_methods.hpp"
#include "runtime/toml/document.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

// ---- kinds of single keys

/// A run's name is also a folder's name, and text in records. It is UTF-8, because run.toml has to parse.
ValueKind<std::string> run_name() {
  ValueKind<std::string> kind = kinds::name().named("text");
  kind.read = [](const Setting& setting, const fs::path&) {
    const std::string& name = setting.name();
    const bool one_line = std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (name == "." || name == ".." || name.find('/') != std::string::npos || !one_line ||
        trimmed(name).empty() || !parse_toml_value(toml_text(name), "run.name"))
      setting.refuse(
          "a name that can be a folder's: one line of UTF-8, not blank, no slash, not \".\" or \"..\"");
    return name;
  };
  return kind;
}

ValueKind<std::string> initial_model() {
  return {"\"zeros\" or a .npy file",
          [](const Setting& setting, const fs::path& directory) {
            const std::string& init = setting.name();
            if (init == "zeros") return init;
            if (!init.ends_with(".npy")) setting.refuse("\"zeros\" or a .npy file");
            return setting.resolve_path(init, directory).string();
          },
          [](const std::string& init) { return toml_text(spelled_path(init)); }};
}

/// "8 GB", or "50%" of the machine's memory.
ValueKind<std::string> memory() {
  return {"size or share",
          [](const Setting& setting, const fs::path&) {
            const auto* const text = std::get_if<std::string>(&setting.value.data);
            if (text == nullptr)
              setting.refuse("a size or a share of this machine's memory, such as \"8 GB\" or \"50%\"");
            parse_memory(setting.label(), *text);
            return *text;
          },
          [](const std::string& text) { return toml_text(text); }};
}

ValueKind<std::optional<std::uint64_t>> batch() {
  return {"whole number >= 1, or \"full\"",
          [](const Setting& setting, const fs::path&) -> std::optional<std::uint64_t> {
            const auto* const text = std::get_if<std::string>(&setting.value.data);
            if (text && *text == "full") return std::nullopt;
            const auto* const integer = std::get_if<std::int64_t>(&setting.value.data);
            if (integer == nullptr || *integer < 1) setting.refuse("a whole number >= 1, or \"full\"");
            return static_cast<std::uint64_t>(*integer);
          },
          [](const std::optional<std::uint64_t>& batch) {
            return batch ? std::to_string(*batch) : toml_text("full");
          }};
}

ValueKind<std::optional<PeerId>> worker() {
  return {"id >= 1",
          [](const Setting& setting, const fs::path&) -> std::optional<PeerId> {
            const auto* const id = std::get_if<std::int64_t>(&setting.value.data);
            if (id == nullptr || *id < 1 || *id > std::numeric_limits<PeerId>::max())
              setting.refuse("the id of a worker, such as 1");
            return static_cast<PeerId>(*id);
          },
          [](const std::optional<PeerId>& id) { return id ? std::to_string(*id) : std::string(); }};
}

ValueKind<Duration> time_from(Duration shortest) {
  ValueKind<Duration> kind = kinds::duration().named("time >= " + to_text(shortest));
  kind.read = [shortest](const Setting& setting, const fs::path&) {
    const Duration time = setting.duration();
    if (time < shortest) setting.refuse("at least " + to_text(shortest));
    return time;
  };
  return kind;
}

void read_checkpoint_every(const Setting& setting, const fs::path&, RunSettings::Failure& to) {
  to.checkpoint_every = 0;
  to.checkpoint_period = Duration{0};
  if (!std::holds_alternative<std::string>(setting.value.data)) {
    to.checkpoint_every = setting.count(0);
    return;
  }
  to.checkpoint_period = setting.duration();
  if (to.checkpoint_period <= Duration{0})
    setting.refuse("a time above 0, a number of iterations, or 0: never");
}

std::string write_checkpoint_every(const RunSettings::Failure& of) {
  return of.checkpoint_period != Duration{0} ? toml_text(to_text(of.checkpoint_period))
                                             : std::to_string(of.checkpoint_every);
}

ValueKind<std::string> congestion() {
  ValueKind<std::string> kind = kinds::text().named("\"auto\", \"system\" or a name");
  kind.read = [](const Setting& setting, const fs::path&) {
    constexpr std::size_t longest = 15;  // of the kernel's names
    const auto* const name = std::get_if<std::string>(&setting.value.data);
    const bool is_name =
        name != nullptr && !name->empty() && name->size() <= longest &&
        name->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
    if (!is_name) setting.refuse("\"auto\", \"system\", or a name that the kernel knows, such as \"cubic\"");
    return *name;
  };
  return kind;
}

// ---- the tables of a run file

std::vector<KeyRow<RunSettings::Run>> run_rows() {
  using namespace kinds;
  using Run = RunSettings::Run;
  using Row = KeyRow<Run>;
  return {
      {"name", &Run::name, run_name(), "all", "the run's name, and its folder's"},
      {"seed", &Run::seed, count(0), "all",
       "of all random streams: data, minibatches, rounding, schedules, jitter"},
      {"scalar", &Run::scalar, choice<ScalarKind>({"float", "double"}), "all", "the type of all vectors"},
      Row("iterations", &Run::iterations, count(1), "all", "how long the run is").unless([](const Run& of) {
        return of.epochs.has_value();
      }),
      {"epochs", &Run::epochs, optional(positive()), "all",
       "how long the run is, in passes over all data, instead of run.iterations"},
      Row({"evaluate_every",
           "iterations >= 1, or a time",
           {},
           "all",
           "between two evaluations",
           "../observer/README.md#when"},
          read_evaluate_every, evaluate_every_text),
      {"evaluate", &Run::evaluate, choice<Run::Evaluate>({"mean", "peers", "own"}), "all",
       "what an evaluation computes the loss of: the mean model, with a hub the hub's; \"peers\": each "
       "peer's model, too "
       "(loss_worst, loss_spread), which takes topology.peers times as long; \"own\": each peer's model on "
       "the data of that peer, so that no model goes to the observer"},
      {"target_loss", &Run::target_loss, optional(number()), "all", "the run ends once the loss is this low"},
      {"patience", &Run::patience, optional(count(1, "evaluations")), "all",
       "the run ends after so many evaluations in a row without a better one"},
      {"min_improvement", &Run::min_improvement, share(), "all",
       "for run.patience: an evaluation is better if it beats the best one by more than this share of it"},
      Row("builds", &Run::builds, choice<Run::Builds>({"same", "any"}), "all",
          "whether hosts may run different builds of hearsay, whose last bits may differ: while they are "
          "upgraded one by one, say")
          .see("../wire/README.md#versions")
          .unless([](const Run& of) { return of.builds == Run::Builds::same; })
          .by_default("\"same\""),
      Row("keep", &Run::keep, choice<Run::Keep>({"last", "best"}), "all",
          "which evaluation's mean model, with a hub the hub's, becomes model.npy")
          .see("../observer/README.md#the-best-evaluation"),
      Row("keep_models", &Run::keep_models, keep_models_kind(), "all",
          "every N iterations the model that is evaluated, or each peer's, is saved in models/")
          .unless([](const Run& of) { return of.keep_models == Run::KeepModels(); })
          .by_default("\"never\"")
          .see("../record/README.md#models"),
      Row("output", &Run::output, path(), "all",
          "the output directory; unless given, in the current directory")
          .by_default("\"runs/NAME\""),
  };
}

std::vector<KeyRow<RunSettings::Data>> data_rows() {
  using namespace kinds;
  using Data = RunSettings::Data;
  using Row = KeyRow<Data>;
  return {
      Row("source", &Data::source, data_source(), "all", "training data").see("../data/README.md"),
      Row("test", &Data::test, data_source_or_none(), "all",
          "test data, for the accuracy; \"20%\": held out of data.source; without: the training data")
          .by_default("none"),
      {"partition", &Data::partition, spelling(), "all",
       "who holds which samples: \"iid\", \"by-label\", \"dirichlet(0.3)\"; \"home\": data.source of each "
       "host is the data of its peer"},
      {"order", &Data::order, choice<Data::Order>({"with-replacement", "shuffled"}), "methods that train",
       "how a peer draws its minibatches: every sample anew; \"shuffled\": passes over its samples, each in "
       "an order of its own"},
      {"samples", &Data::samples, optional(count(1)), "data.partition \"home\"",
       "the training samples of all peers, without those held out: each peer then weighs as its samples do; "
       "unset: all weigh alike"},
      {"features", &Data::features, optional(count(1)), "all",
       "how many features there are, if some peer's file does not show all"},
      {"classes", &Data::classes, optional(count(2)), "all",
       "the labels are 0 to this - 1, if some peer's file does not show all"},
      {"target", &Data::target, optional(name()), "csv",
       "the column of the target: \"last\", \"first\" of those that are not skipped, or a name of the "
       "header"},
      {"header", &Data::header, optional(flag()), "csv",
       "whether the first line is a header; unset: if no number is in it"},
      {"skip", &Data::skip, optional(count(0)), "csv",
       "how many columns at the left are no features, such as an index or row names"},
      {"ignore", &Data::ignore, texts(), "csv",
       "the names of columns that are no features, wherever and however often they stand, such as an "
       "identifier or text"},
      {"index_base", &Data::index_base, optional(count(0)), "libsvm",
       "the index of the first feature: 0 or 1"},
      {"scale", &Data::scale, optional(positive()), "all",
       "features are multiplied by it; pixels are divided by 255 without it"},
      {"memory", &Data::memory, memory(), "all",
       "the largest total size of the data files, decompressed: a size, or a share of this machine's memory"},
  };
}

std::vector<KeyRow<RunSettings::Model>> model_rows() {
  using namespace kinds;
  using Model = RunSettings::Model;
  using Row = KeyRow<Model>;
  return {
      Row("kind", &Model::kind, spelling(), "all", "the model").see("../../algorithms/README.md#models"),
      {"l1", &Model::l1, non_negative(), "composite methods", "short for model.regularizer = \"l1(...)\""},
      {"l2", &Model::l2, non_negative(), "all", "adds (l2/2) ||x||^2"},
      Row("regularizer", &Model::regularizer, spelling(), "composite methods", "h of composite objectives")
          .see("../../algorithms/README.md#composite-objectives"),
      {"init", &Model::init, initial_model(), "all",
       "x_0; mlp and lenet start with seeded random weights instead of zeros"},
      Row("program", &Model::program, texts(), "model.kind \"program\"",
          "the command that computes losses and gradients; `hearsay run FILE -- COMMAND` sets it")
          .by_default("none")
          .see("../program/README.md"),
      Row("directory", &Model::directory, path(), "model.kind \"program\"",
          "the folder in which the command runs")
          .by_default("the run file's folder"),
      {"answer_within", &Model::answer_within, time_from(std::chrono::milliseconds(1)),
       "model.kind \"program\"",
       "how long the program may take for an answer, and for its hello before the run"},
  };
}

std::vector<KeyRow<TopologySettings>> topology_rows() {
  using namespace kinds;
  using Topology = TopologySettings;
  using Row = KeyRow<Topology>;
  const auto has_file = [](const Topology& of) { return !of.file.empty(); };
  return {
      Row("kind", &Topology::kind, spelling(), "all", "the graph")
          .unless(has_file)
          .see("../../topology/README.md#who-mixes-with-whom"),
      Row("peers", &Topology::peers, count<PeerId>(1), "all", "how many peers").unless(has_file),
      {"weights", &Topology::weights, spelling(), "all", "the mixing matrix"},
      {"schedule", &Topology::schedule, spelling(), "all", "W from round to round"},
      {"participation", &Topology::participation, share().named("share > 0"), "all",
       "the share of the peers that take part in a round"},
      {"hub", &Topology::hub, choice<HubData>({"worker", "dedicated"}), "methods with a hub",
       "whether the hub, peer 0, has a part of the data, or only the other peers have"},
      {"round_deadline", &Topology::round_deadline, duration(), "methods whose hub may close a round",
       "how long the hub waits for the answers of a round; 0 s: until all are there"},
      Row("file", &Topology::file, path(), "all", "a topology file instead of kind and peers")
          .by_default("none")
          .see("../../topology/README.md#topology-files"),
      Row("network_from", &Topology::network_from, choice<NetworkFrom>({"settings", "geo"}), "all",
          "the network of the links of topology.file: that of [network], or one computed from the peers' "
          "geographic positions")
          .unless([](const Topology& of) { return of.network_from == NetworkFrom::settings; })
          .by_default("\"settings\"")
          .see("../../topology/README.md#real-networks"),
      Row("availability", &Topology::availability, path(), "all",
          "a trace: CSV rows that say from when to when each peer is there, and how slow its gradients are "
          "meanwhile")
          .by_default("none")
          .see("../network/README.md#availability"),
  };
}

std::vector<KeyRow<RunSettings::Security>> security_rows() {
  using namespace kinds;
  using Security = RunSettings::Security;
  using Row = KeyRow<Security>;
  return {
      Row("authorized", &Security::authorized, path(), "peer, launch", "the public keys of all peers")
          .by_default("none")
          .see("../security/README.md"),
      Row("secret", &Security::secret, path(), "peer, launch", "this peer's own key pair").by_default("none"),
  };
}

std::vector<KeyRow<RunSettings::Failure>> failure_rows() {
  using namespace kinds;
  using Failure = RunSettings::Failure;
  using Row = KeyRow<Failure>;
  return {
      Row("policy", &Failure::policy, choice<Failure::Policy>({"wait", "drop"}), "run, peer, launch",
          "what becomes of a run that loses a peer")
          .see("../session/README.md"),
      Row({"checkpoint_every",
           "iterations >= 0, or a time",
           {},
           "run, peer, launch",
           "between two checkpoints; 0: never",
           "../checkpoint/README.md"},
          read_checkpoint_every, write_checkpoint_every),
      {"lost_after", &Failure::lost_after, time_from(shortest_lost_after), "run, peer, launch",
       "of silence, after which a peer is lost"},
      {"program", &Failure::program, choice<Failure::Program>({"drop", "end"}), "model.kind \"program\"",
       "with failure.policy \"drop\": whether a program that fails is dropped, with its peer, or ends the "
       "run"},
      Row("join_later", &Failure::join_later, peer_ids(), "all",
          "peers that are not there when the run begins; with failure.policy \"drop\" only")
          .by_default("none")
          .see("../session/README.md#joining"),
      Row("hub_standby", &Failure::hub_standby, worker(), "run, peer, launch",
          "the worker that takes over if a dedicated hub is lost; with failure.policy \"drop\" only")
          .by_default("none")
          .see("../session/README.md#a-hub-with-a-standby"),
  };
}

/// "0.1; 0.001 for comp-ams": the step size of most methods, and those of others.
std::string default_step_sizes() {
  const double usual = RunSettings().algorithm.step_size;
  std::string text = toml_number(usual);
  for (const MethodInfo& method : methods())
    if (method.default_step_size != usual)
      text += "; " + toml_number(method.default_step_size) + " for " + method.name;
  return text;
}

std::vector<KeyRow<RunSettings::Algorithm>> algorithm_rows() {
  using namespace kinds;
  using Algorithm = RunSettings::Algorithm;
  using Row = KeyRow<Algorithm>;
  return {
      Row("kind", &Algorithm::kind, name(), "all", "the method")
          .see("../../algorithms/README.md#the-methods"),
      Row("compressor", &Algorithm::compressor, text().named("spelling"), "all", "the compressor")
          .by_default("the method's own")
          .see("../../algorithms/README.md#compressors"),
      Row("step_size", &Algorithm::step_size, positive(), "methods that train", "eta")
          .by_default(default_step_sizes()),
      {"step_schedule", &Algorithm::step_schedule, spelling(), "methods that train",
       "eta_t: `constant`; `inverse-sqrt`, eta / sqrt(t); `inverse(b)`, eta / (t + b); `cosine(T, end)`, to "
       "eta "
       "times end within T iterations; `multistep(0.1, 100, 200)`, a tenth after 100 and again after 200"},
      {"warm_up", &Algorithm::warm_up, count(0, "iterations"), "methods that train",
       "iterations over which the step size grows linearly from 0"},
      Row("batch", &Algorithm::batch, batch(), "methods that train",
          "samples of a minibatch, drawn as data.order says; \"full\": all local samples")
          .by_default("32; \"full\" for " +
                      methods_that([](const MethodInfo& method) { return !method.default_batch; })),
      {"clip", &Algorithm::clip, optional(positive()), "all but " + methods_that(refuses_clipping),
       "gradients are clipped to this Euclidean norm before the method sees them"},
      {"allow_unsound", &Algorithm::allow_unsound, flag(), "all",
       "a run that would be refused as unsound is only warned of"},
  };
}

std::vector<KeyRow<RunSettings>> make_run_keys() {
  std::vector<KeyRow<RunSettings>> keys;
  add_table(keys, "run", &RunSettings::run, run_rows());
  add_table(keys, "data", &RunSettings::data, data_rows());
  add_table(keys, "model", &RunSettings::model, model_rows());
  add_table(keys, "topology", &RunSettings::topology, topology_rows());
  add_table(keys, "security", &RunSettings::security, security_rows());
  add_table(keys, "failure", &RunSettings::failure, failure_rows());
  std::vector<KeyRow<RunSettings::Algorithm>> algorithm = algorithm_rows();
  add_table(algorithm, "", &RunSettings::Algorithm::options, method_option_keys());
  add_table(keys, "algorithm", &RunSettings::algorithm, std::move(algorithm));
  add_table(keys, "network", &RunSettings::network, network_keys());
  keys.emplace_back("network.framing", &RunSettings::framing, kinds::choice<Framing>({"none", "ethernet"}),
                    "all", "\"ethernet\" adds 66 bytes of framing for every started 1,448 bytes");
  keys.emplace_back(
      "network.evaluations", &RunSettings::evaluations, kinds::choice<EvaluationFrames>({"free", "shaped"}),
      "all",
      "\"shaped\": the models, verdicts, questions and answers of evaluations pass the emulated "
      "network, with the observer as one more host");
  keys.emplace_back(
      KeyRow<RunSettings>("network.transport", &RunSettings::transport,
                          kinds::choice<Transport>({"auto", "tcp", "ipc"}), "run",
                          "what carries the frames between the processes of one machine: \"ipc\", "
                          "its own sockets; \"tcp\", ports of loopback; \"auto\": ipc, unless the "
                          "topology file gives addresses or the kernel makes the network")
          .see("../network/README.md#transport"));
  keys.emplace_back(
      KeyRow<RunSettings>("network.congestion", &RunSettings::congestion, congestion(), "run, peer, launch",
                          "the congestion control of TCP; \"auto\": bbr to other hosts, cubic if "
                          "network.pace is set, where the kernel permits it; \"system\": "
                          "what the system has; or a name that the kernel knows")
          .see("../network/README.md#congestion-control"));
  keys.emplace_back(KeyRow<RunSettings>("network.pace", &RunSettings::pace, kinds::bandwidth(),
                                        "run, peer, launch",
                                        "the bandwidth of a peer's real port: its connections to other "
                                        "hosts send no faster than that together")
                        .see("../network/README.md#pacing"));
  keys.push_back(KeyRow<RunSettings>("network.links", &RunSettings::links_file, kinds::path(), "all",
                                     "a links file: the ports of all peers, and the latency and bandwidth "
                                     "between any two of them")
                     .by_default("none")
                     .see("../network/README.md#links-files"));
  return keys;
}

}  // namespace

const std::vector<KeyRow<RunSettings>>& run_keys() {
  return with_all_methods([] { return make_run_keys(); });
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
