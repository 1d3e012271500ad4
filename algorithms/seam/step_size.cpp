#include "algorithms/seam/step_size.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {
const std::array<std::string, 3> names = {"constant", "inverse-sqrt", "inverse"};  // in the order of Decay
}

std::span<const std::string> step_schedule_names() { return names; }

StepSize::StepSize(double eta, const std::string& schedule, std::uint64_t warm_up)
    : eta_(eta), warm_up_(warm_up) {
  const auto found = std::find(names.begin(), names.end(), schedule);
  if (found == names.end())
    throw Misuse("algorithm.step_schedule", schedule, "expected constant, inverse-sqrt or inverse");
  decay_ = static_cast<Decay>(found - names.begin());
}

double StepSize::at(std::uint64_t iteration) const {
  const auto t = static_cast<double>(iteration);
  double eta = eta_;
  if (decay_ == Decay::inverse_sqrt) eta /= std::sqrt(t);
  if (decay_ == Decay::inverse) eta /= t;
  if (iteration < warm_up_) eta *= t / static_cast<double>(warm_up_);
  return eta;
}

}  // namespace hearsay
