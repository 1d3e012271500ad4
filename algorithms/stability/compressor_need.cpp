#include "algorithms/stability/compressor_need.hpp"

#include <cmath>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/feedback.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/stability/dcd_limit.hpp"
#include "algorithms/stability/schedule_dcd_limit.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// A compressor of a run, and who sends by it.
struct Sent {
  std::string key = "algorithm.compressor";
  std::string compressor;
  Traits traits;
  CompressorNeed need;
  std::string senders;  ///< "artemis's workers"
  bool senders_are_many = false;
};

/// What becomes of an error that does not shrink, in the words of `require_contraction`.
struct Fate {
  std::string promise_of;     ///< of what nothing is promised
  std::string watched;        ///< "the loss"
  std::string of_long_error;  ///< what happens where an error is 1 or more
  std::string other_remedy = {};
};

class NeedCheck {
 public:
  NeedCheck(const RunView& view, Advice& advice) : view_(view), advice_(advice), method_(view.method) {}

  std::optional<double> run() {
    const Traits traits = view_.traits_of(view_.compressor);
    check_leader();
    check_size(traits);
    const Sent sent{.compressor = view_.compressor,
                    .traits = traits,
                    .need = method_.compressor,
                    .senders = method_.name,
                    .senders_are_many = false};
    if (!method_.pattern.has_hub) {
      check_gossip(sent);
      return omega_limit_;
    }
    Sent up = sent;
    up.senders = method_.name + "'s workers";
    up.senders_are_many = true;
    check_hub(up);
    if (!view_.options.has(option::down_compressor)) return {};
    const std::string& down = view_.options[option::down_compressor];
    check_hub({.key = "algorithm.down_compressor",
               .compressor = down,
               .traits = view_.traits_of(down),
               .need = method_.down_compressor,
               .senders = method_.name + "'s hub",
               .senders_are_many = false});
    return {};
  }

 private:
  void check_leader() const {
    if (!method_.pattern.has_leader &&
        make_compressor<double>(view_.compressor, view_.segments)->shared_selection())
      advice_.refuse("algorithm.compressor", view_.compressor,
                     "it needs a common leader, which " + method_.name +
                         " has not; expected topk, or algorithm.kind = \"qsgd-allreduce\"");
  }

  /// Says nothing if the size depends on the data: the bound says little, and `hearsay check` measures it.
  void check_size(const Traits& traits) {
    if (view_.compressor == "none" || traits.data_dependent_size ||
        traits.bytes < view_.dimension * view_.scalar_bytes)
      return;
    advice_.warn(no_shorter_than_none(
        view_.compressor, 8.0 * static_cast<double>(traits.bytes) / static_cast<double>(view_.dimension),
        8 * view_.scalar_bytes));
  }

  void check_gossip(const Sent& sent) {
    const Traits& traits = sent.traits;
    switch (sent.need) {
      case CompressorNeed::none:
        return require_none(sent);
      case CompressorNeed::any:
        if (sent.compressor != "none")
          advice_.warn(method_.name + " with " + sent.compressor +
                       ": the error of compressed models never vanishes; a negative control, expect a floor");
        return;
      case CompressorNeed::unbiased:
        return check_relative(traits);
      case CompressorNeed::absolute:
        if (!traits.unbiased || !traits.absolute_error_per_coordinate)
          refuse_unfit(sent, "an unbiased compressor whose error");
        return;
      case CompressorNeed::bounded:
        if (!traits.absolute_error_per_coordinate) refuse_unfit(sent, "a compressor whose error");
        return;
      case CompressorNeed::contracting:
        return require_contraction(sent, of_differences());
      case CompressorNeed::damped:
        if (!traits.unbiased) require_contraction(sent, of_differences());
        return;
      case CompressorNeed::corrected:
        return check_corrected(sent);
    }
  }

