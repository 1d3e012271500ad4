#include <doctest/doctest.h>

#include <cstdio>

#include "algorithms/compression/seam/spelling.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::compressor_spelling_test {

namespace {

std::string expanded(const std::string& spelling) { return build<float>(spelling, 90)->spelling(); }

/// Returns what the Misuse for this spelling says after its key and value; "accepted" if there is no Misuse.
std::string complaint(const std::string& spelling) {
  const std::string start = "algorithm.compressor = \"" + spelling + "\": ";
  const std::string what = misuse_text([&] { build<double>(spelling, 90); });
  if (what.empty()) return "accepted";
  REQUIRE(what.starts_with(start));
  return what.substr(start.size());
}

}  // namespace

TEST_CASE("compressor spelling: aliases and defaults expand") {
  CHECK(expanded("none") == "none");
  CHECK(expanded("dither(linf, levels=7, bucket=512)") == "dither(linf, levels=7, bucket=512)");
  CHECK(expanded("dither(bits=8)") == "dither(linf, levels=127, bucket=512)");
  CHECK(expanded("dither(l2, bits=4, bucket=layer)") == "dither(l2, levels=7, bucket=layer)");
  CHECK(expanded("dither(levels=3, norm=l2, bucket=whole)") == "dither(l2, levels=3, bucket=whole)");
  CHECK(expanded("qsgd") == "dither(l2, levels=7, bucket=512)");
  CHECK(expanded("qsgd(4)") == "dither(l2, levels=7, bucket=512)");
  CHECK(expanded("qsgd(bits=2, bucket=64)") == "dither(l2, levels=1, bucket=64)");
  CHECK(expanded("qsgdinf(16)") == "dither(linf, levels=32767, bucket=512)");
  CHECK(expanded("terngrad") == "dither(linf, levels=1, bucket=layer)");
  CHECK(expanded("terngrad(clip=2.5sigma)") == "clip(2.5sigma) | dither(linf, levels=1, bucket=layer)");
  CHECK(expanded("terngrad(100)") == "dither(linf, levels=1, bucket=100)");
  CHECK(expanded("dither(l2, pow2, levels=8)") == "dither(l2, pow2, levels=8, bucket=512)");
  CHECK(expanded("dither(pow2, bits=3)") == "dither(linf, pow2, levels=3, bucket=512)");
  CHECK(expanded("dither(linf, levels={0, 0.1, 0.50, 1})") == "dither(linf, levels={0.1,0.5,1}, bucket=512)");
  CHECK(expanded("natural-dithering") == "dither(linf, pow2, levels=7, bucket=512)");
  CHECK(expanded("natural-dithering(l2, levels=3, bucket=whole)") ==
        "dither(l2, pow2, levels=3, bucket=whole)");
  CHECK(expanded("nuqsgd") == "dither(l2, pow2, levels=7, bucket=8192)");
  CHECK(expanded("nuqsgd(bits=3, bucket=64)") == "dither(l2, pow2, levels=3, bucket=64)");
  CHECK(expanded("grid(0.02)") == "grid(step=0.02)");
  CHECK(expanded("grid(step=1e-4)") == "grid(step=1e-04)");
  CHECK(expanded("natural | raw") == "natural");
  CHECK(expanded("natural(8)") == "natural(bits=8)");
  CHECK(expanded("sign") == "sign(bucket=layer)");
  CHECK(expanded("sign(64)") == "sign(bucket=64)");
  CHECK(expanded("bf16(nearest)") == "bf16(nearest)");
  CHECK(expanded("nearest(4)") == "nearest(bits=4, bucket=512)");
  CHECK(expanded("log") == "log(base=2, bucket=whole)");
  CHECK(expanded("log(1.5, bucket=layer)") == "log(base=1.5, bucket=layer)");
  CHECK(expanded("ternary | trit5") == "ternary");
  CHECK(expanded("topk(1%) | ternary | raw") == "topk(1%) | ternary | raw");
  CHECK(expanded("topk(1%)") == "topk(1%)");
  CHECK(expanded("topk(share=0.005)") == "topk(0.5%)");
  CHECK(expanded("topk(k=10)") == "topk(k=10)");
  CHECK(expanded("fastsgd") == "threshold(rel=0.000244140625) | log(base=2, bucket=whole) | delta");
  CHECK(expanded("fastsgd(rel=2^-3, base=1.5)") ==
        "threshold(rel=0.125) | log(base=1.5, bucket=whole) | delta");
  CHECK(expanded("dgd-def") == "fwht(block=4096) | nearest(bits=3, bucket=512)");
  CHECK(expanded("dgd-def(4, kashin, block=64)") == "kashin(block=64) | nearest(bits=4, bucket=512)");
  CHECK(expanded("adacomp") == "adacomp(bin=500) | ternary | delta");
  CHECK(expanded("adacomp(50) | delta") == "adacomp(bin=50) | delta");
  CHECK(expanded("clip(2sigma) | sign") == "clip(2sigma) | " + expanded("sign"));
  CHECK(expanded("randk(10%)") == "randk(10%)");
  CHECK(expanded("randk(10%, scaled)") == "randk(10%, scaled)");
  CHECK(expanded("randk(scaled, k=3)") == "randk(k=3, scaled)");
}

