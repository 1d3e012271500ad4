#include "algorithms/compression/seam/shared_selection.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "tests/compression/compression.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::shared_selection_test {

namespace {

const std::vector<std::string> sharing = {"leader_topk(10%)",
                                          "scalecom(5%)",
                                          "leader_topk(k=1)",
                                          "leader_topk(30%) | qsgdinf(8)",
                                          "leader_topk(100%)",
                                          "leader_topk(20%) | delta",
                                          "leader_topk(20%) | qsgdinf(4) | delta"};

template <class Scalar>
std::vector<std::byte> choice_of(Compressor<Scalar>& compressor, const std::vector<Scalar>& z,
                                 CodecStatus expected = CodecStatus::ok) {
  RandomStream random(1, 0, 1, Purpose::compression);
  PacketBuffer out = buffer();
  CHECK(compressor.shared_selection()->choose({z, random}, out) == expected);
  const auto bytes = out.bytes();
  const std::size_t most = compressor.shared_selection()->choice_bytes(z.size());
  if (compressor.traits(z.size()).data_dependent_size)
    CHECK(bytes.size() <= most);
  else
    CHECK(bytes.size() == most);
  return {bytes.begin(), bytes.end()};
}

template <class Scalar>
std::vector<std::uint32_t> indices_of(Compressor<Scalar>& compressor, const std::vector<Scalar>& leader) {
  std::vector<std::uint32_t> indices;
  CHECK(compressor.shared_selection()->read_choice(choice_of(compressor, leader), leader.size(), indices) ==
        CodecStatus::ok);
  return indices;
}

template <class Scalar>
std::vector<std::byte> encoded(Compressor<Scalar>& compressor, const std::vector<Scalar>& z,
                               std::span<const std::uint32_t> indices,
                               CodecStatus expected = CodecStatus::ok) {
  RandomStream random(1, 0, 1, Purpose::compression);
  PacketBuffer out = buffer();
  CHECK(compressor.encode({z, random, {}, indices}, out) == expected);
  const auto bytes = out.bytes();
  return {bytes.begin(), bytes.end()};
}

template <class Scalar>
bool same_bits(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar)) == 0);
}

/// The vector with 0 everywhere except at the indices.
template <class Scalar>
std::vector<Scalar> restricted(const std::vector<Scalar>& z, const std::vector<std::uint32_t>& indices) {
  std::vector<Scalar> kept(z.size(), Scalar(0));
  for (const std::uint32_t i : indices) kept[i] = z[i];
  return kept;
}

}  // namespace

TEST_CASE_TEMPLATE("leader_topk: alone it is topk, byte for byte", Scalar, float, double) {
  for (const auto& z : adversarial_vectors<Scalar>())
    for (const char* size : {"(10%)", "(k=1)", "(100%)"}) {
      const auto leader = build<Scalar>("leader_topk" + std::string(size), z.size());
      const auto topk = build<Scalar>("topk" + std::string(size), z.size());
      CHECK(encoded(*leader, z, {}) == encoded(*topk, z, {}));
    }
}

TEST_CASE_TEMPLATE(
    "leader_topk: with its own choice the leader says what it says alone, and the message is shorter by "
    "the choice",
    Scalar, float, double) {
  for (const std::string& spelling : sharing)
    for (const auto& z : adversarial_vectors<Scalar>()) {
      if (z.empty()) continue;
      CAPTURE(spelling);
      CAPTURE(z.size());
      const auto compressor = build<Scalar>(spelling, z.size());
      const auto indices = indices_of(*compressor, z);
      const auto alone = encoded(*compressor, z, {});
      const auto shared = encoded(*compressor, z, indices);
      CHECK(shared.size() + choice_of(*compressor, z).size() == alone.size());
      CHECK(shared.size() ==
            compressor->traits(z.size()).bytes - compressor->shared_selection()->choice_bytes(z.size()));
      std::vector<Scalar> from_alone = gaussian<Scalar>(z.size(), 4);
      std::vector<Scalar> from_shared = from_alone;
      CHECK(compressor->accumulate(alone, Scalar(0.5), from_alone) == CodecStatus::ok);
      CHECK(compressor->shared_selection()->accumulate_shared(shared, indices, Scalar(0.5), from_shared) ==
            CodecStatus::ok);
      CHECK(same_bits(from_alone, from_shared));
    }
}

TEST_CASE_TEMPLATE("leader_topk: what is kept of the mean is the mean of what is kept, bit for bit", Scalar,
                   float, double) {
  const std::size_t d = 200;
  for (const std::size_t n : {1u, 2u, 3u, 8u})
    for (std::size_t leader = 0; leader < n; ++leader) {
      const auto compressor = build<Scalar>("leader_topk(7%)", d);
      std::vector<std::vector<Scalar>> p;
      for (std::size_t i = 0; i < n; ++i) p.push_back(gaussian<Scalar>(d, 10 + i));
      const auto indices = indices_of(*compressor, p[leader]);
      std::vector<Scalar> mean_of_kept(d, Scalar(0));
      std::vector<Scalar> mean(d, Scalar(0));
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(compressor->shared_selection()->accumulate_shared(encoded(*compressor, p[i], indices), indices,
                                                                Scalar(1), mean_of_kept) == CodecStatus::ok);
        for (std::size_t k = 0; k < d; ++k) mean[k] += p[i][k];
      }
      for (std::size_t k = 0; k < d; ++k) {
        mean[k] /= static_cast<Scalar>(n);
        mean_of_kept[k] /= static_cast<Scalar>(n);
      }
      std::vector<Scalar> kept_of_mean(d, Scalar(0));
      CHECK(compressor->shared_selection()->accumulate_shared(encoded(*compressor, mean, indices), indices,
                                                              Scalar(1), kept_of_mean) == CodecStatus::ok);
      CHECK(same_bits(kept_of_mean, mean_of_kept));
      CHECK(same_bits(kept_of_mean, restricted(mean, indices)));
    }
}

