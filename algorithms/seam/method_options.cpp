#include "algorithms/seam/method_options.hpp"

#include <utility>

#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

using Number = OptionKey::Number;
using Count = OptionKey::Count;
using Text = OptionKey::Text;
using O = MethodOptions;

std::string spelled(double value) { return number_text(value); }
std::string spelled(std::uint64_t value) { return std::to_string(value); }
std::string spelled(const std::string& value) { return value; }

}  // namespace

bool OptionKey::set_in(const MethodOptions& options) const {
  return std::visit([&](const auto& of) { return (options.*of.member).has_value(); }, kind);
}

std::string OptionKey::text(const MethodOptions& options) const {
  return std::visit([&](const auto& of) { return spelled(*(options.*of.member)); }, kind);
}

void OptionKey::copy(const MethodOptions& from, MethodOptions& to) const {
  std::visit([&](const auto& of) { to.*of.member = from.*of.member; }, kind);
}

std::span<const OptionKey> option_keys() {
  constexpr double tiny = std::numeric_limits<double>::min();  // more than 0
  constexpr double below_1 = 1.0 - std::numeric_limits<double>::epsilon();
  constexpr double any = std::numeric_limits<double>::max();
  static const std::vector<OptionKey> keys = {
      {"restart_every", Count{&O::restart_every, 0},
       "iterations between restarts in full precision; 0: never"},
      {"feedback", Text{&O::feedback, {}}, "what becomes of the error of a message"},
      {"consensus_step", Number{&O::consensus_step, tiny, 2.0},
       "gamma: the rougher the compressor, the smaller"},
      {"damping", Number{&O::damping, tiny, 1.0}, "a: how far the references follow"},
      {"momentum", Number{&O::momentum, 0.0, below_1}, "beta"},
      {"optimizer", Text{&O::optimizer, {}},
       "what a local step is: `sgd`, `heavy-ball(0.9)`, `nesterov(0.9)`, `adagrad`, `adagrad-da`, `adam(0.9, "
       "0.999)`, `amsgrad`, `adamw(0.9, 0.999, 0.01)`, `novograd(0.95, 0.98, 0)` or `muon(0.95, 5)`; every "
       "peer keeps a state of its own"},
      {"local_steps", Count{&O::local_steps, 1}, "H: local steps to a round, each on its own minibatch"},
      {"staleness", Count{&O::staleness, 0}, "s: what is mixed is s iterations old"},
      {"trigger", Number{&O::trigger, 0.0, any},
       "c_0: a peer with less news than c_0 sqrt(t) eta^2 (squared) sends an empty message; 0: it always "
       "sends"},
      {"rank", Count{&O::rank, 1}, "columns of P; lgc: rows, at most"},
      {"memory", Text{&O::memory, {"replicas", "aggregate"}},
       "`aggregate` keeps a sum instead of the neighbors' replicas"},
      {"form",
       Text{&O::form,
            {"plain", "pipelined", "combine-then-adapt", "adapt-then-combine", "mixed", "published",
             "unsigned", "signed", "pp1", "pp2"}},
       "order of the steps of a round; `adapt-then-combine` is the default if local_steps > 1. gas-loc: "
       "whether momentum is mixed; demo: whether a step is the mean, or its signs; artemis: whether the hub "
       "keeps each worker's memory (pp1), or their mean, which stands for those that sit out (pp2)"},
      {"estimator", Text{&O::estimator, {"svrg", "loopless-svrg", "saga"}},
       "how stochastic gradients are corrected; `saga` and `loopless-svrg` have no epochs, and refuse the "
       "keys of epochs"},
      {"inner_length", Count{&O::inner_length, 1}, "n_0: steps of the first epoch"},
      {"inner_growth", Number{&O::inner_growth, 1.0, 16.0},
       "how much longer each epoch is than the one before"},
      {"snapshot", Text{&O::snapshot, {"last", "average"}}, "where an epoch's full gradient is taken"},
      {"consensus", Text{&O::consensus, {}, true}, "c(k): gossip rounds of the k-th step of an epoch"},
      {"gossip", Text{&O::gossip, {"plain", "chebyshev"}}, "how these gossip rounds mix"},
      {"prox_order", Text{&O::prox_order, {"mix-then-prox", "prox-then-mix"}},
       "whether the proximal map comes after or before the gossip rounds"},
      {"outer", Text{&O::outer, {}},
       "what a round does with the mean of the local drifts: `none(rho)`, `heavy-ball(rho, beta)`, "
       "`nesterov(rho, beta)` or `slowmo(alpha, beta)`"},
      {"inner_state", Text{&O::inner_state, {"keep", "reset", "average"}},
       "the local optimizer's state after a round: `keep` it, `reset` it, or `average` it over the peers, "
       "which is sent, too"},
      {"error_decay", Number{&O::error_decay, 0.0, 1.0},
       "beta: the share of a message's error that the next message makes up for"},
      {"fragments", Count{&O::fragments, 1},
       "F: parts of the model that a round sums one after the other; it divides local_steps"},
      {"overlap", Count{&O::overlap, 0},
       "tau: local steps that are taken while a fragment's sum travels; less than local_steps / fragments"},
      {"own_share", Number{&O::own_share, 0.0, 1.0},
       "alpha: the share of the own model that stays when a fragment's sum has come"},
      {"aggregate", Text{&O::aggregate, {"mean", "senders-mean"}},
       "the mean of gathered coefficients: over all peers, or over those that sent the coefficient"},
      {"down_compressor", Text{&O::down_compressor, {}}, "of what the hub says to its workers"},
      {"proximal", Number{&O::proximal, 0.0, any},
       "mu: local steps are pulled back to where they began, mu times as hard as they are far"},
      {"memory_step", Text{&O::memory_step, {}, true, true},
       "alpha: how far the memories follow what is sent; `auto` is 1 / (2 (1 + omega)) for the compressor's "
       "omega, 1 for a compressor without one; 0: no memory"},
      {"down_memory_step", Text{&O::down_memory_step, {}, true, true},
       "the same for what the hub says, with the omega of down_compressor"},
      {"control", Number{&O::control, 0.0, 1.0},
       "kappa: the share of the error owed that a message makes up for"},
      {"worker_steps", Text{&O::worker_steps, {}, true},
       "H_i: the local steps of each peer with data, `\"2, 4, 8\"`; `equal`: local_steps"},
      {"dense_rounds", Count{&O::dense_rounds, 1},
       "rounds in full precision, before the method begins to compress"},
      {"rounds", Count{&O::rounds, 1},
       "R: compressions of one vector, each of what the ones before have left out; and minibatches to a "
       "gradient"},
      {"threshold", Text{&O::threshold, {}, true, true},
       "eps_1: a worker is silent while its gradient has changed by less than sqrt(eps_1) times the model's "
       "last step; `auto` is 0.1 / eta^2; 0: it always sends"},
      {"vote", Text{&O::vote, {"binary", "ternary"}},
       "what a worker says of a weight w: its sign, drawn with the mean w, in a bit (`binary`); or its sign "
       "or "
       "0, with less noise, in 1.6 bits (`ternary`)"},
      {"trust", Text{&O::trust, {"equal", "votes"}},
       "how the hub weighs votes: all alike, or each worker by how often it voted with the majority "
       "(`votes`); "
       "those below the mean then do not count"},
      {"predictors", Text{&O::predictors, {}},
       "what a worker may predict its local model by, from the changes of the hub's: some of `hold` (no "
       "change), `last`, `mean3` and `ema`, the cheapest of which is taken"},
      {"rate_weight", Number{&O::rate_weight, 0.0, any},
       "lambda: the cheapest has the least rms error + lambda times the bits of a coordinate"},
      {"quantizers", Count{&O::quantizers, 1},
       "Q: quantizers to choose from in the same way, grids 1, 2, 4, ... times as coarse as the "
       "compressor's; at most 16"},
      {"side_information", Text{&O::side_information, {"none", "replica", "last", "mean"}},
       "what the codes of a grid are read near, so that they travel modulo a small number: the sender's "
       "`replica`, the replica moved once more by the `last` message, or the `mean` of both; `none`: the "
       "compressor's own code. The models stay the same, bit for bit"},
  };
  return keys;
}

}  // namespace hearsay
