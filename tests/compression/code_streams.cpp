#include "tests/compression/code_streams.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/compression/registry.hpp"

namespace hearsay::test {

namespace {

const StageMakers& makers_of(const std::string& name) {
  const auto entries = stage_entries();
  const auto entry = std::ranges::find(entries, name, [](const StageEntry& each) { return each.name.name; });
  REQUIRE(entry != entries.end());
  return entry->make;
}

}  // namespace

std::vector<CodeRange> code_ranges() {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  return {{-1, 1},   {-7, 7},           {-127, 127},   {-32767, 32767}, {-8, 7},       {0, 0},
          {0, 1},    {0, 15},           {5, 5},        {300, 70'000},   {-60, -20},    {-3, -3},
          {-2, 900}, {-1'000'000, 300}, {least, most}, {0, most},       {1'000, most}, {least, 0}};
}

std::vector<std::vector<std::int32_t>> code_sequences(const CodeRange& range, std::size_t n) {
  RandomStream random(11, 0, n, Purpose::data);
  const std::int32_t zero = std::clamp(0, range.least, range.most);
  const auto clamped = [&](std::int64_t code) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(code, range.least, range.most));
  };
  std::vector<std::vector<std::int32_t>> all(8, std::vector<std::int32_t>(n, zero));
  for (std::size_t i = 0; i < n; ++i) {
    all[1][i] = range.least;
    all[2][i] = range.most;
    all[3][i] = i % 2 ? range.least : range.most;
    all[4][i] = clamped(range.least + static_cast<std::int64_t>(random.below(range.size())));
    all[5][i] = clamped(zero + std::lround(2 * random.normal()));
    if (random.below(20) == 0)
      all[6][i] = clamped(range.least + static_cast<std::int64_t>(random.below(range.size())));
    // Every order of magnitude in the range.
    const auto width = random.below(32);
    const auto magnitude = static_cast<std::int64_t>(random.below(std::uint64_t{1} << width));
    all[7][i] = clamped(random.below(2) ? zero + magnitude : zero - magnitude);
  }
  return all;
}

std::unique_ptr<Coder> make_coder(const std::string& spelling) {
  const StageSpelling stage = parse_pipeline(spelling).front();
  return std::get<CoderMaker>(makers_of(stage.name))(stage);
}

Buckets whole_bucket() {
  return Buckets::parse(Arguments(parse_pipeline("any").front(), {"bucket", {"bucket"}, {}}), {}, "whole");
}

std::vector<std::byte> coded(Coder& coder, std::span<const std::int32_t> codes, const CodeRange& range) {
  const Buckets buckets = whole_bucket();
  std::vector<std::byte> out(coder.most_bytes(codes.size(), range, buckets), std::byte{0xA5});
  const std::size_t used = coder.encode(codes, range, buckets, out);
  REQUIRE(used <= out.size());
  return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(used)};
}

std::string bits_of(std::span<const std::byte> bytes) {
  std::string bits;
  for (const std::byte byte : bytes)
    for (int bit = 7; bit >= 0; --bit) bits += (byte >> bit & std::byte{1}) != std::byte{0} ? '1' : '0';
  return bits;
}

std::vector<std::byte> bytes_of(const std::string& bits) {
  std::vector<std::byte> bytes((bits.size() + 7) / 8, std::byte{0});
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i] == '1') bytes[i / 8] |= std::byte{0x80} >> (i % 8);
  return bytes;
}

std::string gamma_bits(std::uint64_t k) {
  std::string binary;
  for (; k > 0; k /= 2) binary.insert(binary.begin(), k % 2 ? '1' : '0');
  return std::string(binary.size() - 1, '0') + binary;
}

DitheredVector dithered(const std::string& quantizer, std::span<const double> values, std::size_t draws) {
  const StageSpelling stage = parse_pipeline(quantizer).front();
  const auto made = std::get<StageMaker<Quantizer>>(makers_of(stage.name)).in_double(stage, {});
  std::vector<std::byte> header(made->header_bytes(values.size()));
  DitheredVector result{made->range(), {}, {}};
  for (std::size_t draw = 0; draw < draws; ++draw) {
    RandomStream random(31, 0, draw, Purpose::compression);
    auto& codes = result.draws.emplace_back(values.size());
    REQUIRE(made->quantize(values, {random.element_key(), std::nullopt}, header, codes) == CodecStatus::ok);
  }
  // Bucket after bucket, each with its step.
  const std::vector<Bracket> brackets = made->brackets(values);
  REQUIRE(brackets.size() == values.size());
  made->buckets().for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    double step = 0.0;
    std::memcpy(&step, &header[bucket * sizeof(step)], sizeof(step));
    for (std::size_t i = begin; i < begin + size; ++i)
      result.brackets.push_back({static_cast<std::int32_t>(std::lround(brackets[i].low / step)),
                                 static_cast<std::int32_t>(std::lround(brackets[i].high / step)),
                                 brackets[i].probability_up});
  });
  return result;
}

}  // namespace hearsay::test
