// Laws that every coder obeys on every range of codes.
#include <doctest/doctest.h>

#include <algorithm>

#include "algorithms/compression/registry.hpp"
#include "tests/compression/code_streams.hpp"
#include "tests/compression/compression.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::coders_test {

namespace {

/// All registered coders, each in all its forms.
std::vector<std::unique_ptr<Coder>> coders() {
  std::vector<std::unique_ptr<Coder>> all;
  for (const StageEntry& entry : stage_entries())
    if (std::holds_alternative<CoderMaker>(entry.make))
      all.push_back(make_coder(std::string(entry.name.name)));
  all.push_back(make_coder("elias(delta)"));
  all.push_back(make_coder("elias(omega)"));
  return all;
}

/// Calls visit(coder, range) for every coder and every range that the coder takes.
template <class Visit>
void for_every_coder_and_range(Visit visit) {
  for (const auto& coder : coders()) {
    CAPTURE(coder->spelling());
    std::size_t taken = 0;
    for (const CodeRange& range : code_ranges()) {
      CAPTURE(range.least);
      CAPTURE(range.most);
      if (!coder->objection(range).empty()) continue;
      ++taken;
      visit(*coder, range);
    }
    CHECK(taken >= 3);
  }
}

/// True if the bytes decode. Then the codes must be in range, and the coder must write the same bytes for
/// them.
bool decodes_and_is_canonical(Coder& coder, const CodeRange& range, std::size_t n,
                              const std::vector<std::byte>& bytes) {
  std::vector<std::int32_t> codes(n);
  if (!coder.decode(bytes, range, whole_bucket(), codes)) return false;
  REQUIRE(std::ranges::all_of(codes, [&](std::int32_t code) { return range.contains(code); }));
  REQUIRE(coded(coder, codes, range) == bytes);
  return true;
}

}  // namespace

TEST_CASE("coders: what is encoded decodes to itself on every range, within the stated bytes") {
  for_every_coder_and_range([](Coder& coder, const CodeRange& range) {
    for (const std::size_t n : {0u, 1u, 2u, 5u, 6u, 7u, 16u, 63u, 64u, 65u, 129u, 1000u, 5003u})
      for (const auto& codes : code_sequences(range, n)) {
        const auto bytes = coded(coder, codes, range);
        if (n == 0) CHECK(bytes.empty());
        if (!coder.data_dependent_size()) CHECK(bytes.size() == coder.most_bytes(n, range, whole_bucket()));
        std::vector<std::int32_t> back(n, 99);
        REQUIRE(coder.decode(bytes, range, whole_bucket(), back));
        REQUIRE(back == codes);
      }
  });
}

TEST_CASE("coders: every truncation and every extension is refused") {
  for_every_coder_and_range([](Coder& coder, const CodeRange& range) {
    for (const std::size_t n : {1u, 3u, 70u})
      for (const auto& codes : code_sequences(range, n)) {
        auto bytes = coded(coder, codes, range);
        std::vector<std::int32_t> back(n);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
          const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
          REQUIRE_FALSE(coder.decode(cut, range, whole_bucket(), back));
        }
        for (const std::byte more : {std::byte{0}, std::byte{0xFF}}) {
          bytes.push_back(more);
          REQUIRE_FALSE(coder.decode(bytes, range, whole_bucket(), back));
          bytes.pop_back();
        }
      }
  });
}

TEST_CASE("coders: whatever decodes is, to its last bit, what encode writes") {
  for_every_coder_and_range([](Coder& coder, const CodeRange& range) {
    for (const std::size_t n : {1u, 6u, 37u})
      for (const auto& codes : code_sequences(range, n)) {
        auto bytes = coded(coder, codes, range);
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
          bytes[bit / 8] ^= std::byte{1} << (bit % 8);
          decodes_and_is_canonical(coder, range, n, bytes);
          bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        }
        REQUIRE(decodes_and_is_canonical(coder, range, n, bytes));
      }
    RandomStream noise(5, 0, 0, Purpose::data);
    for (int round = 0; round < 300; ++round) {
      std::vector<std::byte> bytes(noise.below(12));
      // Sparse bits as well as dense ones, since prefixes are made of zeros.
      const std::uint32_t mask = round % 2 ? 0xFF : noise.bits() & noise.bits();
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(noise.bits() & mask);
      decodes_and_is_canonical(coder, range, noise.below(20), bytes);
    }
  });
}

TEST_CASE("coders: one object serves ranges and lengths in any order") {
  for (const auto& coder : coders())
    for (int round = 0; round < 2; ++round)
      for (const CodeRange& range : code_ranges()) {
        if (!coder->objection(range).empty()) continue;
        for (const std::size_t n : {200u, 3u}) {
          const auto codes = code_sequences(range, n)[4];
          const auto bytes = coded(*coder, codes, range);
          CHECK(bytes == coded(*make_coder(coder->spelling()), codes, range));
          CHECK(decodes_and_is_canonical(*coder, range, n, bytes));
        }
      }
}

TEST_CASE("trit5: all 243 bytes of five codes decode, the other 13 do not") {
  const auto coder = make_coder("trit5");
  const CodeRange range{-1, 1};
  std::size_t valid = 0;
  for (int value = 0; value < 256; ++value)
    valid += decodes_and_is_canonical(*coder, range, 5, {static_cast<std::byte>(value)});
  CHECK(valid == 243);
  // Base 3, the first code the lowest digit: 2 + 1 * 3 + 0 * 9 + 2 * 27 + 1 * 81.
  CHECK(coded(*coder, std::vector<std::int32_t>{1, 0, -1, 1, 0}, range) == std::vector{std::byte{140}});
  CHECK(coded(*coder, std::vector<std::int32_t>(7, 1), range) ==
        std::vector{std::byte{2 + 6 + 18 + 54}, std::byte{2 + 6 + 18}});
}

TEST_CASE("trit5: other ranges are refused where they are spelled") {
  CHECK_THROWS_WITH_AS(
      make_compressor<float>("qsgd(4) | trit5", {}),
      "algorithm.compressor = \"qsgd(4) | trit5\": column 11: trit5 codes -1, 0 and 1 only, not -7 to 7",
      Misuse);
  CHECK_THROWS_AS(make_compressor<float>("qsgd(4) | elias(beta)", {}), Misuse);
}

}  // namespace hearsay::test::coders_test
