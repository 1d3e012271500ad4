#include "algorithms/compression/chunk_topk.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/compression/compression.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::chunk_topk_test {

namespace {

/// What is kept of z, chunk by chunk, by sorting.
template <class Scalar>
std::vector<Scalar> kept_of(const std::vector<Scalar>& z, std::size_t k, std::size_t c) {
  std::vector<Scalar> kept(z.size(), Scalar(0));
  for (std::size_t begin = 0; begin < z.size(); begin += c) {
    std::vector<std::size_t> order(std::min(c, z.size() - begin));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = begin + i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(z[a]) > std::abs(z[b]); });
    order.resize(std::min(k, order.size()));
    for (const std::size_t i : order) kept[i] = z[i];
  }
  return kept;
}

/// The published rule for the values of one segment, written once more.
std::vector<double> by_centroids(const std::vector<double>& v, unsigned bits, double range) {
  const double n = static_cast<double>(v.size());
  const double cells = std::exp2(bits);
  double shift = 0.0;
  for (const double value : v) shift += value / n;
  double squares = 0.0;
  for (const double value : v) squares += (value - shift) * (value - shift);
  double s = range * std::sqrt(squares / (n - 1)) / cells;
  if (!(s > 0.0)) s = 1.0;
  const auto cell = [&](double value) {
    return std::clamp(std::nearbyint((value - shift) / s) + cells / 2, 0.0, cells - 1);
  };
  std::vector<double> decoded;
  for (const double value : v) {
    double sum = 0.0;
    double count = 0.0;
    for (const double other : v) {
      if (cell(other) != cell(value)) continue;
      sum += other - shift;
      count += 1.0;
    }
    decoded.push_back(shift + sum / count);
  }
  return decoded;
}

std::size_t bytes_of(const std::string& spelling, const std::vector<float>& z) {
  const auto compressor = make_compressor<float>(spelling, {});
  PacketBuffer out = buffer();
  RandomStream random(1, 0, 0, Purpose::compression);
  REQUIRE(compressor->encode({z, random}, out) == CodecStatus::ok);
  CHECK(out.bytes().size() <= compressor->traits(z.size()).bytes);
  return out.bytes().size();
}

}  // namespace

TEST_CASE_TEMPLATE("chunk-topk: raw values are the k largest of every chunk, ties to the lowest index",
                   Scalar, float, double) {
  auto z = gaussian<Scalar>(1000, 3);
  for (std::size_t i = 300; i < 700; ++i) z[i] = std::round(z[i]);
  for (std::size_t i = 820; i < 940; ++i) z[i] = Scalar(0);
  for (const std::size_t k : {1u, 4u, 40u})
    for (const std::string indices : {"packed", "rice"}) {
      CAPTURE(k);
      CAPTURE(indices);
      const std::string spelling = "chunk-topk(" + std::to_string(k) + "/41, indices=" + indices + ")";
      const auto kept = kept_of(z, k, 41);
      CHECK(decoded(spelling, z) == kept);
      CHECK(lost_share(spelling, z) <= 1.0 - static_cast<double>(k) / 41.0);
    }
}

TEST_CASE_TEMPLATE("chunk-topk: with k = c and raw values nothing is lost, and no index travels", Scalar,
                   float, double) {
  const auto z = gaussian<Scalar>(100, 4);
  CHECK(decoded("chunk-topk(41/41)", z) == z);
  const Traits traits = make_compressor<Scalar>("chunk-topk(41/41)", {})->traits(100);
  CHECK(traits.bytes == 100 * sizeof(Scalar));
  CHECK(traits.unbiased);
}

TEST_CASE("chunk-topk: values become the means of their cells, as SparseLoCo's codec has them") {
  for (const unsigned bits : {1u, 2u, 3u, 5u})
    for (const double range : {6.0, 3.0}) {
      auto z = gaussian<double>(500, bits);
      for (double& value : z) value = value * value * value + 0.1;
      const auto kept = kept_of(z, 6, 41);
      std::vector<double> v;
      std::ranges::copy_if(kept, std::back_inserter(v), [](double value) { return value != 0.0; });
      const auto expected = by_centroids(v, bits, range);
      const auto value = decoded(
          "chunk-topk(6/41, values=" + std::to_string(bits) + "bit, range=" + std::to_string(range) + ")", z);
      std::size_t j = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        if (kept[i] == 0.0)
          CHECK(value[i] == 0.0);
        else
          CHECK(value[i] == doctest::Approx(expected[j++]).epsilon(1e-13));
      }
    }
}

