#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hearsay::fuzz {

/// Chooses one of many names by a number. The names stand on a circle at their digests, and a number chooses
/// the next name from it on. So if a name is added or removed, nearly all numbers, and nearly all kept
/// inputs, keep their meaning.
class Circle {
 public:
  explicit Circle(const std::vector<std::string>& names) {
    for (const std::string& name : names) places_.push_back({digest(name), name});
    std::sort(places_.begin(), places_.end());
  }

  const std::string& choose(std::uint16_t number) const {
    const auto next = std::lower_bound(places_.begin(), places_.end(), std::pair(number, std::string()));
    return (next == places_.end() ? places_.front() : *next).second;
  }

  /// Returns FNV-1a of the name, folded to 16 bits.
  static std::uint16_t digest(const std::string& name) {
    std::uint32_t hash = 2166136261u;
    for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
    return static_cast<std::uint16_t>(hash ^ hash >> 16);
  }

 private:
  std::vector<std::pair<std::uint16_t, std::string>> places_;
};

}  // namespace hearsay::fuzz
