#include "tools/report/quantity.hpp"

#include "runtime/foundation/units.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

std::optional<Quantity> read_quantity(const std::string& text) {
  std::size_t length = 0;
  try {
    const double number = std::stod(text, &length);
    if (length == text.size()) return Quantity{number, ""};
  } catch (const std::exception&) {
    return std::nullopt;
  }
  try {
    return Quantity{seconds(parse_duration("", text)), "s"};
  } catch (const Misuse&) {
  }
  try {
    if (const Bandwidth bandwidth = parse_bandwidth("", text); !bandwidth.unlimited())
      return Quantity{8.0 * bandwidth.bytes_per_s, "bit_per_s"};
  } catch (const Misuse&) {
  }
  try {
    return Quantity{parse_share("", text), "share"};
  } catch (const Misuse&) {
    return std::nullopt;
  }
}

}  // namespace hearsay
