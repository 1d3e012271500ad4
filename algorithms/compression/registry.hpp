#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/selector.hpp"
#include "algorithms/compression/seam/spelling.hpp"
#include "algorithms/compression/seam/transform.hpp"

namespace hearsay {

/// A compressor's row of the table of compressors in the manual, in Markdown, beside the summary.
struct CompressorManual {
  std::string_view spellings;     ///< "`natural`, `natural(bits=8)`"
  std::string_view details = {};  ///< what the summary leaves out
  std::string_view unbiased;
  std::string_view bytes;  ///< of a message's payload
};

/// A registered name: a stage, an alias of stages, or a whole compressor.
struct CompressorName {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  ///< a compressor whose spelling has the name
  CompressorManual manual;
};

/// Builds a stage from its spelling, in float and in double.
template <template <class> class Stage>
struct StageMaker {
  std::unique_ptr<Stage<float>> (*in_float)(const StageSpelling&, const SegmentTable&);
  std::unique_ptr<Stage<double>> (*in_double)(const StageSpelling&, const SegmentTable&);
};

/// Returns the spelling of the pipeline that an alias stands for, its arguments filled in.
using AliasExpansion = std::string (*)(const StageSpelling&);
using CoderMaker = std::unique_ptr<Coder> (*)(const StageSpelling&);
using IndexCoderMaker = std::unique_ptr<IndexCoder> (*)(const StageSpelling&);

using StageMakers = std::variant<AliasExpansion, StageMaker<Compressor>, StageMaker<Transform>,
                                 StageMaker<Selector>, StageMaker<Quantizer>, CoderMaker, IndexCoderMaker>;

struct StageEntry {
  CompressorName name;
  StageMakers make;
};

/// All registered stages, and their names alone, both in the order of `hearsay list`.
std::span<const StageEntry> stage_entries();
std::span<const CompressorName> compressor_names();

/// Builds a compressor from a parsed spelling, as `make_compressor` does from a text.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_compressor(const PipelineSpelling& spelling,
                                                    const SegmentTable& segments);

/// Builds the compressor that runs stage after stage, even if a fused form exists: tests compare the two.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_unfused_compressor(const std::string& spelling,
                                                            const SegmentTable& segments);

}  // namespace hearsay
