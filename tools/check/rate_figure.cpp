#include "tools/check/rate_figure.hpp"

#include <string>
#include <vector>

#include "runtime/experiment/problem_of.hpp"
#include "runtime/record/or_null.hpp"
#include "tools/training/scalar_dispatch.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// Returns the settings with nothing in them that the gradients at the initial model do not depend on.
RunSettings without_the_rest(const RunSettings& settings) {
  RunSettings kept;
  kept.run.seed = settings.run.seed;
  kept.run.scalar = settings.run.scalar;
  kept.data = settings.data;
  kept.model = settings.model;
  kept.topology = settings.topology;
  kept.algorithm.kind = settings.algorithm.kind;
  kept.algorithm.batch = settings.algorithm.batch;
  return kept;
}

}  // namespace

nlohmann::ordered_json RateFigure::of(const RunSettings& settings) {
  const std::string& compressor = settings.algorithm.compressor;
  if (compressor.empty() || compressor == "none" || has_programs(settings) ||
      settings.data.partition == "home")
    return nullptr;
  return with_scalar(settings.run.scalar, [&]<class Scalar>() -> nlohmann::ordered_json {
    auto& known = std::get<std::optional<Known<Scalar>>>(known_);
    const RunSettings key = without_the_rest(settings);
    if (!known || !(known->settings == key)) {
      known = {key, std::nullopt, nullptr};
      try {
        std::vector<std::string> unheard;
        const auto problem = problem_of<Scalar>(settings_of_workers(settings), {}, unheard);
        known->gradients = peer_gradients(settings, problem);
        if (known->gradients) known->curves = rate_curves(*known->gradients);
      } catch (const Misuse&) {
        // The data are on another machine, or gone. The record can be shown without them.
      }
    }
    if (!known->gradients) return nullptr;
    const auto line = rate_line(settings, *known->gradients);
    if (!line) return nullptr;
    nlohmann::ordered_json figure = json_of(line);
    figure["worst_error"] = or_null(line->worst_error);
    figure["most_bits"] = line->most_bits;
    figure["curves"] = known->curves;
    return figure;
  });
}

}  // namespace hearsay
