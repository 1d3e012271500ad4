#include "runtime/observer/loss_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace hearsay {

namespace {

constexpr double fallen_growth = 1e6;
constexpr double rounding = 1e-6;  // of the first loss: far above that of any sum of samples

std::string six_digits(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", number);
  return text.data();
}

}  // namespace

void LossRange::note_first(const std::vector<std::optional<LocalScore>>& answers) {
  std::vector<double> sizes;
  for (const std::optional<LocalScore>& answer : answers)
    if (answer && answer->has_data && std::isfinite(answer->loss)) sizes.push_back(std::abs(answer->loss));
  if (sizes.empty()) return;
  const auto median = sizes.begin() + (std::ssize(sizes) - 1) / 2;
  std::ranges::nth_element(sizes, median);
  note_first(*median);
}

void LossRange::note_first(double mean_loss) {
  if (std::isfinite(mean_loss)) first_size_ = std::max(1.0, std::abs(mean_loss));
}

std::string LossRange::defect_of(double loss) const {
  if (std::isnan(loss)) return "is no number";
  if (std::isinf(loss)) return "is infinite";
  if (least_ && loss < *least_ - rounding * first_size_)
    return "is " + six_digits(loss) + ", and a loss of this model is never below " + six_digits(*least_);
  if (!least_ && loss < -fallen_growth * first_size_)
    return "is " + six_digits(loss) + ", below zero by more than a million times its first value";
  return "";
}

std::optional<FalseLoss> LossRange::first_false(const std::vector<std::optional<LocalScore>>& answers,
                                                std::uint64_t iteration) const {
  for (std::size_t peer = 0; peer < answers.size(); ++peer) {
    if (!answers[peer] || !answers[peer]->has_data) continue;
    const double loss = answers[peer]->loss;
    const std::string defect = defect_of(loss);
    if (defect.empty()) continue;
    const std::string when = std::isfinite(loss) ? "by iteration " + std::to_string(iteration) + " " : "";
    return FalseLoss{std::isfinite(loss),
                     "the loss that peer " + std::to_string(peer) + " computes " + when + defect};
  }
  return std::nullopt;
}

}  // namespace hearsay
