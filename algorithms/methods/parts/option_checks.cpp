#include "algorithms/methods/parts/option_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/seam/near_compressor.hpp"
#include "algorithms/methods/parts/kept_gradients.hpp"
#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

void check_optimizer(const RunView& view, Advice& advice) {
  const std::string& optimizer = view.options[option::optimizer];
  if (optimizer == "sgd") return;
  const std::string name = optimizer.substr(0, optimizer.find('('));
  // A hub's own optimizer has one state, or equal ones, from the mean gradient.
  if (view.method.pattern.has_hub && !view.method.options.has(option::local_steps)) return;
  const std::uint64_t local_steps = most_local_steps(view.options, view.worker_count);
  const bool is_adam = name == "adam" || name == "amsgrad" || name == "adamw";
  if (local_steps > 1 && view.partition == "by-label" && is_adam)
    return advice.warn("algorithm.optimizer = " + optimizer + ": with data.partition = by-label and " +
                       std::to_string(local_steps) +
                       " local steps every peer goes as far as the others, however small its gradients are, "
                       "and the run settles far from the optimum; expected sgd, heavy-ball or nesterov");
  if (optimizer == view.method.options[option::optimizer]) return;  // the method was made for it
  advice.warn("algorithm.optimizer = " + optimizer +
              ": every peer keeps a state of its own, from its own gradients; where the peers' data differ, "
              "the models agree less, and end farther from the optimum, than with sgd");
}

void check_aggregate(const RunView& view, Advice& advice) {
  const std::string& aggregate = view.options[option::aggregate];
  if (aggregate == "senders-mean" &&
      !make_compressor<double>(view.compressor, view.segments)->sent_coefficients())
    advice.refuse(
        "algorithm.aggregate", aggregate,
        view.compressor +
            " sends no single coefficients; expected mean, or chunk-topk as the compressor, alone or "
            "after dct");
}

void warn_of_few_senders(const RunView& view, Advice& advice) {
  if (view.options[option::aggregate] != "senders-mean" || view.partition == "iid") return;
  advice.warn(
      "algorithm.aggregate = senders-mean: where the peers' data differ (data.partition = " + view.partition +
      "), what one peer alone sends moves all by its whole length, and the run may diverge; expected mean");
}

void check_side_information(const RunView& view, Advice& advice) {
  const std::string& near = view.options[option::side_information];
  if (near == "none") return;
  if (!make_near_compressor<double>(view.compressor, view.segments))
    advice.refuse("algorithm.side_information", near,
                  "it sends whole numbers of steps of one fixed grid, modulo k, and " + view.compressor +
                      " has none; expected none, or a compressor such as grid(step=0.001) or mod(k=16, "
                      "step=0.001)");
  if (near != "replica" && view.links_vary())
    advice.refuse("algorithm.side_information", near,
                  "a neighbor that was not there has not heard the last message; expected replica, or "
                  "topology.schedule = \"static\" with topology.participation = 1");
}

void check_replica_memory(const RunView& view, Advice& advice) {
  const std::string& memory = view.options[option::memory];
  if (memory != "aggregate") return;
  if (view.links_vary())
    advice.refuse("algorithm.memory", memory,
                  "it sums up what fixed neighbors say, and here they change from round to round; expected "
                  "replicas, or topology.schedule = \"static\" with topology.participation = 1");
  const std::string near = view.options.find(option::side_information).value_or("none");
  if (near != "none" && near != "replica")
    advice.refuse("algorithm.side_information", near,
                  "with algorithm.memory = aggregate a peer keeps nothing of a single neighbor; expected "
                  "replica, or algorithm.memory = \"replicas\"");
}

std::string what_is_summed_up(const MethodOptions& options) {
  if (options[option::memory] != "aggregate") return "";
  return "keeps all neighbors in one sum (algorithm.memory = \"aggregate\"), out of which none can be taken; "
         "expected algorithm.memory = \"replicas\"";
}

UnknownSizes sizes_by_side_information(const MethodOptions& options) {
  if (options[option::side_information] == "none") return {};
  return {"the values of the model", &option::side_information};
}

namespace {

void check_memory(const TextOption& row, const Traits& traits, CompressorNeed need, const RunView& view,
                  Advice& advice) {
  // Without a relative variance the compressor itself is unsound (check_compressor_need).
  if (need != CompressorNeed::unbiased || !traits.unbiased || !std::isfinite(traits.omega)) return;
  const std::string& step = view.options[row];
  const double alpha = parse_memory_step(row.name, step);
  const double most = 1.0 / (1.0 + traits.omega);
  if (alpha <= most * (1.0 + 1e-12)) return;
  const double typical = 1.0 / (1.0 + traits.omega_typical);
  if (alpha > typical)
    advice.unsound("algorithm." + row.name, step,
                   "the memories follow noise where alpha is more than 1 / (1 + omega), which is " +
                       three_digits(typical) +
                       " on Gaussian data with this compressor; expected auto, or at most that");
  else
    advice.warn("algorithm." + row.name + " = " + step +
                ": in the worst case memories settle only for at most " + three_digits(most) +
                " with this compressor");
}

}  // namespace

void check_memory_step(const RunView& view, Advice& advice) {
  check_memory(option::memory_step, view.traits_of(view.compressor), view.method.compressor, view, advice);
}

void check_down_memory_step(const RunView& view, Advice& advice) {
  check_memory(option::down_memory_step, view.traits_of(view.options[option::down_compressor]),
               view.method.down_compressor, view, advice);
}

void check_dense_rounds(const RunView& view, Advice& advice) {
  const std::uint64_t rounds = view.options[option::dense_rounds];
  if (rounds >= view.iterations)
    advice.warn("algorithm.dense_rounds = " + std::to_string(rounds) +
                ": the run ends before it compresses anything; expected fewer than " +
                std::to_string(view.iterations));
}

void check_learned_rank(const RunView& view, Advice& advice) {
  const std::uint64_t rank = view.options[option::rank];
  if (rank <= view.method.options[option::rank]) return;
  const std::uint64_t gradients =
      KeptGradients<double>::count_after(view.options[option::dense_rounds], view.worker_count);
  const std::uint64_t most = std::min<std::uint64_t>(gradients, view.dimension);
  if (rank > most)
    advice.warn(
        "algorithm.rank = " + std::to_string(rank) + ": the basis has " + std::to_string(most) +
        " directions, one for every gradient that is kept, and no more than the model has parameters; "
        "expected at most " +
        std::to_string(most));
}

}  // namespace hearsay
