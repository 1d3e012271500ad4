// From a spelling to a compressor: aliases are expanded, stages are put in their places, and a combination
// that has a fused form is replaced by it.
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "algorithms/compression/coders/plain_indices.hpp"
#include "algorithms/compression/pipeline.hpp"
#include "algorithms/compression/quantizers/dither.hpp"
#include "algorithms/compression/quantizers/natural.hpp"
#include "algorithms/compression/quantizers/sign.hpp"
#include "algorithms/compression/registry.hpp"
#include "algorithms/compression/transformed.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

namespace {

template <class... Kinds>
struct Visitor : Kinds... {
  using Kinds::operator()...;
};
template <class... Kinds>
Visitor(Kinds...) -> Visitor<Kinds...>;

const StageEntry& find_entry(const StageSpelling& stage) {
  std::vector<std::string> known;
  for (const StageEntry& entry : stage_entries()) {
    known.emplace_back(entry.name.name);
    if (known.back() == stage.name) return entry;
  }
  refuse_stage(stage, "no compressor is called '" + stage.name + "'" + did_you_mean(stage.name, known, "'"));
}

/// The spelling without aliases. An error in an alias's expansion is reported at the alias.
PipelineSpelling expanded(const PipelineSpelling& spelling) {
  PipelineSpelling stages;
  for (const StageSpelling& stage : spelling) {
    const auto* expansion = std::get_if<AliasExpansion>(&find_entry(stage).make);
    if (!expansion) {
      stages.push_back(stage);
      continue;
    }
    if (!stage.bodies.empty()) refuse_stage(stage, stage.name + " takes no compressors in braces");
    for (StageSpelling& part : expanded(parse_pipeline((*expansion)(stage)))) {
      part.text = stage.text;
      part.column = stage.column;
      stages.push_back(std::move(part));
    }
  }
  return stages;
}

template <class Scalar>
class Assembly {
 public:
  Assembly(const SegmentTable& segments, bool fuse) : segments_(segments), fuse_(fuse) {}

  std::unique_ptr<Compressor<Scalar>> build(const PipelineSpelling& spelling) {
    PipelineSpelling stages = expanded(spelling);
    for (const StageSpelling& stage : stages) {
      const StageMakers& make = find_entry(stage).make;
      if (const auto* whole = std::get_if<StageMaker<Compressor>>(&make)) {
        if (&stage != &stages.back())
          refuse_stage(stage, stage.name + " is a compressor of its own and takes no further stages");
        return behind_transforms(stage, made(*whole, stage));
      }
      if (!stage.bodies.empty()) refuse_stage(stage, stage.name + " takes no compressors in braces");
      add(stage, make);
    }
    // If neither a quantizer nor an index coder is spelled, the selector may say how its values travel.
    if (stages_.selector && !stages_.quantizer && !stages_.index_coder &&
        !stages_.selector->default_tail().empty())
      for (const StageSpelling& stage : parse_pipeline(stages_.selector->default_tail()))
        add(stage, find_entry(stage).make);
    return completed(stages);
  }

 private:
  /// A compressor of its own behind the transforms spelled before it, if any.
  std::unique_ptr<Compressor<Scalar>> behind_transforms(const StageSpelling& stage,
                                                        std::unique_ptr<Compressor<Scalar>> whole) {
    if (stages_.selector || stages_.quantizer || stages_.coder || stages_.index_coder)
      refuse_stage(stage, stage.name + " is a compressor of its own; only transforms stand before it");
    if (stages_.transforms.empty()) return whole;
    const auto dimension = segments_.empty() ? 1 : static_cast<std::size_t>(segments_.back().end());
    if (whole->traits(dimension).reach)
      refuse_stage(stage, stage.name + " reads a vector near by and takes no transforms before it");
    return std::make_unique<Transformed<Scalar>>(std::move(stages_.transforms), std::move(whole));
  }

