#include "algorithms/compression/coders/entropy_coder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "tests/compression/code_streams.hpp"
#include "tests/compression/compression.hpp"

namespace hearsay::test::entropy_test {

namespace {

/// The entropy of the codes by their own frequencies, in bits per code.
double entropy_of(const std::vector<std::int32_t>& codes) {
  std::map<std::int32_t, double> counts;
  for (const std::int32_t code : codes) ++counts[code];
  double bits = 0.0;
  const auto n = static_cast<double>(codes.size());
  for (const auto& entry : counts) bits -= entry.second / n * std::log2(entry.second / n);
  return bits;
}

double bits_per_code(const std::vector<std::int32_t>& codes, const CodeRange& range) {
  EntropyCoder coder;
  return 8.0 * static_cast<double>(coded(coder, codes, range).size()) / static_cast<double>(codes.size());
}

/// Counts of several shapes: equal, one symbol only, one rare symbol, geometric, with unused symbols.
std::vector<SymbolCounts> histograms() {
  std::vector<SymbolCounts> all(6, SymbolCounts{});
  for (std::size_t s = 0; s < 15; ++s) {
    all[0][s] = 7;
    all[3][s] = 1 + (std::uint64_t{1} << (2 * s));
    all[4][3 * s] = 100 * s + 1;
  }
  all[1][4] = 100;
  all[2][0] = 4'000'000'000;
  all[2][5] = 1;
  for (std::size_t s = 0; s < 248; ++s) all[5][s] = s % 31 == 0 ? 1'000'000 : 1;
  return all;
}

std::uint64_t total_of(const SymbolCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

TEST_CASE("state tables: frequencies sum to the places, and are right to a place but where 1 is too much") {
  for (const SymbolCounts& counts : histograms())
    for (unsigned bits = 8; bits <= most_state_bits; ++bits) {
      const std::uint64_t total = total_of(counts);
      const Frequencies frequencies = normalised(counts, total, bits);
      std::size_t sum = 0;
      std::size_t raised = 0;
      for (std::size_t s = 0; s < counts.size(); ++s) {
        sum += frequencies[s];
        CHECK((frequencies[s] == 0) == (counts[s] == 0));
        raised += counts[s] > 0 && counts[s] << bits < total;
      }
      CHECK(sum == std::size_t{1} << bits);
      for (std::size_t s = 0; s < counts.size(); ++s) {
        const double exact =
            std::ldexp(static_cast<double>(counts[s]), static_cast<int>(bits)) / static_cast<double>(total);
        if (exact >= 1.0) CHECK(std::abs(frequencies[s] - exact) < 1.0 + static_cast<double>(raised));
      }
    }
}

TEST_CASE("state tables: decoding undoes encoding from every state with every symbol") {
  for (const SymbolCounts& counts : histograms())
    for (unsigned bits = 8; bits <= most_state_bits; ++bits) {
      const std::uint32_t places = 1u << bits;
      const Frequencies frequencies = normalised(counts, total_of(counts), bits);
      StateEncoder encoder;
      StateDecoder decoder;
      encoder.build(frequencies, bits);
      decoder.build(frequencies, bits);
      for (std::size_t s = 0; s < counts.size(); ++s) {
        if (frequencies[s] == 0) continue;
        bool undone = true;
        for (std::uint32_t state = places; state < 2 * places; ++state) {
          const auto symbol = encoder.symbols[s];
          const unsigned dropped = (state + symbol.bits_bias) >> 16;
          const auto place =
              static_cast<std::size_t>(static_cast<std::int32_t>(state >> dropped) + symbol.first_place);
          if (place >= places) FAIL("state " << state << " leads nowhere");
          const std::uint32_t next = encoder.next[place];
          if (next < places || next >= 2 * places) FAIL("state " << state << " leads out of the table");
          const StateDecoder::Place back = decoder.places[next - places];
          undone = undone && back.symbol == s && back.bits == dropped &&
                   places + back.base + (state & ((1u << dropped) - 1)) == state;
        }
        CHECK(undone);
      }
    }
}

TEST_CASE("entropy: dithered Gaussian vectors take half a percent more than their entropy, header included") {
  struct Row {
    const char* quantizer;
    double entropy;  ///< by the reference table, whose row with an L-infinity norm comes from another sample
    double tolerance;
  };
  const std::size_t n = 512 * 512;
  for (const Row& row : {Row{"dither(linf, levels=7, bucket=512)", 3.19, 0.02},
                         Row{"dither(l2, levels=7, bucket=512)", 1.06, 0.01},
                         Row{"dither(l2, levels=15, bucket=512)", 1.69, 0.01},
                         Row{"dither(l2, levels=1, bucket=512)", 0.255, 0.01},
                         Row{"dither(linf, levels=1, bucket=512)", 1.06, 0.02}}) {
    CAPTURE(row.quantizer);
    const DitheredVector vector = dithered(row.quantizer, gaussian<double>(n, 3), 1);
    const auto& codes = vector.draws[0];
    const double entropy = entropy_of(codes);
    CHECK(std::abs(entropy - row.entropy) < row.tolerance);
    const double bits = bits_per_code(codes, vector.range);
    CHECK(bits >= entropy);
    CHECK(bits < 1.005 * entropy);
  }
}

TEST_CASE("entropy: large alphabets lose no more than a percent by sharing symbols") {
  for (const char* quantizer :
       {"dither(linf, levels=127, bucket=512)", "dither(l2, levels=1000, bucket=512)"}) {
    const DitheredVector vector = dithered(quantizer, gaussian<double>(512 * 512, 3), 1);
    const double entropy = entropy_of(vector.draws[0]);
    CHECK(bits_per_code(vector.draws[0], vector.range) < 1.01 * entropy);
  }
}

TEST_CASE("entropy: short messages cost at most the fixed width and a byte") {
  EntropyCoder coder;
  for (const CodeRange& range : code_ranges())
    for (const std::size_t n : {1u, 2u, 3u, 10u, 100u})
      for (const auto& codes : code_sequences(range, n)) {
        const double width = std::ceil(std::log2(static_cast<double>(range.size())));
        CHECK(coded(coder, codes, range).size() <= 1 + std::ceil(static_cast<double>(n) * width / 8));
      }
}

TEST_CASE("entropy: a million equal codes take a dozen bytes, two kinds of them their share") {
  std::vector<std::int32_t> codes(1'000'000, -3);
  CHECK(bits_per_code(codes, {-7, 7}) * 1e6 <= 12 * 8);
  for (std::size_t i = 0; i < codes.size(); i += 1000) codes[i] = 5;
  CHECK(bits_per_code(codes, {-7, 7}) < 1.02 * entropy_of(codes) + 1e-4);
}

TEST_CASE("entropy: what a range allows beyond the codes in use changes nothing") {
  RandomStream random(7, 0, 0, Purpose::data);
  for (const std::size_t n : {20'000u, 20'001u}) {
    std::vector<std::int32_t> codes(n);
    for (std::int32_t& code : codes)
      code = static_cast<std::int32_t>(std::lround(std::clamp(2 * random.normal(), -7.0, 7.0)));
    EntropyCoder coder;
    const auto narrow = coded(coder, codes, {-7, 7});
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    for (const CodeRange range : {CodeRange{-31, 31}, CodeRange{-127, 127}, CodeRange{-most - 1, most}}) {
      CAPTURE(range.most);
      CHECK(coded(coder, codes, range) == narrow);
      std::vector<std::int32_t> decoded(n);
      CHECK(coder.decode(narrow, range, whole_bucket(), decoded));
      CHECK(decoded == codes);
    }
  }
}

TEST_CASE("entropy: of the layout, the header in front of the states") {
  // 64 codes of two values, 0 and 1: states of 5 bits; the symbols are 0 (for 0) and 2 (for 1), with 16
  // places each.
  std::vector<std::int32_t> codes(64);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = i % 2;
  EntropyCoder coder;
  const std::string bits = bits_of(coded(coder, codes, {-7, 7}));
  const std::string header =
      "00000001"
      "00000010" +
      gamma_bits(17) + gamma_bits(1);
  CHECK(bits.substr(0, header.size()) == header);
  // Each code has probability 1/2 and so drops one bit of a state.
  CHECK(bits.size() == (header.size() + 4 * 5 + 64 + 7) / 8 * 8);
  // Entropy coding would not be shorter: the codes themselves follow, counted from the least.
  CHECK(coded(coder, std::vector<std::int32_t>{-7, 7, 0}, {-7, 7}) == bytes_of("00000000"
                                                                               "0000"
                                                                               "1110"
                                                                               "0111"));
}

TEST_CASE("entropy: hostile frequencies, states and payloads are refused or are canonical") {
  EntropyCoder coder;
  const CodeRange range{-7, 7};
  const auto codes = dithered("dither(l2, levels=7)", gaussian<double>(1500, 2), 1).draws[0];
  const auto message = coded(coder, codes, range);
  RandomStream noise(8, 0, 0, Purpose::data);
  std::vector<std::int32_t> back(codes.size());
  std::size_t accepted = 0;
  const auto judge = [&](const std::vector<std::byte>& bytes) {
    if (!coder.decode(bytes, range, whole_bucket(), back)) return;
    ++accepted;
    REQUIRE(coded(coder, back, range) == bytes);
  };
  for (std::size_t bit = 0; bit < message.size() * 8; ++bit) {
    auto bytes = message;
    bytes[bit / 8] ^= std::byte{0x80} >> (bit % 8);
    judge(bytes);
  }
  for (int round = 0; round < 500; ++round) {
    // Noise in the header only, or everywhere but in the header.
    auto bytes = message;
    const std::size_t header = 20;
    for (std::size_t k = round % 2 ? 1 : header; k < (round % 2 ? header : bytes.size()); ++k)
      bytes[k] = static_cast<std::byte>(noise.bits());
    judge(bytes);
  }
  judge(message);
  CHECK(accepted >= 1);
  // The frequencies leave nothing for the highest symbol.
  CHECK_FALSE(coder.decode(bytes_of("00000001"
                                    "00000001" +
                                    gamma_bits(33) + std::string(80, '0')),
                           range, whole_bucket(), std::span(back).first(64)));
  // The highest symbol is not one of the range.
  CHECK_FALSE(coder.decode(bytes_of("00000001"
                                    "00010000" +
                                    std::string(16, '1') + std::string(40, '0')),
                           range, whole_bucket(), std::span(back).first(64)));
}

TEST_CASE(
    "entropy: long messages of few symbols, whose codes go in pairs, decode to themselves at every length") {
  EntropyCoder coder;
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  for (const CodeRange& range :
       {CodeRange{-7, 7}, CodeRange{-1, 1}, CodeRange{0, 15}, CodeRange{-16, 15}, CodeRange{-8, 3},
        CodeRange{0, 16}, CodeRange{most - 5, most}, CodeRange{-most - 1, -most}})
    for (const std::size_t n : {8191u, 8192u, 8193u, 8199u, 8200u, 8205u})
      for (const auto& codes : code_sequences(range, n)) {
        std::vector<std::int32_t> back(n, 99);
        REQUIRE(coder.decode(coded(coder, codes, range), range, whole_bucket(), back));
        REQUIRE(back == codes);
      }
}

TEST_CASE("entropy: few small codes of a wide range, as many as go in pairs, decode to themselves") {
  EntropyCoder coder;
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  for (const CodeRange& range : {CodeRange{-127, 127}, CodeRange{0, 511}, CodeRange{-most - 1, most},
                                 CodeRange{most - 511, most}, CodeRange{-most - 1, -most + 600}})
    for (const std::size_t n : {8191u, 8192u, 8193u, 20'000u}) {
      CAPTURE(range.least);
      CAPTURE(n);
      const std::int32_t first = range.least < 0 && range.most > 0 ? -7 : range.least;
      RandomStream random(12, 0, n, Purpose::data);
      std::vector<std::vector<std::int32_t>> all(3, std::vector<std::int32_t>(n, first));
      for (std::int32_t& code : all[1]) code += static_cast<std::int32_t>(random.below(15));
      for (std::int32_t& code : all[2]) code += random.below(50) == 0 ? 14 : 7;
      for (const auto& codes : all) {
        std::vector<std::int32_t> back(n, 99);
        REQUIRE(coder.decode(coded(coder, codes, range), range, whole_bucket(), back));
        REQUIRE(back == codes);
      }
    }
}

TEST_CASE(
    "entropy: a message of fixed width whose codes are few and small is refused, not read out of bounds") {
  EntropyCoder coder;
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  for (const CodeRange& range : {CodeRange{-127, 127}, CodeRange{0, 511}, CodeRange{-most - 1, most}})
    for (const std::size_t n : {8192u, 8193u, 20'000u}) {
      CAPTURE(range.least);
      CAPTURE(n);
      const auto width = static_cast<std::size_t>(std::bit_width(range.size() - 1));
      std::string bits(8, '0');
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t bit = width; bit-- > 0;)  // the code 0
          bits += (static_cast<std::uint64_t>(-std::int64_t{range.least}) >> bit & 1) != 0 ? '1' : '0';
      std::vector<std::int32_t> back(n);
      CHECK_FALSE(coder.decode(bytes_of(bits), range, whole_bucket(), back));
    }
  // The same as a whole message: the codes of a grid have the largest range.
  const std::size_t d = 20'000;
  std::vector<std::byte> packet(1, std::byte{0});
  for (std::size_t i = 0; i < d; ++i)
    for (const int byte : {0x80, 0, 0, 0}) packet.push_back(static_cast<std::byte>(byte));
  const auto compressor = make_compressor<float>("grid(1e-3) | entropy", {});
  std::vector<float> into(d, 0.5f);
  CHECK(compressor->accumulate(packet, 1.0f, into) == CodecStatus::malformed);
  CHECK(into == std::vector<float>(d, 0.5f));
}

TEST_CASE("entropy: hostile messages of pairs are refused or are canonical") {
  EntropyCoder coder;
  const CodeRange range{-7, 7};
  const std::size_t n = 8193;
  const auto codes = dithered("dither(l2, levels=7)", gaussian<double>(n, 2), 1).draws[0];
  const auto message = coded(coder, codes, range);
  std::vector<std::int32_t> back(n);
  RandomStream noise(9, 0, 0, Purpose::data);
  std::size_t refused = 0;
  for (std::size_t round = 0; round < 1000; ++round) {
    auto bytes = message;
    // Every bit of the header, of the states and of the end, and a sample of the bits in between.
    const std::size_t bit = round < 400   ? round
                            : round < 500 ? 8 * bytes.size() - 1 - (round - 400)
                                          : noise.below(8 * bytes.size());
    bytes[bit / 8] ^= std::byte{0x80} >> (bit % 8);
    if (!coder.decode(bytes, range, whole_bucket(), back))
      ++refused;
    else
      REQUIRE(coded(coder, back, range) == bytes);
  }
  CHECK(refused > 900);
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{20}, message.size() - 1}) {
    const std::vector<std::byte> cut(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_FALSE(coder.decode(cut, range, whole_bucket(), back));
  }
}

}  // namespace hearsay::test::entropy_test
