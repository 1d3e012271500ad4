#include "algorithms/compression/coders/delta_indices.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/compression/code_streams.hpp"
#include "tests/compression/compression.hpp"

namespace hearsay::test::delta_indices_test {

namespace {

using Indices = std::vector<std::uint32_t>;

std::vector<std::byte> coded(const Indices& indices, std::size_t dimension) {
  DeltaIndices coder;
  std::vector<std::byte> out(coder.most_bytes(indices.size(), dimension), std::byte{0xA5});
  const std::size_t used = coder.encode(indices, dimension, out);
  REQUIRE(used <= out.size());
  out.resize(used);
  return out;
}

std::optional<std::size_t> decoded(const std::vector<std::byte>& bytes, std::size_t dimension,
                                   Indices& indices) {
  return DeltaIndices().decode(bytes, dimension, indices);
}

/// Ascending indices of several kinds, each with a dimension that they are below.
std::vector<std::pair<Indices, std::size_t>> selections() {
  std::vector<std::pair<Indices, std::size_t>> all;
  RandomStream random(3, 0, 0, Purpose::data);
  for (const std::size_t count : {0u, 1u, 2u, 127u, 128u, 129u, 700u})
    for (const std::uint64_t spread : {1ull, 2ull, 30ull, 5000ull, 4'294'967'295ull / (count + 1)}) {
      Indices indices;
      std::uint64_t next = 0;
      for (std::size_t k = 0; k < count; ++k) {
        next += random.below(spread);
        indices.push_back(static_cast<std::uint32_t>(next++));
      }
      all.emplace_back(indices, static_cast<std::size_t>(next));
      all.emplace_back(indices, 4'294'967'295u);
    }
  // The widest possible gaps, alone and among others.
  for (const std::uint32_t last : {0x3FFFFFFFu, 0x40000000u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFEu}) {
    all.push_back({{last}, 0xFFFFFFFFu});
    all.push_back({{0, 1, last}, 0xFFFFFFFFu});
  }
  return all;
}

}  // namespace

TEST_CASE("delta: the layout, bit by bit") {
  CHECK(coded({}, 10).empty());
  // Gaps 3, 0, 1: width 2.
  CHECK(coded({3, 4, 6}, 10) == bytes_of("00010"
                                         "11"
                                         "00"
                                         "01"));
  Indices all(130);
  std::iota(all.begin(), all.end(), 0u);
  CHECK(coded(all, 130) == bytes_of("0000000000"));  // two blocks: two widths of 0, gaps in 0 bits
  CHECK(coded({0x7FFFFFFF}, 0xFFFFFFFF) == bytes_of("11111" + std::string("0") + std::string(31, '1')));
}

TEST_CASE("delta: indices decode to themselves, whatever follows them, within the stated bytes") {
  for (const auto& selection : selections()) {
    const Indices& indices = selection.first;
    auto bytes = coded(indices, selection.second);
    const std::size_t size = bytes.size();
    for (int more = 0; more < 2; ++more) {
      Indices back(indices.size(), 7);
      CHECK(decoded(bytes, selection.second, back) == size);
      CHECK(back == indices);
      bytes.push_back(std::byte{0xFF});
    }
  }
}

TEST_CASE("delta: no selection takes more than the stated bytes, and some take as many") {
  DeltaIndices coder;
  // All selections of small dimensions. Selections of several blocks are tested above.
  for (std::size_t dimension = 1; dimension <= 12; ++dimension) {
    std::vector<std::size_t> largest(dimension + 1, 0);
    for (std::uint32_t set = 0; set < 1u << dimension; ++set) {
      Indices indices;
      for (std::uint32_t i = 0; i < dimension; ++i)
        if (set >> i & 1) indices.push_back(i);
      largest[indices.size()] = std::max(largest[indices.size()], coded(indices, dimension).size());
    }
    for (std::size_t count = 0; count <= dimension; ++count)
      CHECK(largest[count] == coder.most_bytes(count, dimension));
  }
  // Three blocks. The gaps widen two of them to 6 bits and one to 5: 32 + 32 + 16.
  Indices indices;
  std::uint32_t next = 0;
  for (std::uint32_t k = 0; k < 384; ++k) {
    next += k == 0 || k == 128 ? 32 : k == 256 ? 16 : 0;
    indices.push_back(next++);
  }
  CHECK(coded(indices, next).size() == coder.most_bytes(384, next));
}

TEST_CASE("delta: truncations are refused, and whatever decodes is what encode writes") {
  RandomStream noise(5, 0, 0, Purpose::data);
  for (const auto& selection : selections()) {
    const Indices& indices = selection.first;
    const std::size_t dimension = selection.second;
    if (indices.size() > 130) continue;
    auto bytes = coded(indices, dimension);
    Indices back(indices.size());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      REQUIRE_FALSE(decoded(cut, dimension, back));
    }
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
      if (const auto used = decoded(bytes, dimension, back)) {
        REQUIRE(std::ranges::adjacent_find(back, std::greater_equal()) == back.end());
        REQUIRE(back.back() < dimension);
        auto again = coded(back, dimension);
        REQUIRE(std::equal(again.begin(), again.end(), bytes.begin(),
                           bytes.begin() + static_cast<std::ptrdiff_t>(*used)));
      }
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> bytes(noise.below(30));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(noise.bits());
    Indices back(1 + noise.below(8));
    const auto dimension = static_cast<std::size_t>(1 + noise.below(1 << noise.below(20)));
    const auto used = decoded(bytes, dimension, back);
    if (!used) continue;
    REQUIRE(back.back() < dimension);
    bytes.resize(*used);
    REQUIRE(coded(back, dimension) == bytes);
  }
}

TEST_CASE("delta: the largest 1 % of a Gaussian vector take a third of plain indices") {
  const std::size_t d = 100'000;
  const auto z = gaussian<float>(d, 4);
  const auto bytes = [&](const char* spelling) {
    RandomStream random(1, 0, 1, Purpose::compression);
    PacketBuffer out = buffer();
    CHECK(make_compressor<float>(spelling, {})->encode({z, random}, out) == CodecStatus::ok);
    return out.bytes().size() - 4 * d / 100;
  };
  // The gaps are about geometric with mean 100. The largest of 128 is near 100 (ln 128 + 0.58) = 540, so each
  // takes 9 or 10 bits instead of 32.
  CHECK(bytes("topk(1%)") == 4 * d / 100);
  CHECK(bytes("topk(1%) | delta") < bytes("topk(1%)") / 3);
}

TEST_CASE("delta: the bound for up to n indices holds for every smaller number") {
  const DeltaIndices delta;
  for (const std::size_t dimension : {1u, 130u, 3000u})
    for (std::size_t n = 0; n <= dimension; n += 1 + n / 3)
      for (std::size_t count = 0; count <= n; ++count)
        REQUIRE(delta.most_bytes(count, dimension) <= delta.most_bytes_up_to(n, dimension));
}

}  // namespace hearsay::test::delta_indices_test