  template <template <class> class Stage>
  std::unique_ptr<Stage<Scalar>> made(const StageMaker<Stage>& make, const StageSpelling& stage) {
    if constexpr (std::is_same_v<Scalar, float>)
      return make.in_float(stage, segments_);
    else
      return make.in_double(stage, segments_);
  }

  void add(const StageSpelling& stage, const StageMakers& make) {
    std::visit(Visitor{[&](const AliasExpansion&) {}, [&](const StageMaker<Compressor>&) {},
                       [&](const StageMaker<Transform>& maker) { add_transform(stage, maker); },
                       [&](const StageMaker<Selector>& maker) { add_selector(stage, maker); },
                       [&](const StageMaker<Quantizer>& maker) { add_quantizer(stage, maker); },
                       [&](const CoderMaker& maker) { add_coder(stage, maker); },
                       [&](const IndexCoderMaker& maker) { add_index_coder(stage, maker); }},
               make);
  }

  void add_transform(const StageSpelling& stage, const StageMaker<Transform>& maker) {
    if (stages_.selector || stages_.quantizer || stages_.coder || stages_.index_coder)
      refuse_stage(stage, stage.name + " is a transform and stands before selectors, quantizers and coders");
    stages_.transforms.push_back(made(maker, stage));
    const Transform<Scalar>& transform = *stages_.transforms.back();
    const auto dimension = static_cast<std::size_t>(segments_.empty() ? 0 : segments_.back().end());
    const std::size_t coefficients = transform.coefficients(dimension);
    if (coefficients > std::numeric_limits<std::uint32_t>::max())  // later stages number them with 32 bits
      refuse_stage(stage, "it makes " + std::to_string(coefficients) + " coefficients of " +
                              std::to_string(dimension) + "; expected at most 4294967295");
    // Layers are those of the model. Coefficients that mix the coordinates of layers form one layer.
    if (transform.keeps_layers()) return;
    layers_end_at_ = transform.spelling();
    if (!segments_.empty()) segments_ = {{"coefficients", 0, static_cast<Index>(coefficients)}};
  }

  void add_selector(const StageSpelling& stage, const StageMaker<Selector>& maker) {
    if (stages_.selector) refuse_stage(stage, "a second selector after " + stages_.selector->spelling());
    if (stages_.quantizer || stages_.coder || stages_.index_coder)
      refuse_stage(stage, stage.name + " is a selector and stands before quantizers and coders");
    stages_.selector = made(maker, stage);
    layers_end_at_ = stages_.selector->spelling();
    segments_.clear();
  }

  void add_quantizer(const StageSpelling& stage, const StageMaker<Quantizer>& maker) {
    if (stages_.quantizer) refuse_stage(stage, "a second quantizer after " + stages_.quantizer->spelling());
    if (stages_.coder || stages_.index_coder)
      refuse_stage(stage, stage.name + " is a quantizer and stands before coders");
    stages_.quantizer = made(maker, stage);
    if (layers_end_at_.empty() || stages_.quantizer->buckets().spelling() != "layer") return;
    if (std::ranges::any_of(stage.arguments, [](const auto& argument) { return argument.value == "layer"; }))
      refuse_stage(stage, stage.name + " has a bucket per layer, and behind " + layers_end_at_ +
                              " there are no layers; expected bucket=whole or a number such as bucket=512");
    // Layers are only the default here, not spelled by the user: the whole vector takes their place.
    StageSpelling whole = stage;
    whole.arguments.push_back({"bucket", "whole", stage.column, stage.column});
    stages_.quantizer = made(maker, whole);
  }

  void add_coder(const StageSpelling& stage, const CoderMaker& maker) {
    if (stages_.coder) refuse_stage(stage, "a second coder after " + stages_.coder->spelling());
    if (!stages_.quantizer)
      refuse_stage(stage, stage.name + " codes whole numbers and needs a quantizer before it");
    stages_.coder = maker(stage);
    const std::string objection = stages_.coder->objection(stages_.quantizer->range());
    if (!objection.empty()) refuse_stage(stage, objection);
  }

