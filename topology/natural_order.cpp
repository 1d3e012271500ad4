#include "topology/natural_order.hpp"

#include <algorithm>
#include <string_view>

namespace hearsay {
namespace {

bool is_digit(char letter) { return '0' <= letter && letter <= '9'; }

/// The digits with which `text` begins, without leading zeros.
std::string_view leading_number(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  const std::string_view digits = text.substr(0, end);
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

}  // namespace

bool naturally_before(const std::string& left, const std::string& right) {
  std::string_view a = left;
  std::string_view b = right;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const std::string_view x = leading_number(a);
      const std::string_view y = leading_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      a.remove_prefix(static_cast<std::size_t>(x.data() + x.size() - a.data()));
      b.remove_prefix(static_cast<std::size_t>(y.data() + y.size() - b.data()));
    } else {
      if (a[0] != b[0]) return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() && b.empty()) return left < right;
  return a.empty();
}

}  // namespace hearsay
