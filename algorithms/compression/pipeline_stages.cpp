#include "algorithms/compression/pipeline_stages.hpp"

#include <algorithm>

#include "algorithms/compression/seam/compose.hpp"

namespace hearsay {

template <class Scalar>
bool PipelineStages<Scalar>::use_seed() const {
  return std::ranges::any_of(transforms, [](const auto& stage) { return stage->uses_seed(); });
}

template <class Scalar>
bool PipelineStages<Scalar>::mix() const {
  return std::ranges::any_of(transforms, [](const auto& stage) { return stage->mixes(); });
}

template <class Scalar>
std::string PipelineStages<Scalar>::spelling() const {
  std::string text;
  const auto add = [&](const std::string& stage) { text += (text.empty() ? "" : " | ") + stage; };
  for (const auto& transform : transforms) add(transform->spelling());
  if (selector) add(selector->spelling());
  if (quantizer) add(quantizer->spelling());
  if (index_coder && index_coder->spelling() != "") add(index_coder->spelling());
  if (coder && coder->spelling() != quantizer->default_coder()) add(coder->spelling());
  return text;
}

template <class Scalar>
std::size_t PipelineStages<Scalar>::coefficients_of(std::size_t dimension) const {
  for (const auto& transform : transforms) dimension = transform->coefficients(dimension);
  return dimension;
}

template <class Scalar>
std::size_t PipelineStages<Scalar>::most_bytes(std::size_t dimension) const {
  if (dimension == 0) return 0;
  const std::size_t size = coefficients_of(dimension);
  std::size_t bytes = use_seed() ? sizeof(std::uint64_t) : 0;
  std::size_t n = size;
  if (selector) {
    n = selector->most(size);
    bytes += selector->count_varies() ? sizeof(std::uint32_t) : 0;
    bytes += selector->seed_bytes(size);
    if (index_coder)
      bytes += selector->count_varies() ? index_coder->most_bytes_up_to(n, size)
                                        : index_coder->most_bytes(n, size);
  }
  if (!quantizer) return bytes + n * sizeof(Scalar);
  return bytes + quantizer->header_bytes(n) + coder->most_bytes(n, quantizer->range(), quantizer->buckets());
}

template <class Scalar>
Traits PipelineStages<Scalar>::traits(std::size_t dimension) const {
  const std::size_t size = coefficients_of(dimension);
  Traits traits = exact_traits();
  std::size_t before = dimension;
  for (const auto& transform : transforms) {
    traits = composed(traits, transform->traits(before));
    before = transform->coefficients(before);
  }
  std::size_t n = size;
  if (selector) {
    n = selector->most(size);
    if (!quantizer)
      traits = composed(traits, selector->traits(size));
    else
      traits = composed(traits, on_selection(selector->traits(size), quantizer->traits(n)));
  } else if (quantizer) {
    traits = composed(traits, quantizer->traits(n));
  }
  double expansion = 1.0;
  for (const auto& transform : transforms) expansion *= transform->expansion();
  traits = behind_transforms(traits, expansion, mix());
  traits.bytes = most_bytes(dimension);
  traits.data_dependent_size = (selector && selector->count_varies()) ||
                               (index_coder && index_coder->data_dependent_size()) ||
                               (coder && coder->data_dependent_size());
  return traits;
}

template struct PipelineStages<float>;
template struct PipelineStages<double>;

}  // namespace hearsay
