#pragma once

#include <cstdint>
#include <string>

namespace hearsay {

// Numbers as people read them. Numbers that are not finite become "-".

/// Returns `digits` significant digits as printf's %g does, with an exponent below 1e-4 and from 10^digits
/// on: "0.0312", "12.4", "1.2e-07".
std::string significant(double value, int digits = 4);
std::string fixed(double value, int decimals);
std::string seconds_text(double seconds);   ///< "3.21 s", "12.5 ms", "2 min 05 s", "3 h 12 min"
std::string megabytes_text(double bytes);   ///< in units of 10^6 bytes: "3.20 MB"
std::string grouped(std::uint64_t number);  ///< "1,234,567"
/// " (1,024 test samples)": what a loss or an accuracy is of; empty if `count` is 0, of no samples.
std::string samples_text(std::uint64_t count, const std::string& which);
std::string counted(std::uint64_t number, const std::string& singular);  ///< "1 peer", "8 peers"

}  // namespace hearsay
