#include "algorithms/compression/registry.hpp"

#include <array>

#include "algorithms/compression/compressor.hpp"
#include "algorithms/compression/dither.hpp"
#include "algorithms/compression/none.hpp"
#include "algorithms/compression/spelling.hpp"
#include "topology/misuse.hpp"
#include "topology/nearest_name.hpp"

namespace hearsay {

namespace {

constexpr std::array names{
    CompressorName{"none", "the vector itself, in full precision", "none"},
    CompressorName{"dither", "random rounding to equally spaced levels up to the bucket's norm; unbiased",
                   "dither(linf, levels=7, bucket=512)"},
    CompressorName{"qsgd", "QSGD: dither by the Euclidean norm, given its bits", "qsgd(bits=4, bucket=512)"},
    CompressorName{"qsgdinf", "QSGD by the largest magnitude: dither(linf), given its bits", "qsgdinf(8)"},
    CompressorName{"terngrad", "TernGrad without clipping: dither to -1, 0, 1, a scale per layer",
                   "terngrad"},
};

template <class Scalar>
using Parse = std::unique_ptr<Compressor<Scalar>> (*)(const StageSpelling&, const SegmentTable&);

/// In the order of `names`.
template <class Scalar>
constexpr std::array<Parse<Scalar>, names.size()> parsers{
    &None<Scalar>::parse,           &Dither<Scalar>::parse,          &Dither<Scalar>::parse_qsgd,
    &Dither<Scalar>::parse_qsgdinf, &Dither<Scalar>::parse_terngrad,
};

}  // namespace

std::span<const CompressorName> compressor_names() { return names; }

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_compressor(const std::string& spelling,
                                                    const SegmentTable& segments) {
  const StageSpelling stage = parse_stage(spelling);
  std::vector<std::string> known;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k].name == stage.name) return parsers<Scalar>[k](stage, segments);
    known.emplace_back(names[k].name);
  }
  throw Misuse("algorithm.compressor", '"' + spelling + '"',
               "column " + std::to_string(stage.column) + ": no compressor is called '" + stage.name +
                   "' (nearest: '" + nearest_name(stage.name, known) + "')");
}

template std::unique_ptr<Compressor<float>> make_compressor<float>(const std::string&, const SegmentTable&);
template std::unique_ptr<Compressor<double>> make_compressor<double>(const std::string&, const SegmentTable&);

}  // namespace hearsay