  void check_hub(const Sent& sent) {
    const Traits& traits = sent.traits;
    const std::string needs = sent.senders + (sent.senders_are_many ? " need" : " needs");
    if (sent.need == CompressorNeed::none) require_none(sent);
    if (sent.need == CompressorNeed::unbiased && !(traits.unbiased && std::isfinite(traits.omega)))
      advice_.unsound(sent.key, sent.compressor,
                      traits.unbiased
                          ? "its relative variance is not bounded, and the steps of " + method_.name +
                                " shrink; expected dither(linf, levels=7, bucket=512), or another with a "
                                "relative error"
                          : needs +
                                " an unbiased compressor, such as dither(linf, levels=7, bucket=512): a "
                                "bias moves the limit");
    // The error of a hub's workers may be relative, too.
    if (sent.need == CompressorNeed::absolute && !traits.unbiased)
      advice_.unsound(
          sent.key, sent.compressor,
          needs + " an unbiased compressor, such as grid(0.01) | entropy: a bias moves the limit");
    if (sent.need == CompressorNeed::contracting)
      require_contraction(sent, {.promise_of = method_.name,
                                 .watched = "the loss",
                                 .of_long_error = "with 1 or more the error that is sent later piles up"});
  }

  void require_none(const Sent& sent) const {
    if (sent.compressor == "none") return;
    const bool has_hub = method_.pattern.has_hub;
    advice_.refuse(sent.key, sent.compressor,
                   sent.senders + (sent.senders_are_many ? " send" : " sends") + " full precision; " +
                       (has_hub ? "expected" : "use") + " none, or another method");
  }

  void refuse_unfit(const Sent& sent, const std::string& needed) {
    advice_.unsound(sent.key, sent.compressor,
                    method_.name + " needs " + needed + " does not grow with what it compresses, such as " +
                        method_.default_compressor);
  }

  /// What a message leaves out stays in the difference to the replica.
  Fate of_differences() const {
    return {.promise_of = method_.name,
            .watched = "the consensus distance",
            .of_long_error = method_.name + ", at any consensus step, diverges where that is 1 or more"};
  }

  /// The rule on compressors whose error is sent later: it has to shrink, or not to grow with what is
  /// compressed.
  void require_contraction(const Sent& sent, const Fate& fate) {
    const Traits& traits = sent.traits;
    if (traits.contraction || traits.absolute_error_per_coordinate) return;
    const std::string on_gaussian_data = three_digits(traits.omega_typical) + " on Gaussian data, ";
    if (!traits.unbiased)
      advice_.warn(sent.compressor + ": how far it contracts depends on the data" + contraction_text(sent) +
                   ", so nothing is promised of " + fate.promise_of + " with it; watch " + fate.watched);
    else if (traits.omega_typical >= 1.0)
      advice_.unsound(sent.key, sent.compressor,
                      "its relative variance is " + on_gaussian_data + "and " + fate.of_long_error +
                          "; expected scale{" + sent.compressor + "}" + fate.other_remedy);
    else if (traits.omega >= 1.0)
      advice_.warn(sent.compressor + ": relative variance " + on_gaussian_data + "but up to " +
                   three_digits(traits.omega) + " in the worst case, and " + fate.of_long_error +
                   "; scale{...} rules it out");
  }

  /// Returns the text " (by 0.1 on the first gradient)"; empty if that is not known. A hub's answers are no
  /// gradients.
  std::string contraction_text(const Sent& sent) const {
    if (method_.pattern.has_hub && sent.key != "algorithm.compressor") return "";
    const std::optional<double> found = view_.contraction_at_the_start();
    return found ? " (by " + three_digits(*found) + " on the first gradient)" : "";
  }

  void check_corrected(const Sent& sent) {
    const std::optional<std::string> feedback = view_.options.find(option::feedback);
    const std::optional<double> decay = view_.options.find(option::error_decay);
    if (feedback && !FeedbackRule::parse(*feedback).remembers()) {
      if (!sent.traits.unbiased)
        advice_.unsound(
            "algorithm.feedback", *feedback,
            sent.compressor +
                " is biased, and without feedback its error is never made up for; expected \"ef\"");
      return;
    }
    // If a biased compressor's error is no longer than the vector, a memory that decays is bounded.
    if (!sent.traits.unbiased && decay && *decay < 1.0) return;
    const std::string memory =
        feedback ? "feedback " + *feedback : "error_decay = " + number_text(decay.value_or(1.0));
    require_contraction(sent, {.promise_of = memory,
                               .watched = "the loss",
                               .of_long_error = "with " + memory + " an error of 1 or more piles up",
                               .other_remedy = feedback ? ", or feedback = \"none\"" : ""});
  }

