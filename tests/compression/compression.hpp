#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/registry.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "tests/support/compressor_spellings.hpp"

namespace hearsay::test {

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> build(const std::string& spelling, std::size_t dimension) {
  return make_compressor<Scalar>(spelling, layers(dimension));
}

template <class Scalar>
std::vector<Scalar> gaussian(std::size_t n, std::uint64_t seed) {
  RandomStream random(seed, 0, 0, Purpose::data);
  std::vector<Scalar> x(n);
  for (Scalar& value : x) value = static_cast<Scalar>(random.normal());
  return x;
}

/// Finite vectors that are hard for quantizers: the extremal shapes of the variance bounds, ties, signs, both
/// ends of the number range, odd lengths down to none.
template <class Scalar>
std::vector<std::vector<Scalar>> adversarial_vectors() {
  using Limits = std::numeric_limits<Scalar>;
  std::vector<std::vector<Scalar>> all{{}, {Scalar(0)}, {Scalar(-0.0)}, {Scalar(3)}, {Scalar(-1), Scalar(1)}};
  for (std::size_t n : {1, 2, 3, 17, 65, 127, 513, 1100}) {
    all.push_back(gaussian<Scalar>(n, n));
    all.emplace_back(n, Scalar(0));
    all.emplace_back(n, Scalar(-0.3));
    all.emplace_back(n, Limits::denorm_min());
    all.emplace_back(n, Limits::min());
    all.emplace_back(n,
                     static_cast<Scalar>(Limits::max() / std::sqrt(static_cast<Scalar>(n)) * Scalar(0.99)));
    // One large coordinate and n - 1 equal small ones: extremal for both norms of dither.
    for (double ratio : {1e-6, 0.01, 1.0 / 14.0, 0.1, 0.5}) {
      all.emplace_back(n, static_cast<Scalar>(ratio));
      all.back()[n / 2] = Scalar(-1);
    }
    // From the largest to the smallest magnitude a Scalar has, alternating signs.
    auto& ladder = all.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) {
      const int exponent =
          Limits::max_exponent - 12 - static_cast<int>(i * 7 % (2 * Limits::max_exponent - 20));
      ladder[i] = std::ldexp(Scalar(i % 2 ? -1.1 : 1.3), exponent);
    }
  }
  return all;
}

inline PacketBuffer buffer() {
  static PacketPool pool;
  return pool.acquire();
}

/// Returns C(z) for the message of an iteration, as the sender adds it to its own replica.
template <class Scalar>
std::vector<Scalar> decoded(const std::string& spelling, const std::vector<Scalar>& z,
                            std::uint64_t iteration = 1) {
  const auto compressor = make_compressor<Scalar>(spelling, {});
  PacketBuffer out = buffer();
  RandomStream random(1, 0, iteration, Purpose::compression);
  std::vector<Scalar> value(z.size(), Scalar(0));
  REQUIRE(compressor->encode_and_apply({z, random}, out, value) == CodecStatus::ok);
  return value;
}

/// Returns ||C(z) - z||^2 / ||z||^2 for one message.
template <class Scalar>
double lost_share(const std::string& spelling, const std::vector<Scalar>& z) {
  return squared_distance<Scalar>(decoded(spelling, z), z) / squared_norm<Scalar>(z);
}

}  // namespace hearsay::test
