#include "algorithms/methods/parts/shared_options.hpp"

#include "algorithms/methods/parts/option_checks.hpp"

namespace hearsay::option {

const NumberOption consensus_step("consensus_step", {above_0, 2.0},
                                  "gamma: the rougher the compressor, the smaller");
const NumberOption damping("damping", {above_0, 1.0},
                           "a: the step with which the references follow the messages");
const CountOption staleness("staleness", {0}, "s: the models that are mixed are s iterations old",
                            check_staleness);
const CountOption rank("rank", {1}, "the columns of P; lgc: its rows, at most");
const TextOption order(
    "order", {{"combine-then-adapt", "adapt-then-combine", "plain", "pipelined"}},
    "whether a round mixes before or after its local steps; `adapt-then-combine` is the default if "
    "local_steps > 1. choco-sgd: whether messages travel during the gradient (`pipelined`)");
const TextOption side_information(
    "side_information", {{"none", "replica", "last", "mean"}},
    "the prediction near which receivers decode the codes of a grid, which are then sent modulo a small "
    "number: the sender's `replica`, the replica moved once more by the `last` message, or the `mean` of "
    "both; `none`: the compressor's own code. The models stay the same, bit for bit",
    check_side_information);
const TextOption memory("memory", {{"replicas", "aggregate"}},
                        "`aggregate` keeps a sum instead of the neighbors' replicas: two vectors, whatever "
                        "the degree; for links that do not change, and without digests of replicas",
                        check_replica_memory);

const TextOption optimizer(
    "optimizer", {},
    "what a local step is: `sgd`, `heavy-ball(0.9)`, `nesterov(0.9)`, `adagrad`, `adagrad-da`, `adam(0.9, "
    "0.999)`, `amsgrad`, `adamw(0.9, 0.999, 0.01)`, `novograd(0.95, 0.98, 0)` or `muon(0.95, 5)`; every "
    "peer keeps a state of its own",
    check_optimizer);
const CountOption local_steps("local_steps", {1}, "H: local steps per round, each on its own minibatch");
const TextOption worker_steps(
    "worker_steps", {.may_be_count = true},
    "H_i: the local steps of each peer with data, `\"2, 4, 8\"`; `equal`: local_steps");
const TextOption outer("outer", {},
                       "the outer optimizer, which steps by the mean of the local changes: `none(rho)`, "
                       "`heavy-ball(rho, beta)`, `nesterov(rho, beta)` or `slowmo(alpha, beta)`");
const NumberOption momentum("momentum", {0.0, below_1}, "beta");

const TextOption feedback("feedback", {},
                          "error feedback: what a sender does with the compression error of a message");
const NumberOption error_decay("error_decay", {0.0, 1.0},
                               "beta: the share of the compression error that is added to the next message");
const CountOption dense_rounds("dense_rounds", {1},
                               "rounds in full precision, before the method begins to compress",
                               check_dense_rounds);
const CountOption rounds(
    "rounds", {1},
    "R: how often a vector is compressed, each time the residual; and minibatches per gradient");
const TextOption aggregate(
    "aggregate", {{"mean", "senders-mean"}},
    "the mean of gathered coefficients: over all peers, or over those that sent the coefficient",
    check_aggregate);

const TextOption reduce(
    "reduce", {{"auto", "ring", "doubling"}},
    "how a vector is summed over all peers: round the `ring`, in the fewest bytes, or by recursive "
    "`doubling`, in the fewest steps; `auto`: `doubling` if it is sooner on the network that the run "
    "emulates");

const TextOption down_compressor("down_compressor", {},
                                 "the compressor of the hub's messages to its workers");
const TextOption memory_step("memory_step", {.may_be_count = true, .may_be_number = true},
                             "alpha: the step with which the memories follow the messages; `auto` is 1 / (2 "
                             "(1 + omega)) for the compressor's "
                             "omega, 1 for a compressor without one; 0: no memory",
                             check_memory_step);
const TextOption down_memory_step("down_memory_step", {.may_be_count = true, .may_be_number = true},
                                  "the same for the hub's messages, with the omega of down_compressor",
                                  check_down_memory_step);

}  // namespace hearsay::option
