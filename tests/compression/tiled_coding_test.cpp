#include "algorithms/compression/tiled_coding.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/compression/code_streams.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::tiled_coding_test {

namespace {

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> make_quantizer(const std::string& spelling) {
  const StageSpelling stage = parse_pipeline(spelling).front();
  for (const StageEntry& entry : stage_entries())
    if (entry.name.name == stage.name) {
      const auto& make = std::get<StageMaker<Quantizer>>(entry.make);
      if constexpr (std::is_same_v<Scalar, float>)
        return make.in_float(stage, {});
      else
        return make.in_double(stage, {});
    }
  return nullptr;
}

/// The header, and the bytes of the codes.
using Message = std::pair<std::vector<std::byte>, std::vector<std::byte>>;

constexpr QuantizeInput key{{3, 4}, std::nullopt};

template <class Scalar>
Message stage_after_stage(const Quantizer<Scalar>& quantizer, Coder& coder, const std::vector<Scalar>& z,
                          CodecStatus& status) {
  std::vector<std::int32_t> codes(z.size());
  Message message(quantizer.header_bytes(z.size()),
                  coder.most_bytes(z.size(), quantizer.range(), quantizer.buckets()));
  status = quantizer.quantize(z, key, message.first, codes);
  message.second.resize(coder.encode(codes, quantizer.range(), quantizer.buckets(), message.second));
  return message;
}

template <class Scalar>
Message in_tiles(const Quantizer<Scalar>& quantizer, Coder& coder, const std::vector<Scalar>& z,
                 CodecStatus& status) {
  std::vector<std::int32_t> scratch;
  Message message(quantizer.header_bytes(z.size()),
                  coder.most_bytes(z.size(), quantizer.range(), quantizer.buckets()));
  const CodedValues coded =
      quantize_and_code<Scalar>(quantizer, coder, z, key, message.first, message.second, scratch);
  status = coded.status;
  message.second.resize(coded.bytes);
  return message;
}

/// Values and status of a message, one with a byte less or more, and one with a flipped bit, are those of
/// stage after stage.
template <class Scalar>
void check_decoding(const Quantizer<Scalar>& quantizer, Coder& coder, const Message& message, std::size_t n) {
  const auto check = [&](std::span<const std::byte> coded) {
    std::vector<std::int32_t> codes(n), scratch;
    std::vector<Scalar> expected(n), values(n);
    CodecStatus expected_status = CodecStatus::malformed;
    if (coder.decode(coded, quantizer.range(), quantizer.buckets(), codes))
      expected_status = quantizer.reconstruct(message.first, codes, expected);
    const CodecStatus status =
        decode_and_reconstruct<Scalar>(quantizer, coder, message.first, coded, values, scratch);
    REQUIRE(status == expected_status);
    if (status == CodecStatus::ok) REQUIRE(values == expected);
  };
  check(message.second);
  if (message.second.empty()) return;
  auto changed = message.second;
  changed.back() ^= std::byte{0x80};
  check(changed);
  changed.push_back(std::byte{1});
  check(changed);
  check(std::span(message.second).first(message.second.size() - 1));
}

}  // namespace

TEST_CASE_TEMPLATE(
    "tiles: the message is that of stage after stage over the whole vector, and so is what is read", Scalar,
    float, double) {
  using Limits = std::numeric_limits<Scalar>;
  for (const char* spelled : {"dither(linf, levels=7, bucket=512)", "dither(l2, levels=100, bucket=33)",
                              "dither(linf, levels=1, bucket=5000)", "dither(linf, bits=4, bucket=whole)",
                              "nearest(bits=5, bucket=100)", "log(base=2, bucket=64)", "natural", "bf16",
                              "grid(0.02)", "sign(bucket=50)", "ternary"})
    for (const char* coder_spelled : {"raw", "trit5", "elias", "elias(omega)", "gap", "entropy", "varint"}) {
      CAPTURE(spelled);
      CAPTURE(coder_spelled);
      const auto quantizer = make_quantizer<Scalar>(spelled);
      const auto coder = make_coder(coder_spelled);
      if (!coder->objection(quantizer->range()).empty()) continue;
      for (const std::size_t n : {1u, 4095u, 4097u, 9001u, 16'385u})
        // The last value, in the last tile, is a plain number, or one of several that a message cannot
        // express.
        for (const Scalar last : {Scalar(0.5), Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
          CAPTURE(n);
          CAPTURE(last);
          auto z = gaussian<Scalar>(n, n);
          z.back() = last;
          CodecStatus expected_status, status;
          const Message expected = stage_after_stage(*quantizer, *coder, z, expected_status);
          REQUIRE(in_tiles(*quantizer, *coder, z, status) == expected);
          REQUIRE(status == expected_status);
          check_decoding(*quantizer, *coder, expected, n);
        }
    }
}

TEST_CASE("tiles: messages are the same on every instruction set") {
  const auto z = gaussian<float>(20'001, 6);
  for (const char* spelled : {"dither(linf, levels=7, bucket=512)", "dither(l2, levels=15, bucket=100)"})
    for (const char* coder_spelled : {"elias", "gap", "entropy"}) {
      const auto quantizer = make_quantizer<float>(spelled);
      const auto coder = make_coder(coder_spelled);
      CodecStatus status;
      const Message expected = stage_after_stage(*quantizer, *coder, z, status);
      const int targets =
          on_every_target([&] { CHECK(in_tiles(*quantizer, *coder, z, status) == expected); });
      CHECK(targets >= 2);
    }
}

}  // namespace hearsay::test::tiled_coding_test
