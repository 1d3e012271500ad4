#include "runtime/settings/sweep_folders.hpp"

#include <algorithm>
#include <cstddef>

namespace hearsay {

std::string slug(const std::string& text) {
  constexpr std::size_t longest = 100;
  std::string result;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (upper)
      result += static_cast<char>(c - 'A' + 'a');
    else if (kept)
      result += c;
    else if (!result.empty() && result.back() != '-')
      result += '-';
  }
  result.resize(std::min(result.size(), longest));
  while (!result.empty() && (result.back() == '-' || result.back() == '.')) result.pop_back();
  result.erase(0, result.find_first_not_of('.'));
  return result.empty() ? "x" : result;
}

std::filesystem::path SweepFolders::take(const std::filesystem::path& wanted) {
  std::filesystem::path folder = wanted;
  for (std::size_t number = 2; !taken_.insert(folder).second; ++number)
    folder = wanted.string() + "-" + std::to_string(number);
  return folder;
}

}  // namespace hearsay
