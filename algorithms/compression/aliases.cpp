#include "algorithms/compression/aliases.hpp"

#include "algorithms/compression/quantizers/dither_norm.hpp"
#include "algorithms/compression/quantizers/level_set.hpp"
#include "algorithms/compression/transforms/fwht.hpp"

namespace hearsay {

namespace {

/// The argument `bucket` as the user gave it; `fallback` if it is missing. Misuse if it is no bucket.
std::string bucket_of(const Arguments& arguments, const std::string& fallback) {
  const std::string bucket(arguments.text("bucket"));
  if (bucket.empty()) return fallback;
  if (bucket != "layer" && bucket != "whole")
    (void)arguments.count("bucket", 1, 0xFFFFFFFF, " or 'layer' or 'whole'");
  return bucket;
}

std::string expand_bits(const StageSpelling& stage, const std::string& norm) {
  const Arguments arguments(stage, {"bits", {"bits", "bucket"}, {}});
  const auto bits = arguments.count("bits", 2, 16).value_or(4);
  return "dither(" + norm + ", bits=" + std::to_string(bits) + ", bucket=" + bucket_of(arguments, "512") +
         ")";
}

}  // namespace

std::string expand_qsgd(const StageSpelling& stage) { return expand_bits(stage, "l2"); }

std::string expand_qsgdinf(const StageSpelling& stage) { return expand_bits(stage, "linf"); }

std::string expand_terngrad(const StageSpelling& stage) {
  const Arguments arguments(stage, {"bucket", {"bucket", "clip"}, {}});
  (void)arguments.positive_with_unit("clip", "sigma");
  const std::string clip =
      arguments.has("clip") ? "clip(" + std::string(arguments.text("clip")) + ") | " : "";
  return clip + "dither(linf, levels=1, bucket=" + bucket_of(arguments, "layer") + ")";
}

std::string expand_natural_dithering(const StageSpelling& stage) {
  const Arguments arguments(stage, {"norm", {"norm", "levels", "bucket"}, {}});
  const auto levels = arguments.count("levels", 1, LevelSet::most_others).value_or(7);
  return "dither(" + spelling_of(parse_dither_norm(arguments)) + ", pow2, levels=" + std::to_string(levels) +
         ", bucket=" + bucket_of(arguments, "512") + ")";
}

std::string expand_nuqsgd(const StageSpelling& stage) {
  const Arguments arguments(stage, {"bits", {"bits", "bucket"}, {}});
  const auto bits = arguments.count("bits", 2, 8).value_or(4);
  return "dither(l2, pow2, bits=" + std::to_string(bits) + ", bucket=" + bucket_of(arguments, "8192") + ")";
}

std::string expand_fastsgd(const StageSpelling& stage) {
  const Arguments arguments(stage, {"rel", {"rel", "base"}, {}});
  (void)arguments.positive("rel");
  (void)arguments.positive("base");
  const auto text = [&](std::string_view key, const std::string& fallback) {
    return arguments.has(key) ? std::string(arguments.text(key)) : fallback;
  };
  return "threshold(rel=" + text("rel", "2^-12") + ") | log(base=" + text("base", "2") + ") | delta";
}

std::string expand_dgd_def(const StageSpelling& stage) {
  const Arguments arguments(stage, {"bits", {"bits", "block"}, {"kashin"}});
  const auto bits = arguments.count("bits", 2, 16).value_or(3);
  const std::string block = std::to_string(parse_hadamard_block(arguments));
  return (arguments.flag("kashin") ? "kashin" : "fwht") + ("(block=" + block + ") | nearest(bits=") +
         std::to_string(bits) + ")";
}

std::string expand_scalecom(const StageSpelling& stage) {
  const Arguments arguments(stage, {"share", {"share"}, {}});
  (void)arguments.share("share");
  const std::string share(arguments.text("share"));
  return "leader_topk(" + (share.empty() ? "0.1%" : share) + ")";
}

}  // namespace hearsay
