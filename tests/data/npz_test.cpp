#include <doctest/doctest.h>

#include <string>

#include "runtime/data/dataset.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::npz_test {

using std::string;

namespace {

/// numpy.savez_compressed(file, X=array([[1, 2], [3, 4]], '<f4'), y=array([5, -5], 'i1')), by NumPy 1.24.2.
const string written_by_numpy =
    "504b0304140000000800000021004efb2075530000009000000005001400582e6e7079010010009000000000000000530000"
    "00000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc"
    "294e058a17672416a402f91a463a0a469a3a0ab50a64032e0686067b060606072002e2060700504b03041400000008000000"
    "210072aaf506460000008200000005001400792e6e707901001000820000000000000046000000000000009bec17ea1b10c9"
    "c850c650ad9e925a9c5ca46ea5a05e9369a8aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a"
    "463a9a3a0ab50a14002ed6df00504b01021403140000000800000021004efb20755300000090000000050000000000000000"
    "000000800100000000582e6e7079504b010214031400000008000000210072aaf50646000000820000000500000000000000"
    "0000000080018a000000792e6e7079504b0506000000000200020066000000070100000000";

string from_hexadecimal(const string& digits) {
  string bytes;
  for (std::size_t k = 0; k < digits.size(); k += 2)
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(k, 2), nullptr, 16)));
  return bytes;
}

LoadedData<double> load(const string& path) {
  RunSettings::Data data;
  data.source = "npz:" + path;
  return load_data<double>(data, true, 1);
}

}  // namespace

TEST_CASE("npz: two arrays in one file, as NumPy compresses them, are features and targets") {
  const DataFolder folder;
  const auto loaded = load(folder.write("xy.npz", from_hexadecimal(written_by_numpy)));
  DenseRows<double> expected(2, 2);
  expected << 1, 2, 3, 4;
  CHECK(std::get<DenseRows<double>>(loaded.train->features) == expected);
  CHECK(loaded.train->targets == std::vector<double>{1, 0});
}

TEST_CASE(
    "npz: every truncation and every flipped bit is refused in a sentence, or changes nothing that is read") {
  const DataFolder folder;
  const string whole = from_hexadecimal(written_by_numpy);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(contains(misuse_text([&] { load(folder.write("cut.npz", whole.substr(0, size))); }), "cut.npz"));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    const string path = folder.write("flipped.npz", flipped);
    std::vector<double> targets;
    const string sentence = misuse_text([&] { targets = load(path).train->targets; });
    CHECK(sentence.empty() == (targets == std::vector<double>{1, 0}));
    CHECK((sentence.empty() || contains(sentence, "flipped.npz")));
  }
}

}  // namespace hearsay::test::npz_test
