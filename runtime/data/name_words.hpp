#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// Returns the words of a name of a column or an array, in lower case: "PassengerId" and "passenger_id" are
/// "passenger" and "id". "#" is a word.
std::vector<std::string> words_of_name(std::string_view name);

}  // namespace hearsay
