#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::codec_program_test {

namespace fs = std::filesystem;

TEST_CASE(
    "codec: what stands in the place of its output is not replaced, unless it is an array and one asks for "
    "it") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  REQUIRE(run_program(folder.path(), {"simulate", "q.toml", "--quiet", "--output", "out"}).code == 0);
  folder.write("precious.txt", "precious");
  fs::create_symlink("precious.txt", folder.path() / "link.npy");
  REQUIRE(mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  const auto codec = [&](const std::string& output, bool overwrites) {
    std::vector<std::string> words = {"codec", "topk(k=1)", "out/model.npy", "--output", output};
    if (overwrites) words.push_back("--overwrite");
    return run_program(folder.path(), words);
  };
  const std::string model = content_of(folder.path() / "out/model.npy");
  for (const std::string place : {"precious.txt", "link.npy", "pipe", "out"})
    for (const bool overwrites : {false, true}) {
      CAPTURE(place);
      const ProgramEnd end = codec(place, overwrites);
      CHECK(end.code == 2);
      CHECK_MESSAGE(contains(end.complained, "--output = " + place + ": it is there"), end.complained);
    }
  CHECK(content_of(folder.path() / "precious.txt") == "precious");
  const ProgramEnd itself = codec("out/model.npy", false);
  CHECK(itself.code == 2);
  CHECK_MESSAGE(contains(itself.complained, "--overwrite replaces it"), itself.complained);
  CHECK(content_of(folder.path() / "out/model.npy") == model);
  CHECK(codec("out/model.npy", true).code == 0);
  CHECK(content_of(folder.path() / "out/model.npy") != model);
}

TEST_CASE("codec: what receivers decode of a matrix is a matrix, and whole numbers are refused") {
  const DataFolder folder;
  const auto array = [&](const std::string& name, const std::string& type, const std::string& bytes) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (2, 3), }";
    header.append(117 - header.size(), ' ').push_back('\n');
    folder.write(name, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + bytes);
  };
  array("matrix.npy", "<f4", std::string(24, '\x40'));
  array("counts.npy", "<i4", std::string(24, '\x01'));
  REQUIRE(run_program(folder.path(), {"codec", "none", "matrix.npy", "--output", "decoded.npy"}).code == 0);
  const std::string decoded = content_of(folder.path() / "decoded.npy");
  CHECK(contains(decoded, "'shape': (2,3,)"));
  CHECK(decoded.ends_with(std::string(24, '\x40')));
  const ProgramEnd refused = run_program(folder.path(), {"codec", "none", "counts.npy"});
  CHECK(refused.code == 2);
  CHECK_MESSAGE(contains(refused.complained, "counts.npy holds whole numbers"), refused.complained);
}

}  // namespace hearsay::test::codec_program_test
