#include "algorithms/seam/step_size.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

const std::string key = "algorithm.step_schedule";

const std::array<Choice, 5> choices{{
    // in the order of Decay
    {"constant", "", "eta"},
    {"inverse-sqrt", "", "eta / sqrt(t)"},
    {"inverse", "(b)", "eta / (t + b); b = 0 unless given"},
    {"cosine", "(T, end)",
     "half a cosine from eta to eta times `end` within T iterations; end = 0 unless given"},
    {"multistep", "(factor, t1, t2, ...)", "eta times `factor` once more after each of these iterations"},
}};

/// A number of at least 0.
bool read(const std::string& text, double& value) { return parse_number(text, value) && value >= 0.0; }

}  // namespace

std::span<const Choice> step_schedule_choices() { return choices; }

StepSize::StepSize(double eta, const std::string& schedule, std::uint64_t warm_up)
    : eta_(eta), warm_up_(warm_up) {
  const Spelling spelling = parse_spelling(key, schedule);
  const Choice& choice = find_choice(key, spelling.name, choices);
  decay_ = static_cast<Decay>(&choice - choices.data());
  const std::vector<std::string>& arguments = spelling.arguments;
  const auto expect = [&](bool right, const std::string& what) {
    if (!right) throw Misuse(key, schedule, "expected " + choice.name + choice.arguments + what);
  };
  if (decay_ == Decay::constant || decay_ == Decay::inverse_sqrt) expect(arguments.empty(), "");
  if (decay_ == Decay::inverse)
    expect(arguments.empty() || (arguments.size() == 1 && read(arguments[0], offset_)),
           " with a number of at least 0");
  if (decay_ == Decay::cosine)
    expect((arguments.size() == 1 || arguments.size() == 2) && parse_whole(arguments[0], length_) &&
               length_ > 0 && (arguments.size() == 1 || (read(arguments[1], end_) && end_ <= 1.0)),
           " with a whole number of iterations, at least 1, and a share of eta between 0 and 1");
  if (decay_ == Decay::multistep) {
    bool right = arguments.size() >= 2 && read(arguments[0], factor_) && factor_ > 0.0;
    for (std::size_t k = 1; right && k < arguments.size(); ++k) {
      std::uint64_t milestone = 0;
      right = parse_whole(arguments[k], milestone) && milestone > (k > 1 ? milestones_.back() : 0);
      milestones_.push_back(milestone);
    }
    expect(right, " with a factor greater than 0 and ascending iterations, at least 1");
  }
}

double StepSize::at(std::uint64_t iteration) const {
  const auto t = static_cast<double>(iteration);
  double eta = eta_;
  if (decay_ == Decay::inverse_sqrt) eta /= std::sqrt(t);
  if (decay_ == Decay::inverse) eta /= t + offset_;
  if (decay_ == Decay::cosine) {
    const double done = iteration > length_ ? 1.0 : (t - 1.0) / static_cast<double>(length_);
    eta *= end_ + (1.0 - end_) * (1.0 + std::cos(std::numbers::pi * done)) / 2.0;
  }
  if (decay_ == Decay::multistep)
    for (const std::uint64_t milestone : milestones_)
      if (iteration > milestone) eta *= factor_;
  if (iteration < warm_up_) eta *= t / static_cast<double>(warm_up_);
  return eta;
}

}  // namespace hearsay
