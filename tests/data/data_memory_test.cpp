#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "runtime/data/dataset.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::data_memory_test {

using std::string;

namespace {

string refusal_of(const RunSettings::Data& data) {
  return misuse_text([&data] { load_data<double>(data, true, 1); });
}

}  // namespace

TEST_CASE("data: files that come to more than data.memory are refused, however small they look") {
  const DataFolder folder;
  const string zeros(1'000'000, '\0');
  const string small = folder.write_gzipped("zeros.gz", zeros);
  REQUIRE(std::filesystem::file_size(small) < 10'000);
  RunSettings::Data data;
  data.memory = "100 kB";
  const auto refusal = [&data](const string& source, const string& test) {
    data.source = source;
    data.test = test;
    return refusal_of(data);
  };
  for (const string format : {"libsvm:", "csv:"})
    CHECK(refusal(format + small, "") == "data.memory = 100 kB: with " + small +
                                             " the data files come to more than 100 kB; expected files "
                                             "that hold less, or a larger data.memory");
  CHECK(contains(refusal("npy:" + small + "," + small, ""), "data.memory = 100 kB"));
  CHECK(contains(refusal("idx:" + small + "," + small, ""), "data.memory = 100 kB"));
  CHECK(contains(refusal("csv:" + folder.write("plain.csv", zeros), ""), "data.memory = 100 kB"));
  // Training and test data count together.
  string rows;
  while (rows.size() < 60'000) rows += "1,2,0\n3,4,1\n";
  const string fits = "csv:" + folder.write("fits.csv", rows);
  CHECK(refusal(fits, "") == "");
  CHECK(contains(refusal(fits, fits), "data.memory = 100 kB"));
}

TEST_CASE("data: a device is no file, and a pipe is read to its end") {
  const DataFolder folder;
  RunSettings::Data data;
  data.source = "libsvm:/dev/zero";
  CHECK(contains(refusal_of(data), "/dev/zero is a device, not a file"));
  const string pipe = (folder.path() / "pipe").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "1,2,0\n3,4,1\n"; });
  data.source = "csv:" + pipe;
  CHECK(load_data<double>(data, true, 1).train->count() == 2);
  writer.join();
}

}  // namespace hearsay::test::data_memory_test
