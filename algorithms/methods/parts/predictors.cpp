#include "algorithms/methods/parts/predictors.hpp"

#include <string_view>
#include <vector>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

std::array<bool, predictor_count> parse_predictors(const std::string& text) {
  static const std::vector<Choice> choices = {{"hold", "", "the model itself"},
                                              {"last", "", "the last change once more"},
                                              {"mean3", "", "the mean of the last three changes"},
                                              {"ema", "", "the moving mean of all changes"}};
  std::array<bool, predictor_count> named = {};
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view entry = trimmed(rest.substr(0, comma));
    if (entry.empty())
      throw Misuse(
          "algorithm.predictors", "\"" + text + "\"",
          "expected some of hold, last, mean3 and ema, with a comma between two, as in \"hold, last\"");
    const Choice& choice = find_choice("algorithm.predictors", entry, choices);
    named[static_cast<std::size_t>(&choice - choices.data())] = true;
    if (comma == rest.npos) return named;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace hearsay
