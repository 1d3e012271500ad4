#include "algorithms/compression/selectors/magnitudes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "algorithms/compression/selectors/chunk_selection.hpp"
#include "algorithms/compression/selectors/topk.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::magnitudes_test {

namespace {

template <class Scalar>
using Places = std::vector<std::pair<std::uint32_t, Magnitude<Scalar>>>;

/// Returns what `find` finds; nothing if that is more than `most`.
template <class Scalar, class Find>
Places<Scalar> found(const std::vector<Scalar>& z, Magnitude<Scalar> border, std::size_t most, Find find) {
  std::vector<std::uint32_t> indices(most + found_padding);
  std::vector<std::uint32_t> indices_alone(most + found_padding);
  std::vector<Magnitude<Scalar>> magnitudes(most + found_padding);
  const std::size_t n = find(z, border, most, Found<Scalar>{indices, magnitudes});
  const std::size_t alone = find(z, border, most, Found<Scalar>{indices_alone, {}});
  CHECK((n > most) == (alone > most));
  if (n > most) return {};
  CHECK(std::equal(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(n), indices_alone.begin()));
  CHECK(n == alone);
  Places<Scalar> places;
  for (std::size_t i = 0; i < n; ++i) places.emplace_back(indices[i], magnitudes[i]);
  return places;
}

/// Returns the first k indices when sorted by magnitude, then index; in ascending order.
template <class Scalar>
std::vector<std::uint32_t> largest(const std::vector<Scalar>& z, std::size_t k) {
  std::vector<std::uint32_t> order(z.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return std::abs(z[a]) > std::abs(z[b]); });
  order.resize(k);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

TEST_CASE("magnitudes: every instruction set finds the largest, NaN above all, at every place") {
  const int targets = on_every_target([] {
    for (const auto& z : adversarial_vectors<float>())
      REQUIRE(largest_magnitude_of<float>(z) == largest_magnitude_plain<float>(z));
    for (std::size_t at = 0; at < 131; ++at)
      for (const float large : {-9.0f, 1e30f, std::numeric_limits<float>::quiet_NaN()}) {
        auto z = gaussian<float>(131, 5);
        z[at] = large;
        REQUIRE(largest_magnitude_of<float>(z) == magnitude(large));
      }
  });
  CHECK(targets >= 2);
}

TEST_CASE("magnitudes: every instruction set finds what looking at each number finds") {
  const int targets = on_every_target([] {
    for (const auto& z : adversarial_vectors<float>())
      for (const float border : {0.0f, std::numeric_limits<float>::denorm_min(), 0.3f, 1.0f, 2.5f, 1e30f})
        for (const std::size_t most : {z.size(), z.size() / 2, std::size_t{3}, std::size_t{0}})
          REQUIRE(found<float>(z, magnitude(border), most, find_at_least<float>) ==
                  found<float>(z, magnitude(border), most, find_at_least_plain<float>));
  });
  CHECK(targets >= 2);
}

TEST_CASE_TEMPLATE("magnitudes: found are exactly those that reach the border, in order", Scalar, float,
                   double) {
  const auto z = gaussian<Scalar>(1000, 6);
  Places<Scalar> expected;
  for (std::size_t i = 0; i < z.size(); ++i)
    if (std::abs(z[i]) >= Scalar(1.5)) expected.emplace_back(i, magnitude(z[i]));
  CHECK(found<Scalar>(z, magnitude(Scalar(-1.5)), z.size(), find_at_least<Scalar>) == expected);
  CHECK(found<Scalar>(z, magnitude(Scalar(1.5)), expected.size(), find_at_least<Scalar>) == expected);
  CHECK(found<Scalar>(z, magnitude(Scalar(1.5)), expected.size() - 1, find_at_least<Scalar>).empty());
}

TEST_CASE(
    "magnitudes: a border of the k largest is reached by k, or is the k-th largest, on every instruction "
    "set") {
  on_every_target([] {
    for (const auto& z : adversarial_vectors<float>()) {
      std::vector<std::uint32_t> sizes;
      for (const float value : z) sizes.push_back(magnitude(value));
      std::sort(sizes.begin(), sizes.end(), std::greater<>());
      for (std::size_t k = 1; k < std::min<std::size_t>(z.size(), 70); ++k)
        for (const std::uint32_t guess : {0u, 1u, magnitude(1.0f), magnitude(1e30f), 0xFFFFFFFFu}) {
          const std::uint32_t border = border_of_largest(z, k, guess);
          REQUIRE(border <= sizes[k - 1]);
          REQUIRE((border > sizes[k] || border == sizes[k - 1]));
        }
    }
  });
}

TEST_CASE_TEMPLATE("chunks: short and long ones keep what sorting puts first, ties to the lowest index",
                   Scalar, float, double) {
  on_every_target([] {
    ChunkSelection<Scalar> selection;
    selection.reserve(1100);
    for (const auto& z : adversarial_vectors<Scalar>())
      for (std::size_t k = 1; k < z.size(); k += 1 + k / 2) {
        std::vector<std::uint32_t> kept(k);
        selection.select(z, 7, kept);
        auto expected = largest(z, k);
        for (std::uint32_t& index : expected) index += 7;
        REQUIRE(kept == expected);
      }
  });
}

TEST_CASE_TEMPLATE("topk: long vectors keep what sorting puts first, whatever the sample says", Scalar, float,
                   double) {
  const std::size_t d = 70'001;
  std::vector<std::vector<Scalar>> vectors{gaussian<Scalar>(d, 1), std::vector<Scalar>(d, Scalar(-2))};
  auto& few_values = vectors.emplace_back(gaussian<Scalar>(d, 2));  // ties everywhere
  for (Scalar& value : few_values) value = std::round(value * 2);
  auto& sparse = vectors.emplace_back(d, Scalar(0));
  for (std::size_t i = 5; i < d; i += 500) sparse[i] = Scalar(i % 7) - 3;
  auto& loud =
      vectors.emplace_back(gaussian<Scalar>(d, 3));  // large where the sample looks: the bound is too high
  for (std::size_t i = 0; i < d; i += 2048)
    for (std::size_t j = i; j < std::min(i + 16, d); ++j) loud[j] *= 100;
  auto& quiet = vectors.emplace_back(gaussian<Scalar>(d, 4));  // small there: the bound is too low
  for (std::size_t i = 0; i < d; i += 2048)
    for (std::size_t j = i; j < std::min(i + 16, d); ++j) quiet[j] *= Scalar(1e-3);
  auto& ramp = vectors.emplace_back(d);
  for (std::size_t i = 0; i < d; ++i) ramp[i] = static_cast<Scalar>(i);
  for (const auto& z : vectors)
    for (const std::size_t k : {std::size_t{1}, std::size_t{700}, std::size_t{9000}, d / 2}) {
      CAPTURE(k);
      TopK<Scalar> topk(SelectionSize::parse(
          Arguments(parse_pipeline("topk(k=" + std::to_string(k) + ")").front(), {"share", {"k"}, {}}), {}));
      RandomStream random(1, 0, 0, Purpose::compression);
      Selection selection;
      topk.select({z, random}, {}, selection);
      CHECK(selection.indices == largest(z, k));
    }
}

}  // namespace hearsay::test::magnitudes_test
