#include "topology/translations.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hearsay {

PeerId shifted(PeerId a, PeerId b, const Moduli& moduli) {
  PeerId sum = 0;
  PeerId place = 1;
  for (std::size_t t = moduli.size(); t-- > 0;) {
    const PeerId m = moduli[t];
    sum += static_cast<PeerId>((std::uint64_t{a % m} + b % m) % m) * place;
    place *= m;
    a /= m;
    b /= m;
  }
  return sum;
}

std::vector<Moduli> groups_of_size(PeerId n) {
  std::vector<Moduli> groups{{n}};
  if (std::has_single_bit(n)) groups.emplace_back(std::bit_width(n) - 1, 2);
  for (PeerId rows = 2; rows <= n / 2; ++rows)
    if (n % rows == 0) groups.push_back({rows, n / rows});
  return groups;
}

}  // namespace hearsay
