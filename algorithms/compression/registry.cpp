#include "algorithms/compression/registry.hpp"

#include <array>

#include "algorithms/compression/aliases.hpp"
#include "algorithms/compression/chunk_topk.hpp"
#include "algorithms/compression/coders/delta_indices.hpp"
#include "algorithms/compression/coders/elias_coder.hpp"
#include "algorithms/compression/coders/entropy_coder.hpp"
#include "algorithms/compression/coders/gap_coder.hpp"
#include "algorithms/compression/coders/raw_coder.hpp"
#include "algorithms/compression/coders/trit5_coder.hpp"
#include "algorithms/compression/coders/varint_coder.hpp"
#include "algorithms/compression/modulo.hpp"
#include "algorithms/compression/nested.hpp"
#include "algorithms/compression/none.hpp"
#include "algorithms/compression/quantizers/bf16.hpp"
#include "algorithms/compression/quantizers/dither_quantizer.hpp"
#include "algorithms/compression/quantizers/grid.hpp"
#include "algorithms/compression/quantizers/logarithm.hpp"
#include "algorithms/compression/quantizers/natural_quantizer.hpp"
#include "algorithms/compression/quantizers/nearest.hpp"
#include "algorithms/compression/quantizers/sign_quantizer.hpp"
#include "algorithms/compression/quantizers/ternary.hpp"
#include "algorithms/compression/selectors/adacomp.hpp"
#include "algorithms/compression/selectors/leader_topk.hpp"
#include "algorithms/compression/selectors/randk.hpp"
#include "algorithms/compression/selectors/threshold.hpp"
#include "algorithms/compression/selectors/topk.hpp"
#include "algorithms/compression/transforms/clip.hpp"
#include "algorithms/compression/transforms/dct.hpp"
#include "algorithms/compression/transforms/fwht.hpp"
#include "algorithms/compression/transforms/kashin.hpp"

