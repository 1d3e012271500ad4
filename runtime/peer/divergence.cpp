#include "runtime/peer/divergence.hpp"

#include "topology/foundation/ensure.hpp"

namespace hearsay {

Divergence divergence_of(CodecStatus status, std::uint64_t iteration) {
  switch (status) {
    case CodecStatus::ok:
      break;
    case CodecStatus::not_finite:
      return {iteration, "a message left the finite range"};
    case CodecStatus::saturated:
      return {iteration, "a value left the finite range of its code"};
    case CodecStatus::out_of_reach:
      return {iteration,
              "the models of two neighbors are farther apart than their compressor reaches; "
              "expected a larger k or step in mod(k, step), or a smaller step size"};
    case CodecStatus::malformed:
      return {iteration, "a message came that does not fit the method", true};
  }
  ensure(false, "what went well is no divergence");
  return {};
}

}  // namespace hearsay
