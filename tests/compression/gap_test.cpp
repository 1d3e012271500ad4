#include "algorithms/compression/coders/gap_coder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/compression/code_streams.hpp"
#include "tests/compression/compression.hpp"

namespace hearsay::test::gap_test {

namespace {

/// The message from the definition of the layout, bit by bit: a second implementation.
std::string gap_bits(const std::vector<std::int32_t>& codes, const CodeRange& range) {
  const std::int64_t zero = std::max(range.least, 0);
  std::string bits;
  std::uint64_t zeros = 0;
  for (const std::int32_t code : codes) {
    const std::int64_t q = code - zero;
    if (q == 0) {
      ++zeros;
      continue;
    }
    bits += gamma_bits(zeros + 1);
    if (range.least < 0) bits += q < 0 ? '1' : '0';
    bits += gamma_bits(static_cast<std::uint64_t>(std::abs(q)));
    zeros = 0;
  }
  return zeros > 0 ? bits + gamma_bits(zeros + 1) : bits;
}

double gamma_length(std::size_t k) { return 2.0 * std::floor(std::log2(static_cast<double>(k))) + 1.0; }

/// Returns the expected number of bits, exactly: roundings are independent, so the probability of a run of
/// zeros is a product.
double expected_bits(const DitheredVector& vector) {
  const std::size_t n = vector.brackets.size();
  std::vector<double> zero(n);
  double bits = 0.0;
  const auto level_bits = [](std::int32_t q) {
    return q == 0 ? 0.0 : 1.0 + gamma_length(static_cast<std::size_t>(std::abs(q)));
  };
  for (std::size_t i = 0; i < n; ++i) {
    const CodeBracket& bracket = vector.brackets[i];
    const double p = bracket.probability_up;
    zero[i] = (bracket.low == 0 ? 1 - p : 0.0) + (bracket.high == 0 ? p : 0.0);
    bits += (1 - p) * level_bits(bracket.low) + p * level_bits(bracket.high);
  }
  for (std::size_t begin = 0; begin < n; ++begin) {
    double run = begin == 0 ? 1.0 : 1 - zero[begin - 1];  // the probability that a run begins here
    for (std::size_t end = begin; end <= n && run > 1e-15; ++end) {
      if (end < n)
        bits += run * (1 - zero[end]) * gamma_length(end - begin + 1);
      else if (end > begin)
        bits += run * gamma_length(end - begin + 1);
      if (end < n) run *= zero[end];
    }
  }
  return bits;
}

}  // namespace

TEST_CASE("gap: the layout, bit by bit") {
  const auto coder = make_coder("gap");
  // Two zeros: 011; plus: 0; level 3: 011. No zero: 1; minus: 1; level 1: 1. Four zeros at the end: 00101.
  CHECK(coded(*coder, std::vector<std::int32_t>{0, 0, 3, -1, 0, 0, 0, 0}, {-7, 7}) == bytes_of("011"
                                                                                               "0"
                                                                                               "011"
                                                                                               "1"
                                                                                               "1"
                                                                                               "1"
                                                                                               "00101"));
  CHECK(coded(*coder, std::vector<std::int32_t>{2, 4, 2}, {2, 9}) == bytes_of("010"
                                                                              "010"
                                                                              "010"));
  CHECK(coded(*coder, std::vector<std::int32_t>{0, 5}, {-7, 7}) == bytes_of("010"
                                                                            "0"
                                                                            "00101"));
}

TEST_CASE("gap: a message is the layout to its last bit on every range") {
  GapCoder coder;
  for (const CodeRange& range : code_ranges())
    for (const std::size_t n : {1u, 64u, 65u, 700u, 40'000u})
      for (const auto& codes : code_sequences(range, n)) {
        if (n > 1000 && range.size() > 3) continue;
        REQUIRE(coded(coder, codes, range) == bytes_of(gap_bits(codes, range)));
      }
}

TEST_CASE("gap: the expected length from the rounding brackets is what messages take on average") {
  const auto values = gaussian<double>(1000, 5);
  constexpr std::size_t draws = 600;
  for (const char* quantizer : {"dither(l2, levels=1)", "dither(l2, levels=7)", "dither(linf, levels=7)"}) {
    const DitheredVector vector = dithered(quantizer, values, draws);
    double sum = 0.0;
    double squares = 0.0;
    for (const auto& codes : vector.draws) {
      const auto bits = static_cast<double>(gap_bits(codes, vector.range).size());
      sum += bits;
      squares += bits * bits;
    }
    const double average = sum / draws;
    const double deviation = std::sqrt((squares / draws - average * average) / (draws - 1));
    CHECK(std::abs(average - expected_bits(vector)) < 5 * deviation);
  }
}

TEST_CASE("gap: expected bits per coordinate of Gaussian vectors are those of the reference table") {
  struct Row {
    const char* quantizer;
    double bits;
  };
  // Rows with L2 norms only: these vary little. The sample behind the table leaves its rows with L-infinity
  // norms less certain than their digits.
  for (const Row& row :
       {Row{"dither(l2, levels=1, bucket=512)", 0.365}, Row{"dither(l2, levels=7, bucket=512)", 1.40},
        Row{"dither(l2, levels=15, bucket=512)", 2.19}}) {
    CAPTURE(row.quantizer);
    const std::size_t n = 512 * 64;
    const DitheredVector vector = dithered(row.quantizer, gaussian<double>(n, 3), 1);
    CHECK(std::abs(expected_bits(vector) / n - row.bits) < 0.01);
  }
}

TEST_CASE("gap: one level of 512 Gaussian coordinates stays below QSGD's published length") {
  // Alistarh et al. 2017, Theorem 3.2 with s = 1 and without its o(1): (3 + 3/2 log2(2 (1 + n) / (1 + sqrt
  // n)))(1 + sqrt n).
  const double n = 512;
  const double root = std::sqrt(n);
  const double bound = (3 + 1.5 * std::log2(2 * (1 + n) / (1 + root))) * (1 + root);
  CHECK(expected_bits(dithered("dither(l2, levels=1)", gaussian<double>(512, 2), 1)) < bound);
}

}  // namespace hearsay::test::gap_test
