#include "algorithms/methods/parts/epoch_plan.hpp"

#include <algorithm>
#include <cmath>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {
/// No run has more iterations. The length of a much longer epoch would not fit an integer.
constexpr double longest_epoch = 1e15;
/// The largest k up to which c(k) = k is added up: 8e14 rounds, more than a run takes. The sum over the
/// longest epoch would not fit an integer.
constexpr std::uint64_t longest_climb = 40'000'000;
}  // namespace

ConsensusRule ConsensusRule::parse(const std::string& text) {
  const auto refuse = [&]() -> std::uint64_t {
    throw Misuse("algorithm.consensus", text,
                 "expected a number of gossip rounds from 1 to " + std::to_string(most_consensus_rounds) +
                     ", \"k\", or \"min(k, 20)\"");
  };
  const auto count = [&](const std::string& digits) {
    std::uint64_t value = 0;
    return parse_whole(digits, value) && value >= 1 && value <= most_consensus_rounds ? value : refuse();
  };
  ConsensusRule rule;
  if (text == "k") return rule;
  if (!text.starts_with("min")) {
    rule.grows_ = false;
    rule.most_ = count(text);
    return rule;
  }
  const Spelling spelling = parse_spelling("algorithm.consensus", text);
  if (spelling.name != "min" || spelling.arguments.size() != 2 || spelling.arguments[0] != "k") refuse();
  rule.most_ = count(spelling.arguments[1]);
  return rule;
}

std::uint64_t ConsensusRule::rounds(std::uint64_t k) const {
  if (!grows_) return *most_;
  return most_ ? std::min(k, *most_) : k;
}

std::uint64_t ConsensusRule::rounds_up_to(std::uint64_t k) const {
  if (!grows_) return k * *most_;
  const std::uint64_t growing = std::min(k, most_.value_or(longest_climb));
  return growing * (growing + 1) / 2 + (k - growing) * most_.value_or(0);
}

EpochPlan::EpochPlan(std::uint64_t first_length, double growth, ConsensusRule consensus)
    : first_length_(first_length), growth_(growth), consensus_(consensus) {
  if (growth != 1.0 && !(growth >= least_growth))
    throw Misuse("algorithm.inner_growth", number_text(growth),
                 "expected 1, for epochs all of one length, or at least " + number_text(least_growth));
}

std::uint64_t EpochPlan::length(std::uint64_t epoch) const {
  const double length = std::pow(growth_, static_cast<double>(epoch)) * static_cast<double>(first_length_);
  return static_cast<std::uint64_t>(std::ceil(std::min(length, longest_epoch)));
}

EpochPlan::Position EpochPlan::at(std::uint64_t iteration) const {
  if (growth_ == 1.0) {  // all epochs of one length
    const std::uint64_t passed = (iteration - 1) / first_length_;
    const std::uint64_t k = iteration - passed * first_length_;
    const std::uint64_t rounds = passed * consensus_.rounds_up_to(first_length_);
    return {k, first_length_, passed == 0 ? 0 : first_length_, consensus_.rounds(k),
            rounds + consensus_.rounds_up_to(k - 1)};
  }
  if (iteration <= last_.iterations_before) last_ = {};
  if (last_.length == 0) last_.length = length(last_.number);
  while (iteration - last_.iterations_before > last_.length) {
    last_.iterations_before += last_.length;
    last_.rounds_before += consensus_.rounds_up_to(last_.length);
    last_.previous_length = last_.length;
    last_.length = length(++last_.number);
  }
  const std::uint64_t k = iteration - last_.iterations_before;
  return {k, last_.length, last_.previous_length, consensus_.rounds(k),
          last_.rounds_before + consensus_.rounds_up_to(k - 1)};
}

}  // namespace hearsay
