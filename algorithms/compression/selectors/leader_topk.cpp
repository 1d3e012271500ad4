#include "algorithms/compression/selectors/leader_topk.hpp"

namespace hearsay {

template <class Scalar>
std::unique_ptr<Selector<Scalar>> LeaderTopK<Scalar>::parse(const StageSpelling& stage,
                                                            const SegmentTable& segments) {
  const Arguments arguments(stage, {"share", {"share", "k"}, {}});
  return std::make_unique<LeaderTopK>(SelectionSize::parse(arguments, segments));
}

template class LeaderTopK<float>;
template class LeaderTopK<double>;

}  // namespace hearsay
