#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hearsay::fuzz {

/// One of many names by a number. Names stand on a circle at their digests, and the number chooses the next
/// one: where a name is added or goes, nearly all numbers, and so nearly all kept inputs, mean what they
/// meant before.
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

  /// FNV-1a, folded to 16 bits.
  static std::uint16_t digest(const std::string& name) {
    std::uint32_t hash = 2166136261u;
    for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
    return static_cast<std::uint16_t>(hash ^ hash >> 16);
  }

 private:
  std::vector<std::pair<std::uint16_t, std::string>> places_;
};

}  // namespace hearsay::fuzz
