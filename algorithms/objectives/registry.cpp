#include "algorithms/objectives/registry.hpp"

#include <array>
#include <cmath>
#include <cstdint>

#include "algorithms/objectives/least_squares.hpp"
#include "algorithms/objectives/lenet.hpp"
#include "algorithms/objectives/logistic.hpp"
#include "algorithms/objectives/mlp.hpp"
#include "algorithms/objectives/quadratic.hpp"
#include "algorithms/objectives/softmax.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

const std::string model_key = "model.kind";

ModelInfo program_info() {
  return {.name = "program",
          .description = "any model, computed by a program of yours, such as one with PyTorch",
          .parameters = "as the program says",
          .examples = {},
          .make = ProgramModel{}};
}

/// Reads "size(7e9)".
ModelShape read_size(const std::string& text, std::vector<std::string> arguments) {
  constexpr double largest = 1e13;
  double size = 0.0;
  if (arguments.size() != 1 || !parse_number(arguments.front(), size) || size < 1.0 || size > largest ||
      size != std::floor(size))
    throw Misuse(model_key, text, "expected a number of parameters from 1 to 1e13, such as size(7e9)");
  return {.sizes = {static_cast<Index>(size)}};
}

ModelInfo size_info() {
  return {
      .name = "size",
      .arguments = "(d)",
      .description = "no model, only its size: `hearsay simulate` computes times and bytes, without training",
      .parameters = "d",
      .examples = {},
      .read = read_size,
      .make = SizeModel{}};
}

}  // namespace

std::span<const ModelInfo> models() {
  static const std::array all = {logistic_info(), softmax_info(),   least_squares_info(), mlp_info(),
                                 lenet_info(),    quadratic_info(), program_info(),       size_info()};
  return all;
}

std::span<const Choice> model_choices() {
  static const std::vector<Choice> choices = [] {
    std::vector<Choice> all;
    for (const ModelInfo& model : models())
      all.push_back(
          {model.name, model.arguments,
           model.description + (model.has_intercept ? "" : "; d = " + model.parameters + ", no intercept")});
    return all;
  }();
  return choices;
}

Model parse_model(const std::string& text) {
  Spelling spelling = parse_spelling(model_key, text);
  const Choice& choice = find_choice(model_key, spelling.name, model_choices());
  const ModelInfo& info = models()[static_cast<std::size_t>(&choice - model_choices().data())];
  if (info.read) return {&info, info.read(text, std::move(spelling.arguments))};
  if (!spelling.arguments.empty()) throw Misuse(model_key, text, info.name + " takes no arguments");
  return {&info, {}};
}

std::vector<Index> model_sizes(const std::string& text, const std::vector<std::string>& arguments) {
  std::vector<Index> sizes;
  for (const std::string& argument : arguments) {
    std::uint64_t size = 0;
    if (!parse_whole(argument, size) || size < 1 || size > static_cast<std::uint64_t>(largest_dimension))
      throw Misuse(model_key, text,
                   argument + " is not a whole number from 1 to " + std::to_string(largest_dimension));
    sizes.push_back(static_cast<Index>(size));
  }
  return sizes;
}

}  // namespace hearsay
