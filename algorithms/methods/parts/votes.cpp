#include "algorithms/methods/parts/votes.hpp"

#include <algorithm>
#include <cmath>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::size_t bits_in_byte = 8;
constexpr std::size_t trits_in_byte = 5;
constexpr unsigned trit_states = 243;  // 3^5

std::size_t votes_in_byte(VoteForm form) { return form == VoteForm::binary ? bits_in_byte : trits_in_byte; }

/// Returns the digit of a vote, v + 1, or its bit.
unsigned drawn(VoteForm form, double weight, double uniform) {
  if (form == VoteForm::binary) return uniform < (1.0 + weight) / 2.0 ? 1 : 0;
  if (!(uniform < std::abs(weight))) return 1;
  return weight > 0.0 ? 2 : 0;
}

}  // namespace

VoteForm vote_form(const std::string& text) {
  ensure(text == "binary" || text == "ternary", "the key of options knows two forms of votes");
  return text == "binary" ? VoteForm::binary : VoteForm::ternary;
}

std::size_t votes_bytes(VoteForm form, Index dimension) {
  const std::size_t in_byte = votes_in_byte(form);
  return (static_cast<std::size_t>(dimension) + in_byte - 1) / in_byte;
}

template <class Scalar>
CodecStatus cast_votes(VoteForm form, const Vector<Scalar>& weights, RandomStream& random,
                       PacketBuffer& out) {
  const std::span<std::byte> bytes = out.resize(votes_bytes(form, weights.size()));
  const unsigned base = form == VoteForm::binary ? 2 : 3;
  bool finite = true;
  Index k = 0;
  for (std::byte& byte : bytes) {
    const Index end = std::min(weights.size(), k + static_cast<Index>(votes_in_byte(form)));
    unsigned value = 0;
    for (unsigned place = 1; k < end; ++k, place *= base) {
      const auto weight = static_cast<double>(weights[k]);
      finite = finite && std::isfinite(weight);
      value += place * drawn(form, weight, random.uniform());
    }
    byte = static_cast<std::byte>(value);
  }
  return finite ? CodecStatus::ok : CodecStatus::not_finite;
}

bool are_votes(VoteForm form, std::span<const std::byte> message, Index dimension) {
  if (message.size() != votes_bytes(form, dimension)) return false;
  if (message.empty()) return true;
  const std::size_t in_last =
      static_cast<std::size_t>(dimension) - votes_in_byte(form) * (message.size() - 1);
  unsigned states_of_last = 1;
  for (std::size_t k = 0; k < in_last; ++k) states_of_last *= form == VoteForm::binary ? 2 : 3;
  if (std::to_integer<unsigned>(message.back()) >= states_of_last) return false;
  return form == VoteForm::binary || std::ranges::all_of(message, [](std::byte byte) {
           return std::to_integer<unsigned>(byte) < trit_states;
         });
}

#define HEARSAY_VOTES(Scalar) \
  template CodecStatus cast_votes<Scalar>(VoteForm, const Vector<Scalar>&, RandomStream&, PacketBuffer&);
HEARSAY_VOTES(float)
HEARSAY_VOTES(double)
#undef HEARSAY_VOTES

}  // namespace hearsay