namespace hearsay {

namespace {

constexpr std::array entries{
    StageEntry{
        {"none",
         "the vector itself, in full precision",
         "none",
         {.spellings = "`none`", .details = "`none(bf16)` is `bf16`", .unbiased = "yes", .bytes = "4d"}},
        StageMaker<Compressor>{&None<float>::parse, &None<double>::parse}},
    StageEntry{
        {"dither",
         "random rounding to levels up to the bucket's norm; unbiased",
         "dither(linf, levels=7, bucket=512)",
         {.spellings = "`dither(linf, bits=4, bucket=512)`, `dither(l2, pow2, levels=7)`, `dither(linf, "
                       "levels={0.1,0.5,1})`",
          .details =
              "`bits=b` are `levels` = 2^(b-1) - 1 positive ones, `pow2` powers of two, `levels={...}` those "
              "of your own; norm `linf` (the largest magnitude) or `l2`; also `bucket=layer` (not behind "
              "`fwht`, `kashin` or a selector, which leave no layers) and `bucket=whole`",
          .unbiased = "yes",
          .bytes = "ceil(bits/8 * size) per bucket, and 4 per bucket for the scale"}},
        StageMaker<Quantizer>{&DitherQuantizer<float>::parse, &DitherQuantizer<double>::parse}},
    StageEntry{{"qsgd",
                "QSGD: dither by the Euclidean norm, given its bits",
                "qsgd(bits=4, bucket=512)",
                {.spellings = "`qsgd(4)`",
                 .details = "alias, with the defaults of its paper, as the four below",
                 .unbiased = "yes",
                 .bytes = "as `dither`"}},
               &expand_qsgd},
    StageEntry{{"qsgdinf",
                "QSGD by the largest magnitude: dither(linf), given its bits",
                "qsgdinf(8)",
                {.spellings = "`qsgdinf(4)`", .unbiased = "yes", .bytes = "as `dither`"}},
               &expand_qsgdinf},
    StageEntry{{"terngrad",
                "TernGrad: dither to -1, 0, 1, a scale per layer; biased with clip=2.5sigma, else not",
                "terngrad",
                {.spellings = "`terngrad`, `terngrad(clip=2.5sigma)`",
                 .unbiased = "yes; clipped: no",
                 .bytes = "as `dither`"}},
               &expand_terngrad},
    StageEntry{{"natural-dithering",
                "dither to powers of two times the norm; unbiased",
                "natural-dithering(linf, levels=7)",
                {.spellings = "`natural-dithering`", .unbiased = "yes", .bytes = "as `dither`"}},
               &expand_natural_dithering},
    StageEntry{{"nuqsgd",
                "NUQSGD: natural dithering by the Euclidean norm, given its bits",
                "nuqsgd(bits=4, bucket=8192)",
                {.spellings = "`nuqsgd`", .unbiased = "yes", .bytes = "as `dither`"}},
               &expand_nuqsgd},
    StageEntry{{"natural",
                "random rounding to powers of two; unbiased, 9 bits a float, or 8 in a window of exponents",
                "natural",
                {.spellings = "`natural`, `natural(bits=8)`",
                 .details = "with `bits=8` from 2^-109 to 2^17 only",
                 .unbiased = "yes",
                 .bytes = "9/8 per entry (1.5 in double); with `bits=8`: 1 per entry"}},
               StageMaker<Quantizer>{&NaturalQuantizer<float>::parse, &NaturalQuantizer<double>::parse}},
    StageEntry{{"sign",
                "the sign of every coordinate times the bucket's mean magnitude; contractive",
                "sign(bucket=layer)",
                {.spellings = "`sign(bucket=layer)`",
                 .details = "also `bucket=512`, `bucket=whole`",
                 .unbiased = "no, contractive",
                 .bytes = "1/8 per entry, and 4 per bucket for the scale"}},
               StageMaker<Quantizer>{&SignQuantizer<float>::parse, &SignQuantizer<double>::parse}},
    StageEntry{{"bf16",
                "random rounding to bfloat16; unbiased, or deterministic if 'nearest'",
                "bf16",
                {.spellings = "`bf16`, `bf16(nearest)`",
                 .unbiased = "yes; `nearest`: no, contractive",
                 .bytes = "2 per entry"}},
               StageMaker<Quantizer>{&Bf16<float>::parse, &Bf16<double>::parse}},
    StageEntry{{"nearest",
                "rounding to the nearest of dither's levels; deterministic and contractive",
                "nearest(bits=4, bucket=512)",
                {.spellings = "`nearest(bits=4, bucket=512)`",
                 .unbiased = "no, contractive",
                 .bytes = "as `dither`"}},
               StageMaker<Quantizer>{&Nearest<float>::parse, &Nearest<double>::parse}},
    StageEntry{{"log",
                "rounding to powers of a base below the largest magnitude (FastSGD); contractive",
                "log(base=2)",
                {.spellings = "`log(base=2)`",
                 .details = "to the nearest of 63 powers, or to 0",
                 .unbiased = "no, contractive",
                 .bytes = "7/8 per entry, and 4 per bucket for the scale"}},
               StageMaker<Quantizer>{&Logarithm<float>::parse, &Logarithm<double>::parse}},
    StageEntry{{"ternary",
                "signs and zeros times one magnitude, the selector's or their mean (AdaComp); contractive",
                "topk(5%) | ternary",
                {.spellings = "`ternary`",
                 .details = "for what a selector keeps",
                 .unbiased = "no, contractive",
                 .bytes = "1/5 per entry, and 4 for the scale"}},
               StageMaker<Quantizer>{&Ternary<float>::parse, &Ternary<double>::parse}},
    StageEntry{
        {"grid",
         "random rounding to a fixed grid, integers of variable length; unbiased, what ECD-PSGD needs",
         "grid(step=0.02)",
         {.spellings = "`grid(0.02)`", .unbiased = "yes, absolute error", .bytes = "depends on the data"}},
        StageMaker<Quantizer>{&Grid<float>::parse, &Grid<double>::parse}},
    StageEntry{
        {"clip",
         "transform: coordinates are clipped at c standard deviations of their layer; biased (TernGrad)",
         "clip(2.5sigma) | dither(linf, levels=1, bucket=layer)",
         {.spellings = "`clip(2.5sigma)`", .unbiased = "no", .bytes = "0"}},
        StageMaker<Transform>{&Clip<float>::parse, &Clip<double>::parse}},
    StageEntry{{"fwht",
                "transform: randomised Hadamard, spreads large coordinates over their block; lossless",
                "fwht(block=4096) | dither(linf, levels=7, bucket=512)",
                {.spellings = "`fwht(block=4096)`",
                 .details = "the last block is padded to a power of two",
                 .unbiased = "yes",
                 .bytes = "8 for the seed"}},
               StageMaker<Transform>{&Fwht<float>::parse, &Fwht<double>::parse}},
    StageEntry{
        {"dct",
         "transform: cosine transform of runs of a layer (DeMo); lossless",
         "dct(chunk=64) | chunk-topk(32/64)",
         {.spellings = "`dct(chunk=64)`",
          .details = "the last run of a layer may be shorter; before `chunk-topk`, best of the same chunk",
          .unbiased = "yes",
          .bytes = "0"}},
        StageMaker<Transform>{&Dct<float>::parse, &Dct<double>::parse}},
    StageEntry{{"threshold",
                "selector: magnitudes from a share of the largest one on (rel=), or from a number on (abs=); "
                "contractive",
                "threshold(rel=2^-4)",
                {.spellings = "`threshold(rel=2^-12)`, `threshold(abs=0.01)`",
                 .details = "one entry at least",
                 .unbiased = "no, contractive",
                 .bytes = "8 per entry, and 4"}},
               StageMaker<Selector>{&Threshold<float>::parse, &Threshold<double>::parse}},
    StageEntry{{"adacomp",
                "selector: in each bin, coordinates that with the latest gradient once more reach the bin's "
                "maximum (AdaComp)",
                "adacomp(bin=500)",
                {.spellings = "`adacomp(500)`",
                 .details = "sent as signs times the mean of the maxima of the bins if `ternary` follows",
                 .unbiased = "no",
                 .bytes = "depends on the data"}},
               StageMaker<Selector>{&AdaComp<float>::parse, &AdaComp<double>::parse}},
    StageEntry{{"mod",
                "rounding to a fixed grid, sent modulo k; the receiver needs a nearby vector to decode it",
                "mod(k=16, step=1)",
                {.spellings = "`mod(k=16, step=1)`, `mod(k=2, step=1, nearest)`",
                 .details = "`moniqua` decodes it with the receiver's own model; with other methods large "
                            "coordinates are sent in full precision",
                 .unbiased = "yes, absolute error; `nearest`: no",
                 .bytes = "ceil(log2 k)/8 per entry, and 3 per bucket"}},
               StageMaker<Compressor>{&Modulo<float>::parse, &Modulo<double>::parse}},
    StageEntry{
        {"kashin",
         "transform: democratic embedding, twice as many coefficients, of nearly equal magnitude; lossless",
         "kashin(block=4096) | dither(linf, levels=7, bucket=512)",
         {.spellings = "`kashin(block=4096)`", .unbiased = "yes", .bytes = "8 for the seed"}},
        StageMaker<Transform>{&Kashin<float>::parse, &Kashin<double>::parse}},
    StageEntry{{"fastsgd",
                "FastSGD: threshold, then rounding to powers of two; indices are delta-coded",
                "fastsgd(rel=2^-12)",
                {.spellings = "`fastsgd`, `fastsgd(rel=2^-12, base=2)`",
                 .unbiased = "no, contractive",
                 .bytes = "depends on the data"}},
               &expand_fastsgd},
    StageEntry{{"dgd-def",
                "DGD-DEF: fwht (or kashin), then rounding to the nearest level, given its bits",
                "dgd-def(bits=3)",
                {.spellings = "`dgd-def(bits=3)`, `dgd-def(bits=3, kashin)`",
                 .unbiased = "no, contractive; `kashin`: with enough bits",
                 .bytes = "as `nearest`, and 8"}},
               &expand_dgd_def},
    StageEntry{{"topk",
                "selector: the coordinates of largest magnitude, with their indices; contractive",
                "topk(1%)",
                {.spellings = "`topk(1%)`",
                 .details = "ties to the lowest index",
                 .unbiased = "no, contractive",
                 .bytes = "8 per entry"}},
               StageMaker<Selector>{&TopK<float>::parse, &TopK<double>::parse}},
    StageEntry{
        {"chunk-topk",
         "the coordinates of largest magnitude of every chunk, values in a few bits (SparseLoCo's codec)",
         "chunk-topk(64/4096, values=2bit)",
         {.spellings = "`chunk-topk(64/4096, values=2bit)`, `chunk-topk(64/4096, indices=rice)`",
          .details = "`values=raw`, the default, or `1bit` to `8bit`: of that many centroids per layer the "
                     "one of the value's cell; also `bucket=whole`",
          .unbiased = "no; `raw`: contractive",
          .bytes =
              "per kept entry 14 bits with 64 of 4096 and 2 bits, about 9.5 with `indices=rice`; and 4 (1 + "
              "2^bits) per layer, 8 (1 + 2^bits) in double"}},
        StageMaker<Compressor>{&ChunkTopK<float>::parse, &ChunkTopK<double>::parse}},
    StageEntry{{"leader_topk",
                "selector: top-k of one peer, the leader, for all peers; the leader changes every iteration "
                "(ScaleCom's CLT-k); contractive",
                "leader_topk(1%)",
                {.spellings = "`leader_topk(1%)`",
                 .details = "`qsgd-allreduce` and `lgc-ring` only",
                 .unbiased = "no, contractive at the leader",
                 .bytes = "4 per entry, and 4 per entry once for all"}},
               StageMaker<Selector>{&LeaderTopK<float>::parse, &LeaderTopK<double>::parse}},
    StageEntry{{"scalecom",
                "ScaleCom: leader_topk, for feedback = \"low-pass(0.1)\"",
                "scalecom(0.1%)",
                {.spellings = "`scalecom(0.1%)`",
                 .unbiased = "no, contractive at the leader",
                 .bytes = "as `leader_topk`"}},
               &expand_scalecom},
    StageEntry{
        {"randk",
         "selector: coordinates drawn at random from a shared seed; contractive, or unbiased if 'scaled'",
         "randk(10%, scaled)",
         {.spellings = "`randk(10%)`, `randk(10%, scaled)`",
          .unbiased = "no; `scaled`: yes",
          .bytes = "4 per entry and the seed"}},
        StageMaker<Selector>{&RandK<float>::parse, &RandK<double>::parse}},
    StageEntry{{"raw",
                "coder: codes of a fixed width; the default of a quantizer",
                "qsgdinf(8) | raw",
                {.spellings = "`raw`", .unbiased = "lossless", .bytes = "a fixed number of bits per code"}},
               &RawCoder::parse},
    StageEntry{{"trit5",
                "coder: -1, 0 and 1, five to a byte",
                "terngrad | trit5",
                {.spellings = "`trit5`", .unbiased = "lossless", .bytes = "1/5 per code"}},
               &Trit5Coder::parse},
    StageEntry{{"elias",
                "coder: Elias' gamma, delta or omega code of every level",
                "qsgd(4) | elias(gamma)",
                {.spellings = "`elias(gamma)`, `elias(delta)`, `elias(omega)`",
                 .unbiased = "lossless",
                 .bytes = "depends on the data"}},
               &EliasCoder::parse},
    StageEntry{{"gap",
                "coder: runs of zeros, signs and levels in Elias' gamma code (QSGD's sparse form)",
                "qsgd(4) | gap",
                {.spellings = "`gap`", .unbiased = "lossless", .bytes = "depends on the data"}},
               &GapCoder::parse},
    StageEntry{
        {"entropy",
         "coder: about the entropy of the message's own codes (tabled ANS); pays on l2 and sparse codes",
         "qsgd(4) | entropy",
         {.spellings = "`entropy`", .unbiased = "lossless", .bytes = "depends on the data"}},
        &EntropyCoder::parse},
    StageEntry{{"varint",
                "coder: seven bits to a byte, for codes without a useful bound",
                "qsgd(8) | varint",
                {.spellings = "`varint`", .unbiased = "lossless", .bytes = "depends on the data"}},
               &VarintCoder::parse},
    StageEntry{{"delta",
                "coder of a selector's indices: differences of successive ones, of one width for each 128",
                "topk(5%) | delta",
                {.spellings = "`delta`", .unbiased = "lossless", .bytes = "depends on the data"}},
               &DeltaIndices::parse},
    StageEntry{{"repeat",
                "wrapper: a compressor R times, each time on the residual (NEOLITHIC)",
                "repeat(2){topk(5%)}",
                {.spellings = "`repeat(R){...}`",
                 .unbiased = "as what it wraps",
                 .bytes = "R times what it wraps, and 4 for each but the last"}},
               StageMaker<Compressor>{&Nested<float>::parse_repeat, &Nested<double>::parse_repeat}},
    StageEntry{{"scale",
                "wrapper: an unbiased compressor made contractive by 1/(1 + omega)",
                "scale{qsgd(4)}",
                {.spellings = "`scale{...}`", .unbiased = "no, contractive", .bytes = "as what it wraps"}},
               StageMaker<Compressor>{&Nested<float>::parse_scale, &Nested<double>::parse_scale}},
    StageEntry{{"induced",
                "wrapper: a contractive compressor, and its residual by an unbiased one; unbiased",
                "induced{topk(5%)}{qsgdinf(4)}",
                {.spellings = "`induced{C}{Q}`", .unbiased = "yes", .bytes = "those of C and of Q, and 4"}},
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
