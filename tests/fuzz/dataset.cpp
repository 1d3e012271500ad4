// A data file. Byte 0 chooses the format, byte 1 classification, scale and scalar type. If the data are a
// pair of files, two bytes give the length of the first. The rest is the content of the files.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "runtime/data/dataset.hpp"
#include "runtime/data/formats.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

/// A file in memory that has a path.
class MemoryFile {
 public:
  explicit MemoryFile(const std::vector<std::byte>& content) : descriptor_(memfd_create("fuzz", 0)) {
    ensure(descriptor_ >= 0, "a file in memory can be made");
    const auto written = write(descriptor_, content.data(), content.size());
    ensure(written == std::ssize(content), "a file in memory can be written");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

template <class Scalar>
void load(const RunSettings::Data& data, bool classification) {
  const LoadedData<Scalar> loaded = load_data<Scalar>(data, classification, 1);
  ensure(loaded.train->count() > 0 && loaded.train->feature_count() > 0, "data have samples and features");
  if (!classification) return;
  for (const Scalar target : loaded.train->targets)
    ensure(target >= 0 && target < static_cast<Scalar>(loaded.train->class_count), "a label is a class");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto format = input.take<std::uint8_t>() % 5;
  const auto options = input.take<std::uint8_t>();
  const bool pair = format == 2 || format == 3;
  const MemoryFile first(pair ? input.take_bytes(input.take<std::uint16_t>()) : input.rest());
  const MemoryFile second(input.rest());
  fuzz::may_refuse([&] {
    if (format == 4) {
      DataMemory no_limit;
      ensure(read_cifar10<float>({first.path()}, no_limit).count() > 0, "a batch has a record at least");
      return;
    }
    RunSettings::Data settings;
    const char* const formats[] = {"libsvm:", "csv:", "idx:", "npy:"};
    settings.source = formats[format] + first.path() + (pair ? "," + second.path() : "");
    if (options & 2) settings.scale = 1e300;
    options & 4 ? load<double>(settings, options & 1) : load<float>(settings, options & 1);
  });
  return 0;
}