  void add_index_coder(const StageSpelling& stage, const IndexCoderMaker& maker) {
    if (stages_.index_coder) refuse_stage(stage, "a second coder of indices");
    if (!stages_.selector || stages_.selector->seed_bytes(1) > 0)
      refuse_stage(stage, stage.name + " codes indices and needs a selector whose indices travel before it");
    stages_.index_coder = maker(stage);
  }

  std::unique_ptr<Compressor<Scalar>> completed(const PipelineSpelling& spelled) {
    if (stages_.quantizer && !stages_.coder)
      for (const StageSpelling& stage : parse_pipeline(stages_.quantizer->default_coder()))
        add(stage, find_entry(stage).make);
    if (stages_.selector && stages_.selector->seed_bytes(1) == 0 && !stages_.index_coder)
      stages_.index_coder = std::make_unique<PlainIndices>();
    if (!stages_.selector && !stages_.quantizer && stages_.transforms.empty())
      refuse_stage(spelled.front(), "a compressor has a selector or a quantizer");
    if (!stages_.selector && !stages_.quantizer)
      refuse_stage(spelled.back(),
                   spelled.back().name + " alone saves nothing; expected a selector or a quantizer after it");
    if (stages_.selector && stages_.selector->shares_indices())
      for (const auto& transform : stages_.transforms)
        if (transform->uses_seed())
          refuse_stage(spelled.front(), stages_.selector->spelling() +
                                            " shares indices, and the coefficients of " +
                                            transform->spelling() + " are other ones at every peer");
    if (auto fused = fused_compressor()) return fused;
    return std::make_unique<Pipeline<Scalar>>(std::move(stages_));
  }

  std::unique_ptr<Compressor<Scalar>> fused_compressor() {
    if (!fuse_ || !stages_.transforms.empty() || stages_.selector || stages_.coder->spelling() != "raw")
      return nullptr;
    if (const auto* dither = dynamic_cast<const DitherQuantizer<Scalar>*>(stages_.quantizer.get()))
      return std::make_unique<Dither<Scalar>>(*dither);
    if constexpr (std::is_same_v<Scalar, float>) {
      if (const auto* natural = dynamic_cast<const NaturalQuantizer<float>*>(stages_.quantizer.get()))
        return std::make_unique<Natural>(*natural);
      if (const auto* sign = dynamic_cast<const SignQuantizer<float>*>(stages_.quantizer.get()))
        return std::make_unique<Sign>(*sign);
    }
    return nullptr;
  }

  SegmentTable segments_;
  bool fuse_;
  std::string layers_end_at_;  ///< the stage after which there are no layers; empty if layers still exist
  PipelineStages<Scalar> stages_;
};

}  // namespace

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_compressor(const PipelineSpelling& spelling,
                                                    const SegmentTable& segments) {
  return Assembly<Scalar>(segments, true).build(spelling);
}

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_compressor(const std::string& spelling,
                                                    const SegmentTable& segments) {
  return make_compressor<Scalar>(parse_pipeline(spelling), segments);
}

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_unfused_compressor(const std::string& spelling,
                                                            const SegmentTable& segments) {
  return Assembly<Scalar>(segments, false).build(parse_pipeline(spelling));
}

#define HEARSAY_INSTANTIATE(Scalar)                                                                \
  template std::unique_ptr<Compressor<Scalar>> make_compressor<Scalar>(const std::string&,         \
                                                                       const SegmentTable&);       \
  template std::unique_ptr<Compressor<Scalar>> make_compressor<Scalar>(const PipelineSpelling&,    \
                                                                       const SegmentTable&);       \
  template std::unique_ptr<Compressor<Scalar>> make_unfused_compressor<Scalar>(const std::string&, \
                                                                               const SegmentTable&);
HEARSAY_INSTANTIATE(float)
HEARSAY_INSTANTIATE(double)
#undef HEARSAY_INSTANTIATE

}  // namespace hearsay