TEST_CASE_TEMPLATE("leader_topk: what is dropped and what is kept are orthogonal, whoever the leader is",
                   Scalar, float, double) {
  const std::size_t d = 150;
  const auto compressor = build<Scalar>("leader_topk(20%)", d);
  const auto indices = indices_of(*compressor, gaussian<Scalar>(d, 1));
  const auto z = gaussian<Scalar>(d, 2);
  auto dropped = z;
  CHECK(compressor->shared_selection()->accumulate_shared(encoded(*compressor, z, indices), indices,
                                                          Scalar(-1), dropped) == CodecStatus::ok);
  const auto kept = restricted(z, indices);
  const auto norm = [](const std::vector<Scalar>& v) { return squared_norm(std::span<const Scalar>(v)); };
  CHECK(norm(dropped) == doctest::Approx(norm(z) - norm(kept)).epsilon(1e-12));
  // ScaleCom's bound on this error holds in expectation only: a follower whose vector is large where the
  // leader's is not loses nearly all of it.
  std::vector<Scalar> unlucky(d, Scalar(0.01));
  std::size_t outside = 0;
  while (std::find(indices.begin(), indices.end(), outside) != indices.end()) ++outside;
  unlucky[outside] = 10;
  auto left = unlucky;
  CHECK(compressor->shared_selection()->accumulate_shared(encoded(*compressor, unlucky, indices), indices,
                                                          Scalar(-1), left) == CodecStatus::ok);
  CHECK(norm(left) > 0.99 * norm(unlucky));
}

TEST_CASE_TEMPLATE("leader_topk: reading a choice is total: truncations, extensions, bit flips", Scalar,
                   float, double) {
  for (const std::string& spelling : sharing)
    for (const std::size_t d : {1u, 3u, 37u}) {
      CAPTURE(spelling);
      const auto compressor = build<Scalar>(spelling, d);
      SharedSelection<Scalar>& sharing_part = *compressor->shared_selection();
      auto choice = choice_of(*compressor, gaussian<Scalar>(d, 3));
      const auto original = choice;
      std::vector<std::uint32_t> indices;
      for (std::size_t size = 0; size < choice.size(); ++size) {
        const std::vector<std::byte> cut(choice.begin(), choice.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(sharing_part.read_choice(cut, d, indices) == CodecStatus::malformed);
        CHECK(indices.empty());
      }
      auto longer = choice;
      longer.push_back(std::byte{0});
      CHECK(sharing_part.read_choice(longer, d, indices) == CodecStatus::malformed);
      for (std::size_t bit = 0; bit < choice.size() * 8; ++bit) {
        choice[bit / 8] ^= std::byte{1} << (bit % 8);
        if (sharing_part.read_choice(choice, d, indices) == CodecStatus::ok) {
          REQUIRE(std::is_sorted(indices.begin(), indices.end()));
          REQUIRE(std::adjacent_find(indices.begin(), indices.end()) == indices.end());
          REQUIRE(indices.back() < d);
        } else {
          REQUIRE(indices.empty());
        }
        choice[bit / 8] ^= std::byte{1} << (bit % 8);
      }
      CHECK(choice == original);
    }
}

TEST_CASE_TEMPLATE("leader_topk: messages with shared indices are total, too, and NaN never becomes a number",
                   Scalar, float, double) {
  for (const std::string& spelling : sharing) {
    CAPTURE(spelling);
    const std::size_t d = 37;
    const auto compressor = build<Scalar>(spelling, d);
    SharedSelection<Scalar>& sharing_part = *compressor->shared_selection();
    const auto indices = indices_of(*compressor, gaussian<Scalar>(d, 3));
    const auto start = gaussian<Scalar>(d, 5);
    auto into = start;
    const auto packet = encoded(*compressor, gaussian<Scalar>(d, 4), indices);
    for (std::size_t size = 0; size < packet.size(); ++size) {
      const std::vector<std::byte> cut(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size));
      CHECK(sharing_part.accumulate_shared(cut, indices, Scalar(1), into) == CodecStatus::malformed);
      CHECK(same_bits(into, start));
    }
    // A NaN in any coordinate fails, kept or not.
    for (std::size_t at = 0; at < d; ++at) {
      auto z = gaussian<Scalar>(d, 6);
      z[at] = std::numeric_limits<Scalar>::quiet_NaN();
      const auto of_bad = encoded(*compressor, z, indices, CodecStatus::not_finite);
      CHECK(sharing_part.accumulate_shared(of_bad, indices, Scalar(1), into) == CodecStatus::not_finite);
      CHECK(same_bits(into, start));
      choice_of(*compressor, z, CodecStatus::not_finite);
    }
  }
}

TEST_CASE("leader_topk: only where one peer's choice can be everybody's") {
  for (const char* spelling : {"none", "topk(1%)", "randk(10%)", "dither(linf, bits=8)"})
    CHECK(build<float>(spelling, 60)->shared_selection() == nullptr);
  CHECK(build<float>("scalecom", 60)->spelling() == "leader_topk(0.1%)");
  for (const char* spelling : {"repeat(2){leader_topk(1%)}", "induced{leader_topk(1%)}{qsgdinf(4)}"})
    CHECK_THROWS_AS(build<float>(spelling, 60), Misuse);
}

}  // namespace hearsay::test::shared_selection_test
