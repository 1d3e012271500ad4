#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/data/dataset.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/npy_content.hpp"

namespace hearsay::test::npy_pair_test {

using std::string;

namespace {

using Targets = std::vector<double>;

LoadedData<double> load(const string& source) {
  RunSettings::Data data;
  data.source = source;
  return load_data<double>(data, true, 1);
}

string refusal(const string& source) {
  return misuse_text([&] { load(source); });
}

const DenseRows<double>& dense_of(const Samples<double>& samples) {
  return std::get<DenseRows<double>>(samples.features);
}

}  // namespace

TEST_CASE("npy: arrays of every item type are samples and targets") {
  const DataFolder folder;
  const string y = folder.write("y.npy", npy("<i8", "(2,)", bytes_of<std::int64_t>({5, -5})));
  DenseRows<double> expected(2, 2);
  expected << 1, 2, 3, 4;
  for (const string& x :
       {npy("<f4", "(2, 2)", bytes_of<float>({1, 2, 3, 4})),
        npy("<f8", "(2,2)", bytes_of<double>({1, 2, 3, 4})),
        npy("<f2", "(2, 2)", string("\x00\x3c\x00\x40\x00\x42\x00\x44", 8)),
        npy(">f2", "(2, 2)", string("\x3c\x00\x40\x00\x42\x00\x44\x00", 8)),
        npy(">f4", "(2, 2)", string("\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\x40\x80\0\0", 16)),
        npy(">f8", "(2, 2)",
            string("\x3f\xf0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0"
                   "\x40\x08\0\0\0\0\0\0\x40\x10\0\0\0\0\0\0",
                   32)),
        npy("|i1", "(2, 2)", "\1\2\3\4"), npy("<i2", "(2, 2)", bytes_of<std::int16_t>({1, 2, 3, 4})),
        npy(">i2", "(2, 2)", string("\0\1\0\2\0\3\0\4", 8)),
        npy("<u2", "(2, 2)", bytes_of<std::uint16_t>({1, 2, 3, 4})),
        npy("<u4", "(2, 2)", bytes_of<std::uint32_t>({1, 2, 3, 4})),
        npy("<u8", "(2, 2)", bytes_of<std::uint64_t>({1, 2, 3, 4})),
        npy("<i4", "(2, 2)", bytes_of<std::int32_t>({1, 2, 3, 4})),
        npy("<f4", "(2, 2)", bytes_of<float>({1, 3, 2, 4}), "True"),
        npy("<f4", "(2, 1, 2)", bytes_of<float>({1, 3, 2, 4}), "True"),
        npy("<i8", "(2, 1, 2)", bytes_of<std::int64_t>({1, 2, 3, 4})), npy("|u1", "(2, 2,)", "\1\2\3\4")}) {
    const auto loaded = load("npy:" + folder.write("x.npy", x) + "," + y);
    CHECK(dense_of(*loaded.train) == expected);
    CHECK(loaded.train->targets == Targets{1, 0});
  }
}

TEST_CASE("npy: samples without features are said to have none, and no samples to be none") {
  const DataFolder folder;
  const auto refused = [&](const string& shape_of_x, const string& shape_of_y) {
    return refusal(
        "npy:" + folder.write("x.npy", npy("<f8", shape_of_x, "")) + "," +
        folder.write("y.npy", npy("<i8", shape_of_y,
                                  shape_of_y == "(2,)" ? bytes_of<std::int64_t>({0, 1}) : string())));
  };
  CHECK(contains(refused("(2, 0)", "(2,)"), "its samples have no features"));
  CHECK(contains(refused("(2, 3, 0)", "(2,)"), "its samples have no features"));
  CHECK(contains(refused("(0, 3)", "(0,)"), "there are no samples in it"));
}

TEST_CASE(
    "npy: bools are 0 and 1, signs are kept, floats of 16 bits are exact, Fortran order of images is "
    "undone") {
  const DataFolder folder;
  const string y = folder.write("y.npy", npy("|b1", "(2,)", string("\1\0", 2)));
  const auto features = [&](const string& x) {
    const auto loaded = load("npy:" + folder.write("x.npy", x) + "," + y);
    CHECK(loaded.train->targets == Targets{1, 0});
    const DenseRows<double>& rows = dense_of(*loaded.train);
    return Targets(rows.data(), rows.data() + rows.size());
  };
  CHECK(features(npy("|b1", "(2, 1)", string("\0\1", 2))) == Targets{0, 1});
  CHECK(features(npy("|i1", "(2, 1)", "\xff\x80")) == Targets{-1, -128});
  CHECK(features(npy(">i4", "(2, 1)", string("\xff\xff\xff\xfe\0\0\1\0", 8))) == Targets{-2, 256});
  CHECK(features(npy("<u8", "(2, 1)", bytes_of<std::uint64_t>({~std::uint64_t{0}, 1}))) ==
        Targets{0x1p64, 1});
  // -2, the least normal and the least denormal number, the largest one
  CHECK(features(npy("<f2", "(2, 2)", string("\x00\xc0\x00\x04\x01\x00\xff\x7b", 8))) ==
        Targets{-2, 0x1p-14, 0x1p-24, 65504});
  CHECK(contains(
      refusal("npy:" + folder.write("x.npy", npy("<f2", "(2, 1)", string("\x00\x7c\x00\x00", 4))) + "," + y),
      "element 0: not a finite number"));
  // (2, 2, 3): value 100 i + 10 j + k at (i, j, k)
  CHECK(features(npy("|u1", "(2, 2, 3)", string("\x00\x64\x0a\x6e\x01\x65\x0b\x6f\x02\x66\x0c\x70", 12),
                     "True")) == Targets{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112});
}

TEST_CASE("npy: what is not finite, not matching or not a matrix is refused") {
  const DataFolder folder;
  const auto pair = [&](const string& x, const string& y) {
    return refusal("npy:" + folder.write("x.npy", x) + "," + folder.write("y.npy", y));
  };
  const string x = npy("<f4", "(2, 1)", bytes_of<float>({1, 2}));
  const string y = npy("<f4", "(2,)", bytes_of<float>({0, 1}));
  CHECK(pair(x, y).empty());
  CHECK(contains(pair(y, y), "x.npy: the array has the shape (2,); expected (samples, features)"));
  CHECK(contains(pair(x, npy("<f4", "(2, 2)", bytes_of<float>({0, 1, 2, 3}))),
                 "y.npy: the array has the shape (2, 2); expected (2,), a target for each sample of"));
  CHECK(contains(pair(npy("<f4", "(2, 1)", bytes_of<float>({1, NAN})), y), "element 1"));
  CHECK(contains(pair(x, npy("<f4", "(2,)", bytes_of<float>({0, INFINITY}))), "element 1"));
  CHECK(contains(pair(npy("<f4", "(0, 7)", ""), npy("<f4", "(0,)", "")), "no samples"));
}

}  // namespace hearsay::test::npy_pair_test
