#include "algorithms/methods/parts/feedback.hpp"

#include <array>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

const std::string feedback_key = "algorithm.feedback";

const std::array<Choice, 5> known_feedbacks = {{
    {"auto", "", "none with an unbiased compressor, else ef"},
    {"none", "", "the compression error is discarded: for unbiased compressors"},
    {"ef", "", "error feedback: what was not sent is added to the next gradient"},
    {"low-pass", "(0.1)", "a share of the error is added to the memory (ScaleCom); 1 is ef"},
    {"dgd-def", "", "ef, the gradient taken where the model would be without compression (DGD-DEF)"},
}};

}  // namespace

FeedbackRule FeedbackRule::parse(const std::string& text) {
  const Spelling spelling = parse_spelling(feedback_key, text);
  const Choice& choice = find_choice(feedback_key, spelling.name, known_feedbacks);
  if (choice.name == "auto")
    throw Misuse(feedback_key, text, "expected the feedback itself: none, ef, low-pass, dgd-def");
  if (choice.name != "low-pass") {
    if (!spelling.arguments.empty()) throw Misuse(feedback_key, text, choice.name + " takes no arguments");
    return {.low_pass = choice.name == "none" ? 0.0 : 1.0, .gradient_at_ahead = choice.name == "dgd-def"};
  }
  FeedbackRule rule;
  if (spelling.arguments.size() != 1 || !parse_number(spelling.arguments.front(), rule.low_pass) ||
      !(rule.low_pass > 0.0 && rule.low_pass <= 1.0))
    throw Misuse(feedback_key, text,
                 "expected low-pass(beta) with beta above 0 and at most 1, such as low-pass(0.1)");
  return rule;
}

std::string FeedbackRule::spelling() const {
  if (!remembers()) return "none";
  if (gradient_at_ahead) return "dgd-def";
  return low_pass == 1.0 ? "ef" : "low-pass(" + number_text(low_pass) + ")";
}

std::span<const Choice> feedback_choices() { return known_feedbacks; }

std::string resolved_feedback(const std::string& text, const Traits& compressor) {
  if (text == "auto") return compressor.unbiased ? "none" : "ef";
  return FeedbackRule::parse(text).spelling();
}

}  // namespace hearsay
