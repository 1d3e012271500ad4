#include "algorithms/compression/coders/elias_coder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/compression/code_streams.hpp"
#include "tests/compression/compression.hpp"

namespace hearsay::test::elias_test {

namespace {

std::string word_bits(Elias code, std::uint64_t k) {
  const CodeWord word = elias_word(code, k);
  std::string bits;
  for (unsigned bit = word.length; bit-- > 0;) bits += word.bits >> bit & 1 ? '1' : '0';
  return bits;
}

/// The mean and the variance of the number of bits, exactly, from the brackets.
struct Expectation {
  double mean = 0.0;
  double variance = 0.0;
};

Expectation expectation_of(const EliasCoder& coder, const DitheredVector& vector) {
  Expectation total;
  for (const CodeBracket& bracket : vector.brackets) {
    const double low = coder.code_bits(bracket.low, vector.range);
    const double high = coder.code_bits(bracket.high, vector.range);
    const double p = bracket.probability_up;
    total.mean += low + p * (high - low);
    total.variance += p * (1 - p) * (high - low) * (high - low);
  }
  return total;
}

}  // namespace

TEST_CASE("elias: the words of the paper's tables") {
  CHECK(word_bits(Elias::gamma, 1) == "1");
  CHECK(word_bits(Elias::gamma, 2) == "010");
  CHECK(word_bits(Elias::gamma, 3) == "011");
  CHECK(word_bits(Elias::gamma, 4) == "00100");
  CHECK(word_bits(Elias::gamma, 17) == "000010001");
  CHECK(word_bits(Elias::delta, 1) == "1");
  CHECK(word_bits(Elias::delta, 2) == "0100");
  CHECK(word_bits(Elias::delta, 3) == "0101");
  CHECK(word_bits(Elias::delta, 4) == "01100");
  CHECK(word_bits(Elias::delta, 8) == "00100000");
  CHECK(word_bits(Elias::delta, 17) == "001010001");
  CHECK(word_bits(Elias::omega, 1) == "0");
  CHECK(word_bits(Elias::omega, 2) == "100");
  CHECK(word_bits(Elias::omega, 3) == "110");
  CHECK(word_bits(Elias::omega, 4) == "101000");
  CHECK(word_bits(Elias::omega, 15) == "1111110");
  CHECK(word_bits(Elias::omega, 16) == "10100100000");
  CHECK(word_bits(Elias::omega, 100) == "1011011001000");
}

TEST_CASE("elias: a message is the words one after another, a sign behind every level but 0") {
  const auto coder = make_coder("elias");
  CHECK(coder->spelling() == "elias(gamma)");
  const std::vector<std::int32_t> codes{0, 1, -1, 3, 0, -6};
  CHECK(coded(*coder, codes, {-7, 7}) == bytes_of("1"
                                                  "0100"
                                                  "0101"
                                                  "001000"
                                                  "1"
                                                  "001111"));
  // Without negative codes there are no signs; the words count from the least code.
  CHECK(coded(*coder, std::vector<std::int32_t>{5, 6, 9}, {5, 20}) == bytes_of("1"
                                                                               "010"
                                                                               "00101"));
}

TEST_CASE("elias: a message has the sum of its codes' lengths, rounded up to bytes") {
  for (const Elias code : {Elias::gamma, Elias::delta, Elias::omega}) {
    EliasCoder coder(code);
    for (const CodeRange& range : code_ranges())
      for (const auto& codes : code_sequences(range, 777)) {
        std::size_t bits = 0;
        for (const std::int32_t q : codes) bits += coder.code_bits(q, range);
        CHECK(coded(coder, codes, range).size() == (bits + 7) / 8);
      }
  }
}

TEST_CASE("elias: the lengths are the closed forms, at every power of two") {
  const auto log2 = [](std::uint64_t k) { return static_cast<unsigned>(std::bit_width(k)) - 1; };
  for (unsigned exponent = 1; exponent < 32; ++exponent)
    for (const std::uint64_t k : {(1ull << exponent) - 1, 1ull << exponent, (1ull << exponent) + 1}) {
      const unsigned n = log2(k);
      CHECK(elias_word(Elias::gamma, k).length == 2 * n + 1);
      CHECK(elias_word(Elias::delta, k).length == n + 2 * log2(n + 1) + 1);
      unsigned groups = 1;
      for (std::uint64_t rest = k; rest > 1; rest = log2(rest)) groups += log2(rest) + 1;
      CHECK(elias_word(Elias::omega, k).length == groups);
    }
}

TEST_CASE("elias: the expected length from the rounding brackets is what messages take on average") {
  const auto values = gaussian<double>(2000, 8);
  constexpr std::size_t draws = 400;
  for (const char* quantizer : {"dither(l2, levels=1)", "dither(l2, levels=7)", "dither(linf, levels=7)",
                                "dither(linf, levels=127, bucket=100)"}) {
    const DitheredVector vector = dithered(quantizer, values, draws);
    for (const Elias code : {Elias::gamma, Elias::delta, Elias::omega}) {
      EliasCoder coder(code);
      const Expectation expected = expectation_of(coder, vector);
      double average = 0.0;
      for (const auto& codes : vector.draws) {
        double bits = 0.0;
        for (const std::int32_t q : codes) bits += coder.code_bits(q, vector.range);
        const auto bytes = coded(coder, codes, vector.range).size();
        CHECK(static_cast<double>(bytes) == std::ceil(bits / 8));
        average += bits / draws;
      }
      // Five standard deviations of the average, which are known exactly.
      CHECK(std::abs(average - expected.mean) < 5 * std::sqrt(expected.variance / draws));
    }
  }
}

TEST_CASE("elias: expected bits per coordinate of Gaussian vectors are those of the reference table") {
  struct Row {
    const char* quantizer;
    double gamma, delta, omega;
  };
  // Rows with L2 norms only: these vary little. The sample behind the table leaves its rows with L-infinity
  // norms less certain than their digits.
  for (const Row& row : {Row{"dither(l2, levels=1, bucket=512)", 1.11, 1.14, 1.11},
                         Row{"dither(l2, levels=7, bucket=512)", 1.74, 1.99, 1.74},
                         Row{"dither(l2, levels=15, bucket=512)", 2.47, 2.96, 2.47},
                         Row{"dither(l2, levels=256, bucket=65536)", 2.93, 3.54, 2.94}}) {
    CAPTURE(row.quantizer);
    const std::size_t n = 65536 * 8;
    const DitheredVector vector = dithered(row.quantizer, gaussian<double>(n, 3), 1);
    const auto bits = [&](Elias code) { return expectation_of(EliasCoder(code), vector).mean / n; };
    CHECK(std::abs(bits(Elias::gamma) - row.gamma) < 0.01);
    CHECK(std::abs(bits(Elias::delta) - row.delta) < 0.01);
    CHECK(std::abs(bits(Elias::omega) - row.omega) < 0.01);
  }
}

}  // namespace hearsay::test::elias_test
