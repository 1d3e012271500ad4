#include "algorithms/compression/registry.hpp"

#include <array>

#include "algorithms/compression/selectors/adacomp.hpp"
#include "algorithms/compression/aliases.hpp"
#include "algorithms/compression/quantizers/bf16.hpp"
#include "algorithms/compression/transforms/clip.hpp"
#include "algorithms/compression/coders/delta_indices.hpp"
#include "algorithms/compression/quantizers/dither_quantizer.hpp"
#include "algorithms/compression/coders/elias_coder.hpp"
#include "algorithms/compression/coders/entropy_coder.hpp"
#include "algorithms/compression/transforms/fwht.hpp"
#include "algorithms/compression/coders/gap_coder.hpp"
#include "algorithms/compression/quantizers/grid.hpp"
#include "algorithms/compression/transforms/kashin.hpp"
#include "algorithms/compression/selectors/leader_topk.hpp"
#include "algorithms/compression/quantizers/logarithm.hpp"
#include "algorithms/compression/modulo.hpp"
#include "algorithms/compression/quantizers/natural_quantizer.hpp"
#include "algorithms/compression/quantizers/nearest.hpp"
#include "algorithms/compression/nested.hpp"
#include "algorithms/compression/none.hpp"
#include "algorithms/compression/selectors/randk.hpp"
#include "algorithms/compression/coders/raw_coder.hpp"
#include "algorithms/compression/quantizers/sign_quantizer.hpp"
#include "algorithms/compression/quantizers/ternary.hpp"
#include "algorithms/compression/selectors/threshold.hpp"
#include "algorithms/compression/selectors/topk.hpp"
#include "algorithms/compression/coders/trit5_coder.hpp"
#include "algorithms/compression/coders/varint_coder.hpp"

