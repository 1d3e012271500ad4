#include <doctest/doctest.h>
#include <zlib.h>

#include <string>
#include <vector>

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

string little_endian(std::uint64_t value, int bytes) {
  string text;
  for (int k = 0; k < bytes; ++k, value >>= 8) text.push_back(static_cast<char>(value & 0xff));
  return text;
}

/// An array of doubles 0, 1, 0, 1, ... as numpy.save writes it.
string npy(const string& shape, std::size_t count) {
  string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(117 - header.size(), ' ').push_back('\n');
  string bytes = string("\x93NUMPY\x01\x00", 8) + little_endian(header.size(), 2) + header;
  for (std::size_t k = 0; k < count; ++k)
    bytes += k % 2 == 0 ? string(8, '\0') : string("\0\0\0\0\0\0\xf0\x3f", 8);
  return bytes;
}

/// A zip archive of stored files, as numpy.savez writes it.
string npz(const std::vector<std::pair<string, string>>& files) {
  string archive;
  string directory;
  for (const auto& [name, content] : files) {
    const auto checksum =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    const string common = little_endian(0, 8) + little_endian(checksum, 4) +
                          little_endian(content.size(), 4) + little_endian(content.size(), 4) +
                          little_endian(name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + little_endian(20, 2) + common + little_endian(0, 10) +
                 little_endian(archive.size(), 4) + name;
    archive += "PK\x03\x04" + little_endian(20, 2) + common + name + content;
  }
  return archive + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(files.size(), 2) +
         little_endian(files.size(), 2) + little_endian(directory.size(), 4) +
         little_endian(archive.size(), 4) + little_endian(0, 2);
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

TEST_CASE("npz: the arrays' names say which are the features, and their shapes do if the names do not") {
  const DataFolder folder;
  const string matrix = npy("(4, 2)", 8);
  const string column = npy("(4, 1)", 4);
  const string vector = npy("(4,)", 4);
  using Names = std::pair<string, string>;
  for (const Names& names : {Names{"x", "y"}, Names{"X_train", "y_train"}, Names{"features", "labels"},
                             Names{"data", "target"}, Names{"data", "data_labels"}, Names{"images", "a"},
                             Names{"b", "train_labels"}, Names{"trainX", "trainY"}}) {
    const string &x = names.first, &y = names.second;
    CAPTURE(x + " and " + y);
    for (const auto& files : {std::vector<Names>{{x + ".npy", column}, {y + ".npy", column}},
                              std::vector<Names>{{y + ".npy", column}, {x + ".npy", column}},
                              std::vector<Names>{{y + ".npy", vector}, {x + ".npy", matrix}}}) {
      const auto loaded = load(folder.write("xy.npz", npz(files)));
      CHECK(loaded.train->targets == std::vector<double>{0, 1, 0, 1});
    }
    // Names decide against shapes: there is no feature in a vector.
    CHECK(contains(misuse_text([&] {
                     load(folder.write("xy.npz", npz({{y + ".npy", column}, {x + ".npy", vector}})));
                   }),
                   x + ".npy: the array has the shape (4,); expected (samples, features)"));
  }
  const auto by_shape = load(folder.write("xy.npz", npz({{"arr_0.npy", vector}, {"arr_1.npy", matrix}})));
  CHECK(by_shape.train->feature_count() == 2);
  for (const Names& names : {Names{"arr_0", "arr_1"}, Names{"x", "features"}}) {
    const string &a = names.first, &b = names.second;
    const string sentence = misuse_text([&] {
      load(folder.write("xy.npz", npz({{a + ".npy", column}, {b + ".npy", column}})));
    });
    CHECK(contains(sentence,
                   "xy.npz: its arrays " + a + " (4, 1) and " + b +
                       " (4, 1) do not say which has the features; expected the names x and y, or the "
                       "shapes (samples, features) and (samples,)"));
  }
}

}  // namespace hearsay::test::npz_test
