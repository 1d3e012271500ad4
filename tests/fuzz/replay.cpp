// Runs a fuzz target over files and folders, without libFuzzer, so that every finding of the past is tested
// again.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/input.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int count, char** arguments) {
  std::size_t survived = 0;
  for (int k = 1; k < count; ++k)
    for (const fs::path& file : files_in(arguments[k])) {
      // The name is printed before the run: after a crash the last name is the culprit.
      std::printf("%s\n", file.c_str());
      std::fflush(stdout);
      std::ifstream in(file, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++survived;
    }
  std::printf("%zu inputs survived\n", survived);
  return survived == 0 ? 1 : 0;
}
