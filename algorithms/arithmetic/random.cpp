#include "algorithms/arithmetic/random.hpp"

#include <cmath>
#include <numbers>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::uint32_t element_bits(ElementKey key, std::uint32_t index) {
  std::uint32_t hash = (index ^ key.a) * 0x9E3779B1u;
  hash ^= hash >> 16;
  hash ^= key.b;
  hash *= 0x85EBCA6Bu;
  hash ^= hash >> 15;
  return hash;
}

RandomStream::RandomStream(std::uint64_t seed, PeerId peer, std::uint64_t iteration, Purpose purpose)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {
  // One Philox call folds (peer, iteration, purpose) into a key. After that the whole counter is free.
  const auto folded =
      philox({peer, static_cast<std::uint32_t>(purpose), static_cast<std::uint32_t>(iteration),
              static_cast<std::uint32_t>(iteration >> 32)},
             key_);
  key_ = {folded[0], folded[1]};
  counter_ = {0, 0, folded[2], folded[3]};
}

std::uint32_t RandomStream::bits() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t RandomStream::bits64() {
  const std::uint64_t high = bits();
  return high << 32 | bits();
}

double RandomStream::uniform() {
  const std::uint64_t high = bits() >> 5;
  const std::uint64_t low = bits() >> 6;
  return static_cast<double>(high << 26 | low) * 0x1p-53;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  ensure(bound >= 1, "a random integer below 0 was asked for");
  // Reject the incomplete last cycle of `bound` in 2^64.
  const std::uint64_t rejected = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t draw = bits64();
    if (draw >= rejected) return draw % bound;
  }
}

double RandomStream::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

ElementKey RandomStream::element_key() {
  const std::uint32_t a = bits();
  return {a, bits()};
}

}  // namespace hearsay
