#include "runtime/data/npy.hpp"

#include <doctest/doctest.h>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::npy_test {

TEST_CASE_TEMPLATE("npy: a vector reads back bit for bit, and no partial file is left", Scalar, float,
                   double) {
  const DataFolder folder;
  for (const Index size : {0, 1, 7, 1000}) {
    Vector<Scalar> vector(size);
    for (Index k = 0; k < size; ++k) vector[k] = Scalar{1} / static_cast<Scalar>(k + 3);
    const auto path = folder.path() / "model.npy";
    write_npy(path, vector);
    const NpyArray<Scalar> array = read_npy<Scalar>(path);
    CHECK(array.shape == std::vector<Index>{size});
    CHECK(array.values == vector);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  }
}

TEST_CASE("npy: the file is what numpy.save writes") {
  const DataFolder folder;
  const auto path = folder.path() / "model.npy";
  write_npy<float>(path, Vector<float>{{1.0F, -2.0F}});
  const std::string bytes = content_of(path);
  // As the format is defined: magic, version 1.0, and length 118, so that the data begin at byte 128.
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  expected.resize(127, ' ');
  expected += std::string("\n\x00\x00\x80\x3f\x00\x00\x00\xc0", 9);
  CHECK(bytes == expected);
}

TEST_CASE("npy: every truncation of a file is refused") {
  const DataFolder folder;
  write_npy<double>(folder.path() / "a.npy", Vector<double>{{1.0, 2.0}});
  const std::string whole = content_of(folder.path() / "a.npy");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const std::string path = folder.write("cut.npy", whole.substr(0, size));
    CHECK(misuse_text([&] { read_npy<double>(path); }).find("cut.npy, offset") != std::string::npos);
  }
  const std::string longer = folder.write("long.npy", whole + "x");
  CHECK(!misuse_text([&] { read_npy<double>(longer); }).empty());
}

TEST_CASE("npy: a flipped byte in the header is refused or read, never a crash or a huge allocation") {
  const DataFolder folder;
  write_npy<float>(folder.path() / "a.npy", Vector<float>{{1.0F, 2.0F, 3.0F}});
  const std::string whole = content_of(folder.path() / "a.npy");
  for (std::size_t at = 0; at < 70; ++at)
    for (const int bit : {0, 2, 4, 7}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const std::string path = folder.write("flipped.npy", damaged);
      Index size = 0;
      const std::string sentence = misuse_text([&] { size = read_npy<float>(path).values.size(); });
      CHECK(size <= 3);
      CHECK((sentence.empty() || sentence.find("flipped.npy") != std::string::npos));
    }
}

TEST_CASE("npy: hostile shapes, and items that are no numbers, are refused with a sentence") {
  const DataFolder folder;
  const auto refusal = [&](const std::string& header, unsigned char version = 1) {
    std::string bytes = std::string("\x93NUMPY", 6) + static_cast<char>(version) + '\0';
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    if (version > 1) bytes += std::string(2, '\0');
    const std::string path = folder.write("a.npy", bytes + header + std::string(8, '\0'));
    return misuse_text([&] { read_npy<float>(path); });
  };
  const std::string shaped = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
  CHECK(refusal(shaped + "(2,), }").empty());
  CHECK(refusal(shaped + "(2,), }", 2).empty());
  CHECK(refusal(shaped + "(1, 2), }", 3).empty());
  CHECK(!refusal(shaped + "(2,), }", 4).empty());
  for (const char* shape :
       {"(3,)", "()", "(4294967296, 4294967296)", "(9223372036854775807,)", "(-2,)", "(2 1)", "(2, x)", "2",
        "(2,", "(99999999999999999999,)", "(0, 9223372036854775807)", "(2.0,)"}) {
    CAPTURE(std::string(shape));
    CHECK(refusal(shaped + shape + "}").find("offset") != std::string::npos);
  }
  for (const char* type : {"<c8", "<U4", "<f4 ", "|O", "<M8[ns]", "<f16", "|f4", "|V4", "<f3", "f4"})
    CHECK(refusal("{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (2,)}")
              .find("items are") != std::string::npos);
  CHECK(refusal("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}").empty());
  CHECK(refusal("{'descr': '<f4', 'fortran_order': 1, 'shape': (2,)}").find("neither True nor False") !=
        std::string::npos);
  CHECK(refusal("{'descr': '<f4', 'shape': (2,)}").find("fortran_order") != std::string::npos);
  CHECK(refusal("").find("descr") != std::string::npos);
}

TEST_CASE("npy: items that are no numbers are called what they are, with what makes numbers of them") {
  const DataFolder folder;
  const auto refusal = [&](const std::string& type) {
    const std::string header = "{'descr': " + type + ", 'fortran_order': False, 'shape': (2,), }";
    const std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0';
    return misuse_text([&] { read_npy<float>(folder.write("a.npy", bytes + header)); });
  };
  CHECK(contains(
      refusal("[('a', '<f4'), ('b', '<f4')]"),
      "a.npy, offset 8: the items are records, [('a', '<f4'), ('b', '<f4')]; expected numbers of one "
      "type, such as numpy.lib.recfunctions.structured_to_unstructured(array)"));
  CHECK(contains(refusal("[('shape', '<f4', (2,)), ('descr', [('b', '<i8')])]"),
                 "records, [('shape', '<f4', (2,)), ('descr', [('b', '<i8')])]; "));
  CHECK(contains(refusal("('<f8', (2,))"), "the items are arrays, ('<f8', (2,)); expected numbers"));
  CHECK(contains(refusal("'<U10'"),
                 "the items are text, '<U10'; expected numbers, such as the places in "
                 "numpy.unique(array, return_inverse=True)"));
  CHECK(contains(refusal("'|S3'"), "the items are text, '|S3'; "));
  CHECK(contains(refusal("'|O'"), "the items are Python objects, '|O'; expected bool, integers"));
  CHECK(contains(refusal("'<M8[ns]'"),
                 "the items are times, '<M8[ns]'; expected bool, integers of 1, 2, 4 or 8 "
                 "bytes, or floats of 2, 4 or 8, such as array.astype('float32')"));
  CHECK(contains(refusal("'<c16'"), "the items are complex numbers, '<c16'; expected "));
  CHECK(contains(refusal("'<f16'"), "the items are '<f16'; expected "));
  std::string many = "[('a', '<f4')";
  for (int field = 0; field < 8; ++field) many += ", ('field', '<f4')";
  const std::string long_type = refusal(many + "]");
  CHECK(contains(long_type, " ...; expected numbers of one type"));
}

TEST_CASE("npy: a folder that does not exist is refused") {
  CHECK(misuse_text([] {
          write_npy<float>("/nowhere/model.npy", Vector<float>::Zero(3));
        }).find("cannot write /nowhere/model.npy") != std::string::npos);
}

}  // namespace hearsay::test::npy_test