  void check_relative(const Traits& traits) {
    const std::string& compressor = view_.compressor;
    if (!traits.unbiased)
      return advice_.unsound(
          "algorithm.compressor", compressor,
          method_.name + " needs an unbiased compressor, such as dither(linf, bits=8, bucket=512)");
    if (view_.peer_count() == 1) return;
    if (view_.options.find(option::side_information).value_or("none") != "none")
      return advice_.warn(compressor + ": its error does not shrink with the differences that " +
                          method_.name +
                          " compresses, so the models end at a distance from the optimum that the step of "
                          "the grid decides");
    const bool fixed = !view_.links_vary();
    const auto of_mixing = fixed ? DcdLimit::of(view_.mixing) : std::optional<DcdLimit>();
    if (of_mixing) omega_limit_ = of_mixing->omega();
    if (!fixed) omega_limit_ = dcd_omega_limit(view_.schedule);
    if (!std::isfinite(traits.omega))
      return advice_.unsound(
          "algorithm.compressor", compressor,
          "its error does not shrink with the differences that " + method_.name +
              " compresses, however small they become; expected algorithm.kind = \"ecd-psgd\", which "
              "wants such a one, or dither(linf, bits=8, bucket=512)");
    if (!omega_limit_)
      return advice_.warn("how much relative variance " + method_.name + " tolerates is not " +
                          why_no_limit(fixed) + "; " + compressor + " has " +
                          three_digits(traits.omega_typical) + " on Gaussian data");
    if (traits.omega >= *omega_limit_) refuse_variance(traits, of_mixing);
  }

  std::string why_no_limit(bool fixed) const {
    if (fixed) return "computed for more than 128 peers on such a topology";
    return "predicted under the schedule " + view_.schedule.name() +
           (view_.schedule.repeats_in_order() ? ", which has too many rounds or mixes too slowly"
                                              : ", whose order is drawn anew");
  }

  void refuse_variance(const Traits& traits, const std::optional<DcdLimit>& of_mixing) {
    const std::string here = view_.links_vary() ? " under this schedule" : " on this topology";
    const double limit = *omega_limit_;
    const bool typical = traits.omega_typical >= limit;
    const std::string tolerates = method_.name + " tolerates less than " + three_digits(limit) + here;
    std::string remedy = "; take more bits or smaller buckets";
    const double omega = typical ? traits.omega_typical : traits.omega;
    // Peers that hardly listen tolerate anything, so a larger self weight is no remedy.
    if (const double self_weight = of_mixing ? of_mixing->self_weight_for(omega) : 1.0; self_weight < 0.95)
      remedy += ", or lazier weights: self weights of at least " + three_digits(self_weight) +
                " tolerate it (weights = \"lazy\" tolerates less than " +
                three_digits(of_mixing->omega(0.5)) + ")";
    if (typical)
      advice_.unsound("algorithm.compressor", view_.compressor,
                      "its relative variance is " + three_digits(traits.omega_typical) +
                          " on Gaussian data, and " + tolerates + remedy);
    else
      advice_.warn(view_.compressor + ": relative variance " + three_digits(traits.omega_typical) +
                   " on Gaussian data, but up to " + three_digits(traits.omega) + " in the worst case; " +
                   tolerates + remedy);
  }

  const RunView& view_;
  Advice& advice_;
  const MethodInfo& method_;
  std::optional<double> omega_limit_;
};

}  // namespace

std::optional<double> check_compressor_need(const RunView& view, Advice& advice) {
  return NeedCheck(view, advice).run();
}

std::string no_shorter_than_none(const std::string& compressor, double bits_per_coordinate,
                                 std::size_t bits_of_none) {
  return compressor + " takes " + three_digits(bits_per_coordinate) +
         " bits per coordinate, and none takes " + std::to_string(bits_of_none) + " and loses nothing";
}

}  // namespace hearsay
