#include "tools/manual/key_examples.hpp"

#include <map>
#include <string_view>
#include <variant>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/toml/document.hpp"

namespace hearsay {

namespace {

/// Lines below the header of the key's table.
const std::map<std::string_view, std::string_view> lines_in_table = {
    {"run.name", "name = \"ring of eight\""},
    {"run.seed", "seed = 7"},
    {"run.scalar", "scalar = \"double\""},
    {"run.iterations", "iterations = 500"},
    {"run.epochs", "epochs = 2.5"},
    {"run.evaluate_every", "evaluate_every = \"2 s\""},
    {"run.evaluate", "evaluate = \"peers\""},
    {"run.target_loss", "target_loss = 0.25"},
    {"run.patience", "patience = 10"},
    {"run.min_improvement", "patience = 10\nmin_improvement = \"1%\""},
    {"run.builds", "builds = \"any\""},
    {"run.keep", "keep = \"best\""},
    {"run.keep_models", "keep_models = \"every 20, peers\""},
    {"run.output", "output = \"runs/second\""},
    {"data.source", "source = \"libsvm:a9a.gz\""},
    {"data.test", "test = \"20%\""},
    {"data.partition", "partition = \"dirichlet(0.3)\""},
    {"data.order", "order = \"shuffled\""},
    {"data.samples", "source = \"csv:own.csv\"\npartition = \"home\"\nsamples = 60000"},
    {"data.features", "source = \"libsvm:own.txt\"\npartition = \"home\"\nfeatures = 123"},
    {"data.classes", "source = \"libsvm:own.txt\"\npartition = \"home\"\nclasses = 10"},
    {"data.target", "source = \"csv:table.csv\"\ntarget = \"price\""},
    {"data.header", "source = \"csv:table.csv\"\nheader = true"},
    {"data.skip", "source = \"csv:table.csv\"\nskip = 1"},
    {"data.ignore", "source = \"csv:table.csv\"\nignore = [\"name\", \"date\"]"},
    {"data.index_base", "source = \"libsvm:a9a.gz\"\nindex_base = 0"},
    {"data.scale", "scale = 0.5"},
    {"data.memory", "memory = \"8 GB\""},
    {"model.kind", "kind = \"mlp(64)\""},
    {"model.l1", "l1 = 1e-3"},
    {"model.l2", "l2 = 1e-4"},
    {"model.regularizer", "regularizer = \"group-lasso(0.01)\""},
    {"model.init", "init = \"runs/first/model.npy\""},
    {"model.program", "kind = \"program\"\nprogram = [\"python3\", \"train.py\"]"},
    {"model.directory", "kind = \"program\"\nprogram = [\"python3\", \"train.py\"]\ndirectory = \"code\""},
    {"model.answer_within",
     "kind = \"program\"\nprogram = [\"python3\", \"train.py\"]\nanswer_within = \"20 s\""},
    {"topology.kind", "kind = \"torus(2x4)\"\npeers = 8"},
    {"topology.peers", "peers = 16"},
    {"topology.weights", "weights = \"lazy\""},
    {"topology.schedule", "kind = \"exponential\"\nschedule = \"one-peer-exponential\""},
    {"topology.participation", "participation = \"50%\""},
    {"topology.hub", "kind = \"star\"\nhub = \"dedicated\""},
    {"topology.round_deadline", "kind = \"star\"\nround_deadline = \"2 s\""},
    {"topology.file", "file = \"cluster.toml\""},
    {"topology.availability", "availability = \"trace.csv\""},
    {"topology.network_from", "file = \"cluster.graphml\"\nnetwork_from = \"geo\""},
    {"security.authorized", "authorized = \"cluster.keys\""},
    {"security.secret", "secret = \"$HOME/a.key\""},
    {"failure.policy", "policy = \"drop\""},
    {"failure.checkpoint_every", "checkpoint_every = \"30 s\""},
    {"failure.lost_after", "lost_after = \"20 s\""},
    {"failure.program", "policy = \"drop\"\nprogram = \"end\""},
    {"failure.join_later", "policy = \"drop\"\njoin_later = [4, 6]"},
    {"failure.hub_standby", "policy = \"drop\"\nhub_standby = 1"},
    {"algorithm.kind", "kind = \"choco-sgd\""},
    {"algorithm.compressor", "compressor = \"topk(1%) | natural\""},
    {"algorithm.step_size", "step_size = 0.03"},
    {"algorithm.step_schedule", "step_schedule = \"inverse-sqrt\""},
    {"algorithm.warm_up", "warm_up = 10"},
    {"algorithm.batch", "batch = \"full\""},
    {"algorithm.clip", "clip = 2.5"},
    {"algorithm.allow_unsound", "allow_unsound = true"},
    {"algorithm.local_steps", "kind = \"local-sgd\"\nlocal_steps = 4"},
    {"algorithm.staleness", "kind = \"d-psgd\"\nstaleness = 1"},
    {"algorithm.consensus_step", "kind = \"choco-sgd\"\nconsensus_step = 0.5"},
    {"algorithm.optimizer", "kind = \"local-sgd\"\noptimizer = \"adam(0.9, 0.99)\""},
    {"algorithm.outer", "kind = \"local-sgd\"\nouter = \"nesterov(0.7, 0.9)\""},
    {"algorithm.feedback", "kind = \"qsgd-allreduce\"\nfeedback = \"low-pass(0.1)\""},
    {"algorithm.worker_steps", "kind = \"gen-qsgd\"\nworker_steps = \"2, 4, 8, 8, 8, 8, 8, 8\""},
    {"algorithm.memory_step", "kind = \"artemis\"\nmemory_step = 0.25"},
    {"algorithm.down_memory_step", "kind = \"mcm\"\ndown_memory_step = 0.25"},
    {"algorithm.restart_every", "kind = \"ecd-psgd\"\nrestart_every = 100"},
    {"algorithm.trigger", "kind = \"choco-sgd\"\ntrigger = 0.1"},
    {"algorithm.own_share", "kind = \"streaming-diloco\"\nown_share = 0.25"},
    {"network.bandwidth", "bandwidth = \"10 Mbit/s\""},
    {"network.bandwidth_up", "bandwidth_up = \"1 Mbit/s\""},
    {"network.bandwidth_down", "bandwidth_down = \"20 Mbit/s\""},
    {"network.bandwidth_trace", "bandwidth_trace = [\"0,10 Mbit/s\", \"1.5,0 bit/s\"]"},
    {"network.latency", "latency = \"5 ms\""},
    {"network.jitter", "jitter = \"1 ms\""},
    {"network.message_loss", "message_loss = \"1%\""},
    {"network.compute", "compute = \"20 ms\""},
    {"network.framing", "framing = \"ethernet\""},
    {"network.congestion", "congestion = \"cubic\""},
    {"network.pace", "pace = \"100 Mbit/s\""},
    {"network.transport", "transport = \"tcp\""},
    {"network.evaluations", "evaluations = \"shaped\""},
    {"network.links", "links = \"links.toml\""},
    {"sweep.driver", "driver = \"simulate\""},
    {"sweep.repeat", "repeat = 5"},
    {"sweep.tune", "tune = [\"algorithm.step_size\"]\nalgorithm.step_size = [0.05, 0.1, 0.2]"},
    {"sweep.title", "title = \"Four bits against thirty-two\""},
    {"sweep.about", "about = [\"Every point is a run of eight peers.\"]"},
    {"sweep.not_reproduced", "not_reproduced = [\"The figures at 256 peers.\"]"},
    {"sweep.KEY", "network.latency = [\"1 ms\", \"10 ms\"]"},
};

/// Whole blocks.
const std::map<std::string_view, std::string_view> blocks = {
    {"network.peer", "[[network.peer]]\nid = 1\nlatency = \"9 ms\"\n"},
    {"network.link", "[[network.link]]\nfrom = 0\nto = 1\nbandwidth = \"1 Mbit/s\"\n"},
    {"fault", "[[fault]]\nat = \"3 s\"\npeer = [1, 2]\nkind = \"kill\"\nfor = \"2 s\"\n"},
    {"sweep.baseline",
     "[sweep]\nbaseline = \"32 bit\"\n\n[[sweep.variant]]\nname = \"32 bit\"\nalgorithm.kind = \"d-psgd\"\n"},
    {"sweep.variant",
     "[[sweep.variant]]\nname = \"4 bit\"\nalgorithm.compressor = \"dither(linf, bits=4, bucket=512)\"\n"},
    {"sweep.claim",
     "[[sweep.variant]]\nname = \"4 bit\"\n\n[[sweep.variant]]\nname = \"32 bit\"\n"
     "algorithm.kind = \"d-psgd\"\n\n[[sweep.claim]]\nsays = \"With 4 bits fewer bytes are sent\"\n"
     "figure = \"bytes_sent\"\nascending = [\"4 bit\", \"32 bit\"]\n"},
};

/// Returns a value of the option as a run file spells it: another word than the method's default if the
/// option is a choice of words, else the default.
std::string value_with(const MethodInfo& method, const OptionRow& row) {
  const auto* const text = std::get_if<OptionRow::Text>(&row.values);
  const bool is_order = &row == &option::order && !method.orders.empty();
  if (text)
    for (const std::string& choice : is_order ? method.orders : text->choices)
      if (choice != method.options.text(row)) return toml_text(choice);
  return text ? toml_text(method.options.text(row)) : method.options.text(row);
}

/// Returns the lines for an option: the first method that reads it, and the value.
std::string option_lines(const std::string& name) {
  for (const MethodInfo& method : methods())
    for (const MethodOptions::Entry& entry : method.options)
      if (entry.row->name == name)
        return "kind = " + toml_text(method.name) + "\n" + name + " = " + value_with(method, *entry.row);
  return {};
}

}  // namespace

std::string key_example(const KeyInfo& key) {
  if (const auto block = blocks.find(key.key); block != blocks.end()) return std::string(block->second);
  const std::size_t dot = key.key.find('.');
  const std::string header = "[" + key.key.substr(0, dot) + "]\n";
  const auto lines = lines_in_table.find(key.key);
  return header +
         (lines != lines_in_table.end() ? std::string(lines->second)
                                        : option_lines(key.key.substr(dot + 1))) +
         "\n";
}

}  // namespace hearsay
