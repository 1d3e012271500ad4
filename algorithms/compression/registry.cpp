#include "algorithms/compression/registry.hpp"

#include <array>
#include <type_traits>

#include "algorithms/compression/compressor.hpp"
#include "algorithms/compression/dither.hpp"
#include "algorithms/compression/grid.hpp"
#include "algorithms/compression/none.hpp"
#include "algorithms/compression/randk.hpp"
#include "algorithms/compression/spelling.hpp"
#include "algorithms/compression/topk.hpp"
#include "topology/misuse.hpp"
#include "topology/nearest_name.hpp"

namespace hearsay {

namespace {

template <class Scalar>
using Parse = std::unique_ptr<Compressor<Scalar>> (*)(const StageSpelling&, const SegmentTable&);

struct Entry {
  CompressorName name;
  Parse<float> parse_float;
  Parse<double> parse_double;
};

constexpr std::array entries{
    Entry{
        {"none", "the vector itself, in full precision", "none"}, &None<float>::parse, &None<double>::parse},
    Entry{{"dither", "random rounding to equally spaced levels up to the bucket's norm; unbiased",
           "dither(linf, levels=7, bucket=512)"},
          &Dither<float>::parse,
          &Dither<double>::parse},
    Entry{{"qsgd", "QSGD: dither by the Euclidean norm, given its bits", "qsgd(bits=4, bucket=512)"},
          &Dither<float>::parse_qsgd,
          &Dither<double>::parse_qsgd},
    Entry{{"qsgdinf", "QSGD by the largest magnitude: dither(linf), given its bits", "qsgdinf(8)"},
          &Dither<float>::parse_qsgdinf,
          &Dither<double>::parse_qsgdinf},
    Entry{{"terngrad", "TernGrad without clipping: dither to -1, 0, 1, a scale per layer", "terngrad"},
          &Dither<float>::parse_terngrad,
          &Dither<double>::parse_terngrad},
    Entry{{"grid",
           "random rounding to a fixed grid, integers of variable length; unbiased, what ECD-PSGD needs",
           "grid(step=0.02)"},
          &Grid<float>::parse,
          &Grid<double>::parse},
    Entry{{"topk", "the coordinates of largest magnitude, with their indices; contractive", "topk(1%)"},
          &TopK<float>::parse,
          &TopK<double>::parse},
    Entry{{"randk", "coordinates drawn at random from a shared seed; contractive, or unbiased if 'scaled'",
           "randk(10%, scaled)"},
          &RandK<float>::parse,
          &RandK<double>::parse},
};

constexpr auto names = [] {
  std::array<CompressorName, entries.size()> all{};
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = entries[k].name;
  return all;
}();

}  // namespace

std::span<const CompressorName> compressor_names() { return names; }

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_compressor(const std::string& spelling,
                                                    const SegmentTable& segments) {
  const StageSpelling stage = parse_stage(spelling);
  std::vector<std::string> known;
  for (const Entry& entry : entries) {
    known.emplace_back(entry.name.name);
    if (known.back() != stage.name) continue;
    if constexpr (std::is_same_v<Scalar, float>)
      return entry.parse_float(stage, segments);
    else
      return entry.parse_double(stage, segments);
  }
  throw Misuse("algorithm.compressor", '"' + spelling + '"',
               "column " + std::to_string(stage.column) + ": no compressor is called '" + stage.name +
                   "' (nearest: '" + nearest_name(stage.name, known) + "')");
}

template std::unique_ptr<Compressor<float>> make_compressor<float>(const std::string&, const SegmentTable&);
template std::unique_ptr<Compressor<double>> make_compressor<double>(const std::string&, const SegmentTable&);

}  // namespace hearsay
