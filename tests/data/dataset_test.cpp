#include "runtime/data/dataset.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>

#include "runtime/data/npy.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/npy_content.hpp"
#include "topology/foundation/host_refusal.hpp"

namespace hearsay::test::dataset_test {

using std::string;

namespace {

LoadedData<double> load(const string& source, const string& test = "", bool classification = true) {
  RunSettings::Data data;
  data.source = source;
  data.test = test;
  return load_data<double>(data, classification, 1);
}

string refusal(const string& source, const string& test = "", bool classification = true) {
  return misuse_text([&] { load(source, test, classification); });
}

/// True if another host might not refuse the source.
bool is_of_this_host(const string& source) {
  try {
    load(source, "", true);
  } catch (const HostRefusal&) {
    return true;
  } catch (const Misuse&) {
    return false;
  }
  return false;
}

DenseRows<double> dense_of(const Samples<double>& samples) {
  if (const auto* dense = std::get_if<DenseRows<double>>(&samples.features)) return *dense;
  const auto& sparse = std::get<SparseRows<double>>(samples.features);
  DenseRows<double> dense = DenseRows<double>::Zero(sparse.rows(), sparse.cols());
  for (Index r = 0; r < sparse.rows(); ++r)
    for (Index e = sparse.row_begin[r]; e < sparse.row_begin[r + 1]; ++e)
      dense(r, sparse.column[e]) = sparse.value[e];
  return dense;
}

using Targets = std::vector<double>;

string idx_images(const string& pixels, std::uint32_t count, std::uint32_t rows, std::uint32_t columns) {
  return big_endian(0x803) + big_endian(count) + big_endian(rows) + big_endian(columns) + pixels;
}
string idx_labels(const string& labels, std::uint32_t count) {
  return big_endian(0x801) + big_endian(count) + labels;
}

/// Returns HEARSAY_DATA_DIR; if it is not set, prints that `what` is skipped and returns empty.
std::optional<string> real_data(const char* what) {
  if (const char* folder = std::getenv("HEARSAY_DATA_DIR")) return folder;
  std::cout << "skipped: " << what << " (HEARSAY_DATA_DIR is not set)\n";
  return std::nullopt;
}

}  // namespace

TEST_CASE(
    "libsvm: labels become classes in ascending order, indices start at 1, both files agree on features") {
  const DataFolder folder;
  const string train = "libsvm:" + folder.write("train", "+1 1:0.5 3:-2 # a comment\n\n-1 2:1e-3\r\n-1\n");
  const string test = "libsvm:" + folder.write_gzipped("test.gz", "-1 5:1\n1 1:1");
  const auto [samples, test_samples, held_out, labels, columns, stood_for] = load(train, test);
  CHECK(samples->targets == Targets{1, 0, 0});
  CHECK(samples->class_count == 2);
  CHECK(test_samples->targets == Targets{0, 1});
  DenseRows<double> expected(3, 5);
  expected << 0.5, 0, -2, 0, 0, 0, 1e-3, 0, 0, 0, 0, 0, 0, 0, 0;
  CHECK(dense_of(*samples) == expected);
  CHECK(test_samples->feature_count() == 5);
  CHECK(labels == "-1 1");
  CHECK(held_out.empty());
  const auto multi = load("libsvm:" + folder.write("multi", "7 1:1\n-3 1:1\n20 1:1\n7 1:1\n"));
  CHECK(multi.train->targets == Targets{1, 0, 2, 1});
  CHECK(multi.train->class_count == 3);
  CHECK(multi.test == nullptr);
  const auto regression = load("libsvm:" + folder.write("numbers", "7.5 1:1\n-3 1:1\n"), "", false);
  CHECK(regression.train->targets == Targets{7.5, -3});
  CHECK(regression.train->class_count == 0);
}

TEST_CASE("libsvm: every bad line is refused with its file and number") {
  const DataFolder folder;
  for (const char* line : {"x 1:1",
                           "1 0:1",
                           "1 -1:1",
                           "1 2:1 2:1",
                           "1 3:1 2:1",
                           "1 1:",
                           "1 1",
                           "1 :1",
                           "1 1:1x",
                           "1 1:nan",
                           "1 1:inf",
                           "nan 1:1",
                           "inf 1:1",
                           "1 1:1e999",
                           "1 200000000:1",
                           "1,2 1:1",
                           "1 99999999999999999999:1",
                           "+-1 1:1",
                           "1 qid:x 1:1",
                           "1 1:1 qid:3",
                           "1 qid:1.5 1:1",
                           "1 1:1:1",
                           "1 1 :1"}) {
    CAPTURE(std::string(line));
    const string path = folder.write("bad", string("1 1:1\n\n") + line + "\n-1 1:1\n");
    CHECK(contains(refusal("libsvm:" + path), path + ", line 3: "));
  }
  CHECK(contains(refusal("libsvm:" + folder.write("empty", "")), "no samples"));
  CHECK(contains(refusal("libsvm:" + folder.write("bare", "1\n-1\n")), "no features"));
  CHECK(contains(refusal("libsvm:" + folder.write("one", "1 1:1\n1 2:1\n")), "one class"));
  CHECK(contains(refusal("libsvm:" + folder.write("half", "1.5 1:1\n1 2:1\n")), "1.5"));
  const string good = "libsvm:" + folder.write("good", "1 1:1\n2 2:1\n");
  CHECK(contains(refusal(good, "libsvm:" + folder.write("other", "3 1:1\n")),
                 "label 3 is none of the 2 of the training data"));
}

TEST_CASE("libsvm: indices that count from 0 are asked about, and data.index_base = 0 reads them") {
  const DataFolder folder;
  RunSettings::Data data;
  data.source = "libsvm:" + folder.write("from_0", "+1 0:0.5 2:-2\n-1 qid:3 1:4\n");
  const auto refused = [&] { return misuse_text([&] { load_data<double>(data, true, 1); }); };
  CHECK(contains(refused(),
                 "from_0, line 1: index 0 is not from 1 to 100000000; if indices count from 0, expected "
                 "data.index_base = 0"));
  data.index_base = 0;
  DenseRows<double> expected(2, 3);
  expected << 0.5, 0, -2, 0, 4, 0;
  CHECK(dense_of(*load_data<double>(data, true, 1).train) == expected);
  data.index_base = 2;
  CHECK(contains(refused(), "data.index_base = 2: expected 0 or 1"));
  data.index_base = 1;
  data.source = "libsvm:" + folder.write("from_1", "+1 1:0.5 3:-2\n-1 qid:12 2:4\n");
  CHECK(dense_of(*load_data<double>(data, true, 1).train) == expected);
}

TEST_CASE("libsvm: in float, a value beyond float is not finite") {
  const DataFolder folder;
  RunSettings::Data data;
  data.source = "libsvm:" + folder.write("large", "1 1:1e300\n-1 1:1\n");
  CHECK(contains(misuse_text([&] { load_data<float>(data, true, 1); }), "line 1"));
  CHECK(load(data.source).train->count() == 2);
}

TEST_CASE("csv: the last column is the target, a first line without numbers is a header") {
  const DataFolder folder;
  DenseRows<double> expected(2, 2);
  expected << 1, -2.5, 0.25, 4;
  for (const char* text : {"1,-2.5,7\n0.25,4,3\n", "a,b,label\n1, -2.5 ,7\r\n\n0.25,4,3"}) {
    const auto loaded = load("csv:" + folder.write("data.csv", text));
    CHECK(dense_of(*loaded.train) == expected);
    CHECK(loaded.train->targets == Targets{1, 0});
  }
  const auto regression = load("csv:" + folder.write_gzipped("data.csv.gz", "1,2.5\n2,3.5\n"), "", false);
  CHECK(regression.train->targets == Targets{2.5, 3.5});
  for (const char* line : {"1", "1,2,3,4", "1,,3", "1,x,3", "1,2,nan", "1,2,", "inf,2,3"}) {
    CAPTURE(std::string(line));
    const string path = folder.write("bad.csv", string("a,b,c\n1,2,3\n") + line + "\n");
    CHECK(contains(refusal("csv:" + path), path + ", line 3: "));
  }
  CHECK(contains(refusal("csv:" + folder.write("narrow.csv", "1\n2\n")), "line 1"));
  CHECK(contains(refusal("csv:" + folder.write("mixed.csv", "1,x,3\n1,2,3\n")), "line 1"));
  CHECK(contains(refusal("csv:" + folder.write("header.csv", "a,b\n")), "no samples"));
  CHECK(contains(refusal("csv:" + folder.write("empty.csv", "")), "no samples"));
}

TEST_CASE("idx: pixels are divided by 255") {
  const DataFolder folder;
  const string images = folder.write("images", idx_images(string("\x00\xff\x33\x01\x02\x03", 6), 3, 1, 2));
  const string labels = folder.write_gzipped("labels.gz", idx_labels(string("\x04\x00\x02", 3), 3));
  const auto loaded = load("idx:" + images + "," + labels);
  CHECK(dense_of(*loaded.train)(0, 1) == 1.0);
  CHECK(dense_of(*loaded.train)(1, 0) == doctest::Approx(0.2));
}

TEST_CASE("data: labels become classes by the same rules in every format, with and without data.classes") {
  const DataFolder folder;
  const string images = folder.write("images", idx_images("abcd", 2, 1, 2));
  const string labels = folder.write("labels", idx_labels("\x08\x07", 2));
  const string x = folder.write("x.npy", npy("|u1", "(2, 2)", "abcd"));
  const string y = folder.write("y.npy", npy("|u1", "(2,)", "\x08\x07"));
  for (const string& source : {"idx:" + images + "," + labels, "npy:" + x + "," + y,
                               "csv:" + folder.write("data.csv", "1,2,8\n3,4,7\n"),
                               "libsvm:" + folder.write("data.svm", "8 1:1 2:2\n7 1:3 2:4\n")}) {
    CAPTURE(source);
    RunSettings::Data data;
    data.source = source;
    const auto alone = load_data<double>(data, true, 1);
    CHECK(alone.train->targets == Targets{1, 0});
    CHECK(alone.train->class_count == 2);
    CHECK(alone.labels == "7 8");
    data.classes = 10;
    const auto of_ten = load_data<double>(data, true, 1);
    CHECK(of_ten.train->targets == Targets{8, 7});
    CHECK(of_ten.train->class_count == 10);
    data.test = source;
    CHECK(load_data<double>(data, true, 1).test->targets == Targets{8, 7});
    data.classes = 8;
    CHECK(contains(misuse_text([&] { load_data<double>(data, true, 1); }),
                   "the label 8 is none of the 8 classes that data.classes or the format says, 0 to 7"));
  }
}

TEST_CASE("idx: every truncation and every wrong header is refused, whatever it promises") {
  const DataFolder folder;
  const string images = idx_images("abcdef", 3, 1, 2);
  const string labels = idx_labels(string("\0\1\2", 3), 3);
  const string good_images = folder.write("images", images);
  const string good_labels = folder.write("labels", labels);
  for (std::size_t size = 0; size < images.size(); ++size)
    CHECK(contains(refusal("idx:" + folder.write("cut", images.substr(0, size)) + "," + good_labels),
                   "offset"));
  for (std::size_t size = 0; size < labels.size(); ++size)
    CHECK(contains(refusal("idx:" + good_images + "," + folder.write("cut", labels.substr(0, size))),
                   "offset"));
  const auto refuse_images = [&](const string& bytes) {
    return contains(refusal("idx:" + folder.write("bad", bytes) + "," + good_labels), "bad, offset");
  };
  CHECK(refuse_images(images + "x"));
  CHECK(refuse_images(labels));
  CHECK(refuse_images(idx_images("abcdef", 0xffffffff, 0xffffffff, 0xffffffff)));
  CHECK(refuse_images(idx_images("abcdef", 0, 0x80000000, 2)));
  CHECK(refuse_images(idx_images("abcdef", 3, 0, 2)));
  CHECK(contains(refusal("idx:" + good_images + "," + folder.write("few", idx_labels(string("\0\1", 2), 2))),
                 "2 labels for the 3 images"));
  CHECK(contains(refusal("idx:" + folder.write("none", idx_images("", 0, 1, 2)) + "," +
                         folder.write("none2", idx_labels("", 0))),
                 "no samples"));
}

TEST_CASE("cifar10: the batches are the training data, test_batch is the test data, labels are 0 to 9") {
  const DataFolder folder;
  const auto record = [](char label, char pixel) { return string(1, label) + string(3072, pixel); };
  const string source = "cifar10:" + folder.path().string();
  CHECK(contains(refusal(source), "data_batch"));
  folder.write("data_batch_2.bin", record(9, '\x33'));
  folder.write_gzipped("data_batch_1.bin.gz", record(3, '\0') + record(0, '\xff'));
  CHECK(load(source).test == nullptr);
  folder.write("test_batch.bin", record(1, '\0'));
  const auto [train, test, held_out, labels, columns, stood_for] = load(source);
  CHECK(train->targets == Targets{3, 0, 9});
  CHECK(train->class_count == 10);
  CHECK(dense_of(*train).rowwise().sum().isApprox(Vector<double>{{0.0, 3072.0, 614.4}}));
  CHECK(test->targets == Targets{1});
  CHECK(test->class_count == 10);

  folder.write("data_batch_2.bin", record(9, '\0') + record(10, '\0'));
  CHECK(contains(refusal(source), "data_batch_2.bin, offset 3073: the label is 10"));
  for (std::size_t size = 0; size < 3073; ++size) {
    folder.write("data_batch_2.bin", record(9, '\0').substr(0, size));
    REQUIRE(contains(refusal(source), "data_batch_2.bin, offset " + std::to_string(size)));
  }
}

TEST_CASE("data: a damaged gzip stream is refused at every truncation") {
  const DataFolder folder;
  const string whole = content_of(folder.write_gzipped("a.gz", "1 1:1 2:0.123456\n-1 2:1\n"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(!refusal("libsvm:" + folder.write("cut.gz", whole.substr(0, size))).empty());
  }
  string flipped = whole;
  flipped[whole.size() - 6] = static_cast<char>(flipped[whole.size() - 6] ^ 1);  // in the checksum
  CHECK(contains(refusal("libsvm:" + folder.write("bad.gz", flipped)), "bad.gz"));
  flipped = whole;
  flipped[12] = static_cast<char>(~flipped[12]);  // in what is compressed
  const string damaged = "libsvm:" + folder.write("bad.gz", flipped);
  CHECK(contains(refusal(damaged), "bad.gz"));
  CHECK_FALSE(is_of_this_host(damaged));  // it is damaged on every host
  CHECK(is_of_this_host("libsvm:/nowhere/data"));
}

TEST_CASE("data: a source that is unknown, missing or unreadable is one sentence") {
  const DataFolder folder;
  for (const char* source :
       {"", "libsvm", "libsvm:", "lib:x", "idx:a", "idx:,b", "npy:a,", "synthetics", "synthetic(samples)",
        "synthetic(samples=0)", "synthetic(classes=1)", "synthetic(samples=1e3)", "synthetic(rows=3)",
        "synthetic(8192)", "synthetic(", "synthetic(samples=100000000, features=10000000)"}) {
    CAPTURE(std::string(source));
    CHECK(refusal(source).rfind("data.source = ", 0) == 0);
  }
  CHECK(contains(refusal("csv:" + folder.path().string()), "is a directory"));
  CHECK(refusal("csv:/nowhere/data.csv") ==
        "data.source = csv:/nowhere/data.csv: there is no /nowhere/data.csv");
  CHECK(contains(refusal("cifar10:/nowhere"), "data.source = cifar10:/nowhere: there is no /nowhere"));
  CHECK(contains(refusal("cifar10:" + folder.write("file", "")), "it is a file; expected the folder"));
  CHECK(
      refusal("quadratic(100)") ==
      "data.source = quadratic(100): it is a model; expected model.kind = \"quadratic(100)\", and data here");
  CHECK(contains(refusal("synthetic(samples=20)", "csv:x"), "data.test = csv:x"));
  const string two = "csv:" + folder.write("two.csv", "1,2,0\n3,4,1\n");
  CHECK(contains(refusal(two, "csv:" + folder.write("three.csv", "1,2,3,0\n")), "3 features"));
}

TEST_CASE("data: a target that is no class label is named by its sample, counted from 1") {
  const DataFolder folder;
  const auto third = [&](const string& target) {
    return refusal("csv:" + folder.write("labels.csv", "1,2,0\n3,4,1\n5,6," + target + "\n7,8,0.5\n"));
  };
  for (const string target : {"0.5", "-2.5", "16777217", "-99999999"}) {
    CAPTURE(target);
    CHECK(contains(third(target), "sample 3 has the target "));
    CHECK(contains(third(target), "expected a class label, a whole number from -16777216 to 16777216"));
  }
}

TEST_CASE("data: scale multiplies the features of every source, train and test") {
  const DataFolder folder;
  RunSettings::Data data;
  data.source = "libsvm:" + folder.write("a", "1 1:2\n-1 2:3\n");
  data.test = "csv:" + folder.write("b", "4,5,1\n");
  data.scale = 0.5;
  const auto [train, test, held_out, labels, columns, stood_for] = load_data<double>(data, true, 1);
  CHECK(dense_of(*train) == DenseRows<double>{{1.0, 0.0}, {0.0, 1.5}});
  CHECK(dense_of(*test) == DenseRows<double>{{2.0, 2.5}});
  for (const double bad : {0.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    data.scale = bad;
    CHECK(contains(misuse_text([&] { load_data<double>(data, true, 1); }), "data.scale"));
  }
}

TEST_CASE("data: a9a has its published shape and label counts") {
  const auto folder = real_data("a9a");
  if (!folder) return;
  const auto [train, test, held_out, labels, columns, stood_for] =
      load("libsvm:" + *folder + "/a9a.gz", "libsvm:" + *folder + "/a9a.t.gz");
  CHECK(train->count() == 32561);
  CHECK(test->count() == 16281);
  CHECK(train->feature_count() == 123);
  CHECK(test->feature_count() == 123);
  CHECK(std::count(train->targets.begin(), train->targets.end(), 1.0) == 7841);
  CHECK(std::count(test->targets.begin(), test->targets.end(), 1.0) == 3846);
}

TEST_CASE("data: a number that only a double can hold is refused in a float run, with its place") {
  const DataFolder folder;
  const auto refusal_in_float = [](const string& source, std::optional<double> scale = {}) {
    RunSettings::Data data;
    data.source = source;
    data.scale = scale;
    return misuse_text([&] { load_data<float>(data, false, 1); });
  };
  const string ones = folder.write("ones.npy", npy("<f8", "(2, 1)", bytes_of({1.0, 1.0})));
  const string huge = folder.write("huge.npy", npy("<f8", "(2, 1)", bytes_of({1.0, 1e300})));
  for (const auto& [source, place] : std::vector<std::pair<string, string>>{
           {"libsvm:" + folder.write("target", "1 1:1\n1e300 1:1\n"), "target, line 2"},
           {"libsvm:" + folder.write("feature", "1 1:1\n1 1:1e300\n"), "feature, line 2"},
           {"csv:" + folder.write("target.csv", "1,1\n1,1e300\n"), "target.csv, line 2"},
           {"csv:" + folder.write("feature.csv", "1,1\n1e300,1\n"), "feature.csv, line 2"},
           {"npy:" + huge + "," + ones, "huge.npy, element 1"},
           {"npy:" + ones + "," + huge, "huge.npy, element 1"}}) {
    const string refused = refusal_in_float(source);
    CHECK_MESSAGE(contains(refused, place), refused);
    CHECK(refusal(source, "", false) == "");
  }
  const string large = "csv:" + folder.write("large.csv", "1e30,1\n1,2\n");
  CHECK(contains(refusal_in_float(large, 1e20), "data.scale = 1e+20"));
  CHECK(refusal_in_float(large, 1e-20) == "");
}

TEST_CASE("synthetic: more numbers than any machine holds are refused before the first is drawn") {
  for (const char* source : {"synthetic(samples=100000000, features=10000000, classes=2)",
                             "synthetic(samples=1, features=10000000, classes=65536)"}) {
    CHECK(contains(refusal(source), "GB of memory"));
  }
}

TEST_CASE("data: the MNIST test set has its published shape and digit counts") {
  const auto folder = real_data("MNIST");
  if (!folder) return;
  const auto loaded =
      load("idx:" + *folder + "/t10k-images-idx3-ubyte.gz," + *folder + "/t10k-labels-idx1-ubyte.gz");
  CHECK(loaded.train->count() == 10000);
  CHECK(loaded.train->feature_count() == 784);
  CHECK(loaded.train->class_count == 10);
  const auto digits = [&](double d) {
    return std::count(loaded.train->targets.begin(), loaded.train->targets.end(), d);
  };
  CHECK(digits(0.0) == 980);
  CHECK(digits(1.0) == 1135);
  CHECK(digits(9.0) == 1009);
  CHECK(dense_of(*loaded.train).maxCoeff() == 1.0);
}

TEST_CASE("data: the CIFAR-10 sample is balanced") {
  const auto folder = real_data("CIFAR-10");
  if (!folder) return;
  const auto [train, test, held_out, labels, columns, stood_for] =
      load("cifar10:" + *folder + "/cifar10-sample");
  CHECK(train->count() == 10000);
  CHECK(train->feature_count() == 3072);
  REQUIRE(test != nullptr);
  CHECK(test->count() == 1000);
  for (double k = 0.0; k < 10.0; ++k)
    CHECK(std::count(train->targets.begin(), train->targets.end(), k) == 1000);
}

}  // namespace hearsay::test::dataset_test
