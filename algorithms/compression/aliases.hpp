#pragma once

#include <string>

#include "algorithms/compression/spelling.hpp"

namespace hearsay {

// Published compressors as pipelines of our stages, with the defaults of their papers.

/// QSGD (Alistarh et al. 2017, arXiv:1610.02132): qsgd(bits=4, bucket=512) is dither(l2, bits).
std::string expand_qsgd(const StageSpelling& stage);
/// QSGD by the largest magnitude: qsgdinf(bits=4, bucket=512) is dither(linf, bits).
std::string expand_qsgdinf(const StageSpelling& stage);
/// TernGrad (Wen et al. 2017, arXiv:1705.07878): terngrad(bucket=layer) is dither(linf, levels=1), without clipping.
std::string expand_terngrad(const StageSpelling& stage);
/// ScaleCom (Chen et al. 2020, arXiv:2104.11125): scalecom(share=0.1%) is leader_topk(share). As published with
/// qsgd-allreduce and algorithm.feedback = "low-pass(0.1)".
std::string expand_scalecom(const StageSpelling& stage);

}  // namespace hearsay
