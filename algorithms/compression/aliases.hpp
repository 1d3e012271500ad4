#pragma once

#include <string>

#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

// Published compressors as pipelines of our stages, with the defaults of their papers.

/// QSGD (Alistarh et al. 2017, arXiv:1610.02132): qsgd(bits=4, bucket=512) is dither(l2, bits).
std::string expand_qsgd(const StageSpelling& stage);
/// QSGD by the largest magnitude: qsgdinf(bits=4, bucket=512) is dither(linf, bits).
std::string expand_qsgdinf(const StageSpelling& stage);
/// TernGrad (Wen et al. 2017, arXiv:1705.07878): terngrad(bucket=layer) is dither(linf, levels=1), unbiased.
/// terngrad(clip=2.5sigma), which is what the authors' program does, puts clip(2.5sigma) before it and is
/// biased.
std::string expand_terngrad(const StageSpelling& stage);
/// FastSGD (Yang et al. 2021): fastsgd(rel=2^-12, base=2) is threshold(rel) | log(base) | delta. For methods
/// with error feedback.
std::string expand_fastsgd(const StageSpelling& stage);
/// DGD-DEF (Saha, Pilanci, Goldsmith 2021, arXiv:2103.07578): dgd-def(bits=3, block=4096) is fwht(block) |
/// nearest(bits), the near-democratic form. dgd-def(kashin) is the democratic form, with kashin in place of
/// fwht. The published method is this with algorithm.feedback = "dgd-def".
std::string expand_dgd_def(const StageSpelling& stage);
/// ScaleCom (Chen et al. 2020, arXiv:2104.11125): scalecom(share=0.1%) is leader_topk(share). The published
/// method is this with qsgd-allreduce and algorithm.feedback = "low-pass(0.1)".
std::string expand_scalecom(const StageSpelling& stage);
/// Natural dithering (Horvath et al. 2019, arXiv:1905.10988): natural-dithering(norm=linf, levels=7,
/// bucket=512) is dither(norm, pow2), levels 0, 2^-6, ..., 1/2, 1. The message in the paper has one norm for
/// the whole vector, which is bucket=whole.
std::string expand_natural_dithering(const StageSpelling& stage);
/// NUQSGD (Ramezani-Kebrya et al. 2021, arXiv:1908.06077): nuqsgd(bits=4, bucket=8192) is dither(l2, pow2,
/// bits). The paper's NUQSGD(s) has the levels 0, 2^-s, ..., 1/2, 1, of which s + 1 are positive. Here bits =
/// b gives 2^(b-1) - 1 positive levels, as in every dither, so s = 2^(b-1) - 2: 4 bits are NUQSGD(6).
std::string expand_nuqsgd(const StageSpelling& stage);

}  // namespace hearsay
