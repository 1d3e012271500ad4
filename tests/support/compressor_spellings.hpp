#pragma once

#include <string>
#include <vector>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/compression/registry.hpp"

namespace hearsay::test {

/// Returns the example of every registered compressor, and more spellings that take other paths through the
/// code.
inline std::vector<std::string> spellings() {
  std::vector<std::string> all;
  for (const CompressorName& entry : compressor_names()) all.emplace_back(entry.example);
  for (const char* more : {
           "dither(linf, bits=8, bucket=100)",
           "dither(linf, bits=2, bucket=whole)",
           "dither(linf, bits=3, bucket=64)",
           "dither(linf, bits=4, bucket=7)",
           "dither(linf, levels=5, bucket=1)",
           "dither(linf, bits=11, bucket=31)",
           "dither(linf, bits=16)",
           "dither(l2, levels=1, bucket=whole)",
           "dither(l2, bits=4, bucket=layer)",
           "dither(l2, bits=8, bucket=33)",
           "dither(l2, bits=16, bucket=layer)",
           "dither(l2, pow2, levels=8)",
           "dither(linf, pow2, bits=8, bucket=100)",
           "dither(l2, levels={0.1,0.5,1}, bucket=whole)",
           "dither(linf, levels={0,0.015,0.02,0.4,0.7,1}, bucket=33)",
           "nuqsgd(bits=3, bucket=layer)",
           "terngrad(clip=2.5sigma)",
           "natural(bits=8)",
           "bf16(nearest)",
           "topk(30%) | bf16",
           "nearest(2)",
           "nearest(bits=8, bucket=layer)",
           "nearest(bits=16, bucket=50)",
           "log",
           "log(base=1.1, bucket=layer)",
           "log(base=16, bucket=30)",
           "topk(30%) | log(3)",
           "ternary",
           "ternary | raw",
           "sign(whole)",
           "sign(bucket=50)",
           "topk(30%) | sign",
           "topk(30%) | natural",
           "randk(40%, scaled) | natural(8)",
           "grid(1e-3)",
           "grid(step=7.5)",
           "topk(k=1)",
           "topk(30%)",
           "topk(100%)",
           "randk(k=1)",
           "randk(40%)",
           "randk(k=1, scaled)",
           "randk(90%, scaled)",
           "randk(100%)",
           "leader_topk(k=1)",
           "leader_topk(30%) | qsgdinf(8)",
           "topk(20%) | qsgdinf(8)",
           "topk(40%) | qsgd(bits=4, bucket=3)",
           "randk(30%, scaled) | qsgdinf(bits=5, bucket=64)",
           "terngrad(7) | trit5",
           "qsgdinf(bits=8, bucket=64) | elias(delta)",
           "qsgd(bits=16, bucket=whole) | elias(omega)",
           "qsgdinf(4) | elias",
           "qsgdinf(bits=16, bucket=layer) | gap",
           "qsgd(bits=2, bucket=layer) | gap",
           "qsgdinf(bits=4, bucket=64) | entropy",
           "qsgd(bits=16, bucket=layer) | entropy",
           "qsgdinf(16) | varint",
           "topk(100%) | delta",
           "topk(30%) | qsgd(bits=3, bucket=20) | delta | elias",
           "grid(0.05) | elias(omega)",
           "topk(30%) | grid(0.01)",
           "mod(k=5, step=0.5, bucket=3)",
           "mod(k=65536, step=1e-3, bucket=whole)",
           "repeat(3){topk(10%) | qsgdinf(4)}",
           "repeat(2){qsgdinf(8)}",
           "scale{randk(30%, scaled)}",
           "kashin(block=16) | topk(20%)",
           "dgd-def(bits=4, block=64, kashin)",
           "threshold(abs=0.5)",
           "threshold(rel=1)",
           "threshold(rel=0.3) | qsgdinf(bits=8, bucket=whole)",
           "threshold(rel=2^-12) | natural | delta",
           "adacomp(bin=7) | qsgdinf(8)",
           "fwht(block=64) | threshold(rel=0.25)",
           "clip(1sigma) | topk(30%)",
           "clip(0.3sigma) | randk(60%, scaled) | qsgdinf(8)",
           "fwht(block=16) | randk(50%, scaled)",
           "fwht(block=256) | topk(10%) | qsgdinf(8)",
           "clip(2sigma) | fwht(block=2) | dither(linf, bits=8, bucket=whole)",
           "clip(0.5sigma) | adacomp(bin=20)",
           "threshold(rel=2^-6) | qsgd(4) | entropy",
           "repeat(2){threshold(rel=0.5) | qsgdinf(8) | delta | elias}",
           "kashin(block=64) | nearest(bits=16)",
           "induced{topk(10%) | qsgdinf(8)}{grid(0.1)}",
           "chunk-topk(4/41, values=2bit, bucket=whole)",
           "chunk-topk(7/64)",
           "chunk-topk(100/100)",
           "chunk-topk(1/1, values=1bit)",
           "chunk-topk(3/50, values=8bit, range=4, bucket=70)",
           "chunk-topk(64/4096, values=2bit, indices=rice)",
           "chunk-topk(5/33, values=3bit, indices=rice, bucket=whole)",
           "chunk-topk(1/1000, indices=rice)",
           "repeat(2){chunk-topk(6/60, values=2bit)}",
           "dct(chunk=41) | topk(30%)",
           "dct(chunk=2) | qsgdinf(bits=8, bucket=layer)",
           "dct(chunk=64) | chunk-topk(8/64, values=2bit, indices=rice)",
           "clip(2sigma) | dct(chunk=7) | chunk-topk(7/7)",
           "fwht(block=64) | chunk-topk(5/33, bucket=whole)",
           "kashin(block=16) | repeat(2){chunk-topk(6/60)}",
       })
    all.emplace_back(more);
  return all;
}

/// Returns uneven layers of a vector with `dimension` entries; one layer is empty.
inline SegmentTable layers(std::size_t dimension) {
  const auto d = static_cast<Index>(dimension);
  const Index first = d / 3;
  const Index second = d / 2 - d / 3;
  return {
      {"a", 0, first}, {"empty", first, 0}, {"b", first, second}, {"c", first + second, d - first - second}};
}

}  // namespace hearsay::test
