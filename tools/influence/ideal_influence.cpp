#include "tools/influence/ideal_influence.hpp"

#include <numeric>
#include <string>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

void require_ideal(const RunSettings& settings) {
  const auto refuse = [](const std::string& what) {
    throw Misuse("--ideal: it needs a run " + what + "; expected to be called without --ideal");
  };
  if (settings.topology.peers != 1) refuse("of one peer");
  if (settings.algorithm.batch != 1) refuse("with algorithm.batch = 1");
  if (settings.algorithm.options.find(option::local_steps).value_or(1) != 1)
    refuse("with one step an iteration");
  if (settings.data.order != RunSettings::Data::Order::with_replacement)
    refuse("with data.order = \"with-replacement\"");
  if (settings.run.keep_models.every != 1) refuse("with run.keep_models = \"every 1\"");
}

std::vector<Index> drawn_samples(const RunSettings& settings, std::uint64_t count, std::uint64_t iterations) {
  std::vector<Index> drawn;
  for (std::uint64_t t = 1; t <= iterations; ++t)  // as LocalGradients draws
    drawn.push_back(
        static_cast<Index>(RandomStream(settings.run.seed, 0, t, Purpose::minibatch).below(count)));
  return drawn;
}

void add_ideal(Index drawn, std::span<const double> before, std::span<const double> after,
               std::span<const Index> rows, DenseRows<double>& on_tests) {
  const auto mean = [](std::span<const double> losses) {
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
  };
  on_tests(drawn, 0) += mean(before) - mean(after);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto row = static_cast<std::size_t>(rows[k]);
    on_tests(drawn, 1 + static_cast<Index>(k)) += before[row] - after[row];
  }
}

}  // namespace hearsay
