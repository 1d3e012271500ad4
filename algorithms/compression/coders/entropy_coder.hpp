#pragma once

#include <array>
#include <optional>
#include <vector>

#include "algorithms/compression/coders/bit_reader.hpp"
#include "algorithms/compression/coders/code_tally.hpp"
#include "algorithms/compression/coders/entropy_kernel.hpp"
#include "algorithms/compression/coders/state_tables.hpp"
#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/scratch.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Takes about as many bits as the entropy of the codes of the message, by tabled asymmetric numeral systems
/// (state_tables.hpp) with four states in turns. The frequencies are counted anew for every message. It pays
/// for Euclidean norms and sparse codes, for which most codes take less than a bit. If it would not be
/// shorter, codes travel at a fixed width.
///
///   number   v = 2 q for q >= 0, -2 q - 1 otherwise, if the range has negative codes; else q - least
///   symbol   v itself below 32; above, 8 symbols per octave, and the lower bits of v travel as they are
///   pairs    if states have 12 bits and all symbols are below 16, two codes form one symbol, of frequency
///            f_a f_b / L: half as many steps for 0.2 % more bits. The last of an odd number of codes is
///            paired with itself.
///
/// Message    empty if there are no codes. Else a byte 0, then every q - least in the fewest bits that hold
///            the range; or, if that takes fewer bytes, a byte 1, then: the highest symbol (8 bits);
///            gamma(f_s + 1) for all symbols below it (elias.hpp; the frequency of the highest is what is
///            missing to L = 2^bits); the four states without their highest bit; for each code (or pair of
///            them) the lower bits of v, then those that bring state i mod 4 back. Highest bit of a byte
///            first, zeros up to the end of the last byte. `bits` follows from the number of codes and the
///            highest symbol. The decoder must end with all states at 0, where the encoder began.
/// Canonical  the decoder refuses frequencies that are not those of the decoded codes, and the longer of the
///            two forms.
///
/// Why not    Huffman: at least one bit a code, so codes must be grouped, and s = 1 of QSGD (0.26 bits) wants
///            groups of seven; a range coder: multiplications and divisions in one chain; rANS: patents are
///            claimed on forms of it, which its tabled sibling, in wide use since zstd, is not known to
///            touch. libzstd exports no such stage, and zlib's Huffman codes know bytes only, at a bit or
///            more each.
class EntropyCoder final : public Coder, public KeepsScratch {
 public:
  static std::unique_ptr<Coder> parse(const StageSpelling& stage);

  std::string spelling() const override { return "entropy"; }
  std::string objection(const CodeRange&) const override { return ""; }
  bool data_dependent_size() const override { return true; }
  std::size_t scratch_bytes(std::size_t codes, CodecUse use) const override;
  std::size_t most_bytes(std::size_t n, const CodeRange& range, const Buckets& buckets) const override;
  void reserve(std::size_t n, const CodeRange& range) override;
  void begin(std::size_t n, const CodeRange& range, const Buckets& buckets,
             std::span<std::byte> out) override;
  void append(std::span<const std::int32_t> codes) override;
  std::size_t finish() override;
  std::size_t part_grain(const Buckets&) const override { return 2; }
  bool decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
              std::span<std::int32_t> codes) override;

 private:
  /// Computes highest_, bits_ and frequencies_ from the tally.
  void find_frequencies();
  /// True if two codes form one symbol.
  bool paired() const;
  /// The frequencies of the pairs a | b << 4.
  Frequencies pair_frequencies() const;
  /// Encodes the codes of the tally, from the last to the first, into `payload_`, from its end backwards.
  /// Returns how many bits the message of this form takes.
  std::size_t encode_states();
  void encode_singles(BackwardWriter& writer);
  void encode_pairs_of_codes(BackwardWriter& writer);
  std::size_t write_message(std::span<std::byte> out) const;
  bool decode_states(BitReader& reader, const CodeRange& range, std::span<std::int32_t> codes);
  bool decode_pairs(BitReader& reader, const CodeRange& range, std::span<std::int32_t> codes);
  bool read_frequencies(BitReader& reader, std::size_t n);

  // State of the message at hand.
  CodeTally tally_;
  std::span<std::byte> out_;
  Frequencies frequencies_;
  std::size_t highest_ = 0;  ///< the highest symbol in use
  unsigned bits_ = 0;        ///< the bits of a state
  States states_{};
  StateEncoder encoder_;
  StateDecoder decoder_;
  std::vector<std::byte> payload_;
  std::size_t payload_begin_ = 0;
  std::uint64_t payload_head_ = 0;  ///< the bits of the payload before its first whole byte
  unsigned payload_head_bits_ = 0;
};

}  // namespace hearsay
