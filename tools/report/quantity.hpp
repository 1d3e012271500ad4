#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hearsay {

/// A value of a run file as a number.
struct Quantity {
  double value;
  std::string_view unit;  ///< "s", "bit_per_s", "share" (1 % is 0.01); empty: a number without a unit
};

/// Returns the number behind a value as it is written: "10 Mbit/s" is 1e7 bit/s, "5 ms" is 0.005 s, "16" is
/// 16. Empty if the text is no number, bandwidth, duration or share, or if it is an unlimited bandwidth.
std::optional<Quantity> read_quantity(const std::string& text);

}  // namespace hearsay