TEST_CASE_TEMPLATE("chunk-topk: the decoded values of a segment have the sum of the kept ones", Scalar, float,
                   double) {
  const std::size_t d = 900;
  const auto z = gaussian<Scalar>(d, 6);
  const auto compressor = build<Scalar>("chunk-topk(5/60, values=2bit)", d);
  std::vector<Scalar> value(d, Scalar(0));
  PacketBuffer out = buffer();
  RandomStream random(1, 0, 0, Purpose::compression);
  REQUIRE(compressor->encode_and_apply({z, random}, out, value) == CodecStatus::ok);
  for (const Segment& segment : layers(d)) {
    const auto begin = z.begin() + segment.begin;
    const auto kept = kept_of(std::vector<Scalar>(begin, begin + segment.size()), 5, 60);
    double sent = 0.0;
    double held = 0.0;
    for (Index i = 0; i < segment.size(); ++i) {
      sent += static_cast<double>(kept[static_cast<std::size_t>(i)]);
      held += static_cast<double>(value[static_cast<std::size_t>(segment.begin + i)]);
    }
    CHECK(held == doctest::Approx(sent).epsilon(50 * std::numeric_limits<Scalar>::epsilon()));
  }
}

TEST_CASE_TEMPLATE("chunk-topk: centroids never make an error larger than the vector", Scalar, float,
                   double) {
  for (const auto& z : adversarial_vectors<Scalar>()) {
    const auto compressor = make_compressor<Scalar>("chunk-topk(5/33, values=2bit)", {});
    PacketBuffer out = buffer();
    RandomStream random(1, 0, 0, Purpose::compression);
    std::vector<Scalar> value(z.size(), Scalar(0));
    if (compressor->encode_and_apply({z, random}, out, value) != CodecStatus::ok) continue;
    double largest = 0.0;
    for (const Scalar entry : z) largest = std::max(largest, std::abs(static_cast<double>(entry)));
    double error = 0.0;
    double norm = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      error += std::pow((static_cast<double>(value[i]) - static_cast<double>(z[i])) / largest, 2);
      norm += std::pow(static_cast<double>(z[i]) / largest, 2);
    }
    if (largest > 0.0) CHECK(error <= norm * (1 + 1e-6));
  }
  CHECK(decoded<double>("chunk-topk(2/2, values=2bit)", {1.0, -1.0}) == std::vector<double>{0.0, 0.0});
  CHECK(decoded<double>("chunk-topk(2/2, values=2bit, range=2)", {1.0, -1.0}) ==
        std::vector<double>{1.0, -1.0});
}

TEST_CASE("chunk-topk: 64/4096 with 2 bits takes 14 bits an entry, with Rice's indices less than 10") {
  const std::size_t chunks = 32;
  const auto z = gaussian<float>(4096 * chunks, 7);
  CHECK(bytes_of("chunk-topk(64/4096, values=2bit)", z) == 20 + chunks * 112);
  const double bits =
      8.0 * static_cast<double>(bytes_of("chunk-topk(64/4096, values=2bit, indices=rice)", z) - 24);
  CHECK(bits / (64 * chunks) == doctest::Approx(9.5).epsilon(0.01));
  // The worst for Rice's code: what is kept lies at the end of its chunk.
  std::vector<float> last(4096, 0.0f);
  for (std::size_t i = 4096 - 64; i < 4096; ++i) last[i] = 1.0f;
  CHECK(bytes_of("chunk-topk(64/4096, values=2bit, indices=rice)", last) == 4 + 20 + 80);
}

TEST_CASE("chunk-topk: the golden message") {
  const auto compressor = make_compressor<float>("chunk-topk(2/8, values=2bit)", {});
  const std::vector<float> z{0, 3, 0, -1, 0.5, 0, 0, 0, 7, -9};
  PacketBuffer out = buffer();
  RandomStream random(1, 0, 0, Purpose::compression);
  REQUIRE(compressor->encode({z, random}, out) == CodecStatus::ok);
  std::string hex;
  for (const std::byte byte : out.bytes()) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(byte));
    hex += digits;
  }
  // Shift 0 and the centroids 0, -9, 1, 7. Then the places 1 and 3, the codes 2 and 2, and of the last chunk
  // the codes 3 and 1 alone.
  const std::string floats = "0000000000000000000010c10000803f0000e040";
  CHECK(hex == floats + "2eb4");
}

TEST_CASE("chunk-topk: what cannot be is refused") {
  const auto refused = [](const std::string& spelling) {
    return misuse_text([&] { make_compressor<float>(spelling, {}); });
  };
  for (const char* size : {"chunk-topk", "chunk-topk(64)", "chunk-topk(0/4)", "chunk-topk(5/4)",
                           "chunk-topk(1/99999999)", "chunk-topk(a/b)"}) {
    CAPTURE(size);
    CHECK(contains(refused(size), "k/c, how many coordinates of each chunk of c are kept, such as 64/4096"));
  }
  for (const char* values : {"9bit", "0bit", "2", "bit", "some"}) {
    CAPTURE(values);
    CHECK(contains(refused("chunk-topk(1/4, values=" + std::string(values) + ")"), "raw, or 1bit to 8bit"));
  }
  CHECK(contains(refused("chunk-topk(1/4, range=6)"), "no range where values are raw"));
  CHECK(contains(refused("chunk-topk(1/4, indices=flat)"), "packed or rice"));
}

}  // namespace hearsay::test::chunk_topk_test