TEST_CASE("compressor spelling: blanks do not count") {
  CHECK(expanded("  dither ( linf ,levels = 7,  bucket= 64 ) ") == "dither(linf, levels=7, bucket=64)");
}

TEST_CASE("compressor spelling: what is not of the form is refused at its column") {
  CHECK(complaint("") == "column 1: expected the name of a compressor, got the end");
  CHECK(complaint("  (4)") == "column 3: expected the name of a compressor, got '('");
  CHECK(complaint("qsgd 4") == "column 6: expected '(', '|' or the end, got '4'");
  CHECK(complaint("qsgd(4") == "column 7: expected ',' or ')', got the end");
  CHECK(complaint("qsgd(4 5)") == "column 8: expected ',' or ')', got '5'");
  CHECK(complaint("qsgd()") == "column 6: expected an argument, got ')'");
  CHECK(complaint("qsgd(4,)") == "column 8: expected an argument, got ')'");
  CHECK(complaint("qsgd(bits=)") == "column 11: expected a value for 'bits', got ')'");
  CHECK(complaint("qsgd(4))") == "column 8: expected '|' or the end, got ')'");
  CHECK(complaint("topk(1%) |") == "column 11: expected the name of a stage, got the end");
  CHECK(complaint("repeat(2){topk(1%)") == "column 19: expected '|' or '}', got the end");
  CHECK(complaint("repeat(2){topk(1%)}}") == "column 20: expected '|' or the end, got '}'");
  CHECK(complaint("dither(levels={0.5,})") == "column 20: expected a number, got '}'");
  CHECK(complaint("dither(levels={0.5)") == "column 19: expected ',' or '}', got ')'");
  std::string deep = "topk(1%)";
  for (int k = 0; k < 9; ++k) deep = "scale{" + deep + "}";
  CHECK(contains(complaint(deep), "expected no more than 8 braces in one another"));
  std::string many_stages;
  for (int k = 0; k < 100'000; ++k) many_stages += "fwht(block=16) | ";
  CHECK(contains(misuse_text([&] { build<double>(many_stages + "topk(1%)", 90); }),
                 "expected at most 4096 characters, got 1700008"));
}

TEST_CASE("compressor spelling: a character is shown whole, a byte that is none in hex") {
  CHECK(complaint("топ") == "column 1: expected the name of a compressor, got 'т'");
  CHECK(complaint("topk(5€)") == "column 7: expected ',' or ')', got '€'");
  CHECK(complaint("topk(🙂)") == "column 6: expected an argument, got '🙂'");
  for (const std::string broken : {"\xD1", "\xD1(", "\x82", "\xF0\x9F\x99", "\xFF\x80\x80", "\x01", "\x7F"}) {
    CAPTURE(broken);
    char expected[80];
    std::snprintf(expected, sizeof expected,
                  "column 1: expected the name of a compressor, got the byte 0x%02X",
                  static_cast<unsigned char>(broken.front()));
    CHECK(complaint(broken) == expected);
  }
}

TEST_CASE("compressor spelling: stages that do not go together are refused at the one that is too much") {
  CHECK(complaint("topk(1%) | qsgd(4) | topk(2%)") == "column 22: a second selector after topk(1%)");
  CHECK(complaint("qsgd(4) | topk(2%)") ==
        "column 11: topk is a selector and stands before quantizers and coders");
  CHECK(complaint("qsgd(4) | qsgd(4)") ==
        "column 11: a second quantizer after dither(l2, levels=7, bucket=512)");
  CHECK(complaint("qsgd(4) | raw | raw") == "column 17: a second coder after raw");
  CHECK(complaint("topk(1%) | raw") == "column 12: raw codes whole numbers and needs a quantizer before it");
  CHECK(complaint("raw") == "column 1: raw codes whole numbers and needs a quantizer before it");
  CHECK(complaint("none | raw") == "column 1: none is a compressor of its own and takes no further stages");
  CHECK(complaint("qsgd(4){topk(1%)}") == "column 1: qsgd takes no compressors in braces");
  CHECK(complaint("topk(1%){topk(1%)}") == "column 1: topk takes no compressors in braces");
  CHECK(complaint("repeat(2)") ==
        "column 1: repeat takes one compressor in braces, such as repeat(2){topk(1%)}");
  CHECK(complaint("scale") == "column 1: scale takes one compressor in braces, such as scale{qsgd(4)}");
  CHECK(complaint("repeat(8){repeat(9){topk(1%)}}") ==
        "column 1: that is 72 rounds in all, expected at most 64");
  CHECK(complaint("repeat(4){scale{repeat(4){qsgd(4)}}}") == "accepted");
  CHECK(complaint("fwht(block=16) | topk(k=97)") ==
        "column 25: expected a whole number from 1 to 96, got '97'");
  CHECK(complaint("repeat{topk(1%)}") == "column 1: repeat needs how often, such as repeat(4){topk(1%)}");
  CHECK(complaint("scale{topk(1%)}") ==
        "column 1: scale takes an unbiased compressor of bounded omega, which topk(1%) is not");
  CHECK(complaint("induced{topk(1%)}{topk(1%)}") ==
        "column 1: induced takes an unbiased compressor second, which topk(1%) is not");
  CHECK(complaint("induced{topk(1%)}") ==
        "column 1: induced takes two compressors in braces, such as induced{topk(5%)}{qsgdinf(4)}");
  for (const char* suggested : {"repeat(2){topk(1%)}", "scale{qsgd(4)}", "induced{topk(5%)}{qsgdinf(4)}"})
    CHECK(complaint(suggested) == "accepted");
}

TEST_CASE("compressor spelling: a bucket per layer is refused where there are no layers any more") {
  const std::string no_layers = "there are no layers; expected bucket=whole or a number such as bucket=512";
  CHECK(complaint("topk(10%) | sign(bucket=layer)") ==
        "column 13: sign has a bucket per layer, and behind topk(10%) " + no_layers);
  CHECK(complaint("clip(2sigma) | kashin(64) | nearest(bits=4, bucket=layer)") ==
        "column 29: nearest has a bucket per layer, and behind kashin(block=64) " + no_layers);
  CHECK(complaint("fwht | terngrad") ==
        "column 8: dither has a bucket per layer, and behind fwht(block=4096) " + no_layers);
  CHECK(complaint("repeat(2){topk(10%) | log(bucket=layer)}") != "accepted");
  CHECK(complaint("clip(2sigma) | dither(l2, bits=4, bucket=layer)") == "accepted");  // clip keeps the layers
  // If layers are only the default, the whole vector takes their place.
  CHECK(expanded("topk(10%) | sign") == "topk(10%) | sign(bucket=whole)");
  CHECK(expanded("fwht | sign") == "fwht(block=4096) | sign(bucket=whole)");
  CHECK(expanded("clip(2sigma) | sign") == "clip(2sigma) | sign(bucket=layer)");
}

TEST_CASE("compressor spelling: unknown names name the nearest known one") {
  CHECK(complaint(" quasigd(4)") == "column 2: no compressor is called 'quasigd', did you mean 'qsgd'?");
  CHECK(complaint("tpok(1%)") == "column 1: no compressor is called 'tpok', did you mean 'topk'?");
  CHECK(complaint("dither(linf, level=7)") ==
        "column 14: dither has no argument 'level', did you mean 'levels'?");
  CHECK(complaint("randk(10%, scale)") == "column 12: randk has no argument 'scale', did you mean 'scaled'?");
  CHECK(complaint("ternary(3)") == "column 9: ternary takes no arguments");
  CHECK(complaint("none(3)") == "column 6: none has no argument '3'; expected 'bf16'");
}

TEST_CASE("compressor spelling: values out of range say what was expected") {
  CHECK(complaint("qsgd(1)") == "column 6: expected a whole number from 2 to 16, got '1'");
  CHECK(complaint("qsgd(bits=17)") == "column 11: expected a whole number from 2 to 16, got '17'");
  CHECK(complaint("qsgd(four)") == "column 6: expected a whole number from 2 to 16, got 'four'");
  CHECK(complaint("dither(linf, levels=0)") ==
        "column 21: expected a whole number from 1 to 32767 or a list such as {0.1,0.5,1}, got '0'");
  CHECK(complaint("dither(linf, levels=-3)") ==
        "column 21: expected a whole number from 1 to 32767 or a list such as {0.1,0.5,1}, got '-3'");
  CHECK(complaint("dither(linf, pow2, levels=128)") ==
        "column 27: expected a whole number from 1 to 127, got '128'");
  CHECK(complaint("dither(linf, pow2, bits=9)") == "column 25: expected a whole number from 2 to 8, got '9'");
  for (const std::string list : {"{1,0.5}", "{0.5,0.5,1}", "{-0.5,1}", "{0.5}", "{0}", "{0.5,1,2}",
                                 "{1e-39,1}", "{0.5,0.50000000001,1}", "{0,0,1}"})
    CHECK(complaint("dither(linf, levels=" + list + ")") ==
          "column 21: expected at most 127 positive levels, strictly ascending in single precision, the last "
          "1, "
          "got '" +
              list + "'");
  CHECK(complaint("dither(linf, levels={0.5,one})") ==
        "column 21: expected a list of numbers such as {0,0.5,1}, got '{0.5,one}'");
  CHECK(complaint("terngrad(clip=2.5)") ==
        "column 15: expected a number above 0 and its unit, such as 2.5sigma, got '2.5'");
  CHECK(complaint("dither(l3, levels=7)") == "column 8: expected linf or l2, got 'l3'");
  CHECK(complaint("dither(linf, levels=7, bucket=0)") ==
        "column 31: expected a whole number from 1 to 4294967295 or 'layer' or 'whole', got '0'");
  CHECK(complaint("dither(linf, levels=7, bucket=layers)") ==
        "column 31: expected a whole number from 1 to 4294967295 or 'layer' or 'whole', got 'layers'");
  CHECK(complaint("grid(0)") == "column 6: expected a number above 0, got '0'");
  CHECK(complaint("grid(-1)") == "column 6: expected a number above 0, got '-1'");
  CHECK(complaint("grid(nan)") == "column 6: expected a number above 0, got 'nan'");
  CHECK(complaint("grid(inf)") == "column 6: expected a number above 0, got 'inf'");
  CHECK(complaint("grid(1e999)") == "column 6: expected a number above 0, got '1e999'");
  CHECK(complaint("topk(0%)") == "column 6: expected a share in (0%, 100%] such as 1% or 0.01, got '0%'");
  CHECK(complaint("topk(101%)") == "column 6: expected a share in (0%, 100%] such as 1% or 0.01, got '101%'");
  CHECK(complaint("topk(100)") == "column 6: expected a share in (0%, 100%] such as 1% or 0.01, got '100'");
  CHECK(complaint("topk(k=0)") == "column 8: expected a whole number from 1 to 90, got '0'");
}

TEST_CASE("compressor spelling: missing, doubled and contradicting arguments are refused") {
  CHECK(complaint("dither") == "column 1: dither needs levels= or bits=");
  CHECK(complaint("dither(linf)") == "column 1: dither needs levels= or bits=");
  CHECK(complaint("dither(linf, levels=7, bits=4)") ==
        "column 29: expected levels or bits, not both, got '4'");
  CHECK(complaint("dither(linf, levels={0.5,1}, bits=4)") ==
        "column 35: expected levels or bits, not both, got '4'");
  CHECK(complaint("dither(linf, pow2, levels={0.5,1})") ==
        "column 27: expected a number of levels, as pow2 says which they are, got '{0.5,1}'");
  CHECK(complaint("dither(linf, pow2)") == "column 1: dither needs levels= or bits=");
  CHECK(complaint("nearest") == "column 1: nearest needs bits=, the width of a code");
  CHECK(complaint("natural(bits=9)") ==
        "column 14: expected 8, or no bits for all exponents of the scalar, got '9'");
  CHECK(complaint("log(1)") == "column 5: expected a number above 1 and at most 16, got '1'");
  CHECK(complaint("bf16(even)") == "column 6: bf16 has no argument 'even'; expected 'nearest'");
  CHECK(complaint("ternary(2)") == "column 9: ternary takes no arguments");
  CHECK(complaint("grid") == "column 1: grid needs step=, the distance of the grid's points");
  CHECK(complaint("topk") == "column 1: topk needs a share such as 1%, or k=");
  CHECK(complaint("topk(1%, k=3)") == "column 12: expected a share or k, not both, got '3'");
  CHECK(complaint("qsgd(4, bits=4)") == "column 9: 'bits' is given twice");
  CHECK(complaint("randk(1%, scaled, scaled)") == "column 19: 'scaled' is given twice");
  CHECK(complaint("dither(linf, levels)") == "column 14: expected 'levels=' and a value");
}

TEST_CASE("compressor registry: every name has a summary and an example that builds it") {
  for (const CompressorName& entry : compressor_names()) {
    CHECK(contains(std::string(entry.example), std::string(entry.name)));
    CHECK_FALSE(entry.summary.empty());
    CHECK(build<float>(std::string(entry.example), 90) != nullptr);
  }
}

}  // namespace hearsay::test::compressor_spelling_test