namespace hearsay {

namespace {

constexpr std::array entries{
    StageEntry{{"none", "the vector itself, in full precision", "none"},
               StageMaker<Compressor>{&None<float>::parse, &None<double>::parse}},
    StageEntry{{"dither", "random rounding to levels up to the bucket's norm; unbiased",
                "dither(linf, levels=7, bucket=512)"},
               StageMaker<Quantizer>{&DitherQuantizer<float>::parse, &DitherQuantizer<double>::parse}},
    StageEntry{{"qsgd", "QSGD: dither by the Euclidean norm, given its bits", "qsgd(bits=4, bucket=512)"},
               &expand_qsgd},
    StageEntry{{"qsgdinf", "QSGD by the largest magnitude: dither(linf), given its bits", "qsgdinf(8)"},
               &expand_qsgdinf},
    StageEntry{
        {"terngrad", "TernGrad: dither to -1, 0, 1, a scale per layer; biased with clip=2.5sigma, else not",
         "terngrad"},
        &expand_terngrad},
    StageEntry{{"natural-dithering", "dither to powers of two times the norm; unbiased",
                "natural-dithering(linf, levels=7)"},
               &expand_natural_dithering},
    StageEntry{{"nuqsgd", "NUQSGD: natural dithering by the Euclidean norm, given its bits",
                "nuqsgd(bits=4, bucket=8192)"},
               &expand_nuqsgd},
    StageEntry{{"natural",
                "random rounding to powers of two; unbiased, 9 bits a float, or 8 in a window of exponents",
                "natural"},
               StageMaker<Quantizer>{&NaturalQuantizer<float>::parse, &NaturalQuantizer<double>::parse}},
    StageEntry{{"sign", "the sign of every coordinate times the bucket's mean magnitude; contractive",
                "sign(bucket=layer)"},
               StageMaker<Quantizer>{&SignQuantizer<float>::parse, &SignQuantizer<double>::parse}},
    StageEntry{{"bf16", "random rounding to bfloat16; unbiased, or deterministic if 'nearest'", "bf16"},
               StageMaker<Quantizer>{&Bf16<float>::parse, &Bf16<double>::parse}},
    StageEntry{{"nearest", "rounding to the nearest of dither's levels; deterministic and contractive",
                "nearest(bits=4, bucket=512)"},
               StageMaker<Quantizer>{&Nearest<float>::parse, &Nearest<double>::parse}},
    StageEntry{{"log", "rounding to powers of a base below the largest magnitude (FastSGD); contractive",
                "log(base=2)"},
               StageMaker<Quantizer>{&Logarithm<float>::parse, &Logarithm<double>::parse}},
    StageEntry{{"ternary",
                "signs and zeros times one magnitude, the selector's or their mean (AdaComp); contractive",
                "topk(5%) | ternary"},
               StageMaker<Quantizer>{&Ternary<float>::parse, &Ternary<double>::parse}},
    StageEntry{{"grid",
                "random rounding to a fixed grid, integers of variable length; unbiased, what ECD-PSGD needs",
                "grid(step=0.02)"},
               StageMaker<Quantizer>{&Grid<float>::parse, &Grid<double>::parse}},
    StageEntry{
        {"clip", "transform: what lies beyond c standard deviations of its layer is cut; biased (TernGrad)",
         "clip(2.5sigma) | dither(linf, levels=1, bucket=layer)"},
        StageMaker<Transform>{&Clip<float>::parse, &Clip<double>::parse}},
    StageEntry{
        {"fwht", "transform: randomised Hadamard, spreads large coordinates over their block; lossless",
         "fwht(block=4096) | dither(linf, levels=7, bucket=512)"},
        StageMaker<Transform>{&Fwht<float>::parse, &Fwht<double>::parse}},
    StageEntry{
        {"threshold",
         "selector: what reaches a share of the largest magnitude (rel=), or a number (abs=); contractive",
         "threshold(rel=2^-4)"},
        StageMaker<Selector>{&Threshold<float>::parse, &Threshold<double>::parse}},
    StageEntry{
        {"adacomp", "selector: in each bin what the latest gradient may have made the largest (AdaComp)",
         "adacomp(bin=500)"},
        StageMaker<Selector>{&AdaComp<float>::parse, &AdaComp<double>::parse}},
    StageEntry{
        {"mod",
         "random rounding to a fixed grid, of which only the remainder is sent; needs a vector near by",
         "mod(k=16, step=1)"},
        StageMaker<Compressor>{&Modulo<float>::parse, &Modulo<double>::parse}},
    StageEntry{
        {"kashin", "transform: democratic embedding, twice the coefficients, all about as large; lossless",
         "kashin(block=4096) | dither(linf, levels=7, bucket=512)"},
        StageMaker<Transform>{&Kashin<float>::parse, &Kashin<double>::parse}},
    StageEntry{
        {"fastsgd", "FastSGD: threshold, then rounding to powers of two, with narrow distances of indices",
         "fastsgd(rel=2^-12)"},
        &expand_fastsgd},
    StageEntry{{"dgd-def", "DGD-DEF: fwht (or kashin), then rounding to the nearest level, given its bits",
                "dgd-def(bits=3)"},
               &expand_dgd_def},
    StageEntry{{"topk", "selector: the coordinates of largest magnitude, with their indices; contractive",
                "topk(1%)"},
               StageMaker<Selector>{&TopK<float>::parse, &TopK<double>::parse}},
    StageEntry{
        {"leader_topk",
         "selector: top-k of a leader that changes every iteration, for all (ScaleCom's CLT-k); contractive",
         "leader_topk(1%)"},
        StageMaker<Selector>{&LeaderTopK<float>::parse, &LeaderTopK<double>::parse}},
    StageEntry{{"scalecom", "ScaleCom: leader_topk, for feedback = \"low-pass(0.1)\"", "scalecom(0.1%)"},
               &expand_scalecom},
    StageEntry{
        {"randk",
         "selector: coordinates drawn at random from a shared seed; contractive, or unbiased if 'scaled'",
         "randk(10%, scaled)"},
        StageMaker<Selector>{&RandK<float>::parse, &RandK<double>::parse}},
    StageEntry{
        {"raw", "coder: codes of a fixed width; what quantizers take that name no coder", "qsgdinf(8) | raw"},
        &RawCoder::parse},
    StageEntry{{"trit5", "coder: -1, 0 and 1, five to a byte", "terngrad | trit5"}, &Trit5Coder::parse},
    StageEntry{{"elias", "coder: Elias' gamma, delta or omega code of every level", "qsgd(4) | elias(gamma)"},
               &EliasCoder::parse},
    StageEntry{{"gap", "coder: runs of zeros, signs and levels in Elias' gamma code (QSGD's sparse form)",
                "qsgd(4) | gap"},
               &GapCoder::parse},
    StageEntry{
        {"entropy",
         "coder: about the entropy of the message's own codes (tabled ANS); pays on l2 and sparse codes",
         "qsgd(4) | entropy"},
        &EntropyCoder::parse},
    StageEntry{
        {"varint", "coder: seven bits to a byte, for codes without a useful bound", "qsgd(8) | varint"},
        &VarintCoder::parse},
    StageEntry{
        {"delta", "coder of a selector's indices: their distances, as narrow as each 128 of them permit",
         "topk(5%) | delta"},
        &DeltaIndices::parse},
    StageEntry{{"repeat", "wrapper: a compressor again and again on what is left (NEOLITHIC)",
                "repeat(2){topk(5%)}"},
               StageMaker<Compressor>{&Nested<float>::parse_repeat, &Nested<double>::parse_repeat}},
    StageEntry{
        {"scale", "wrapper: an unbiased compressor made contractive by 1/(1 + omega)", "scale{qsgd(4)}"},
        StageMaker<Compressor>{&Nested<float>::parse_scale, &Nested<double>::parse_scale}},
    StageEntry{{"induced", "wrapper: a contractive compressor, the rest by an unbiased one; unbiased",
                "induced{topk(5%)}{qsgdinf(4)}"},
               StageMaker<Compressor>{&Nested<float>::parse_induced, &Nested<double>::parse_induced}},
};

constexpr auto names = [] {
  std::array<CompressorName, entries.size()> all{};
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = entries[k].name;
  return all;
}();

}  // namespace

std::span<const StageEntry> stage_entries() { return entries; }
std::span<const CompressorName> compressor_names() { return names; }

}  // namespace hearsay
