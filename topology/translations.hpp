#pragma once

#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The commutative group Z_m1 x Z_m2 x ...: a peer's id is written in these mixed radices, last digit
/// fastest.
/// A ring is mapped to itself by the translations of Z_n, a torus by those of Z_rows x Z_columns, a hypercube
/// by those of Z_2 x ... x Z_2: it looks the same from every peer.
using Moduli = std::vector<PeerId>;

/// a + b in the group: digit by digit, each modulo its radix.
PeerId shifted(PeerId a, PeerId b, const Moduli& moduli);

/// Returns the groups with n elements that are worth a try: Z_n, Z_2 x ... x Z_2, and all Z_rows x Z_columns.
std::vector<Moduli> groups_of_size(PeerId n);

}  // namespace hearsay
