#include "runtime/foundation/written_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

void write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> parts) {
  const std::filesystem::path partial = path.string() + ".partial";
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  for (const std::string_view part : parts) out.write(part.data(), static_cast<std::streamsize>(part.size()));
  out.close();
  std::string reason = std::strerror(errno);  // of the first write that failed, if one did
  std::error_code error;
  if (out) std::filesystem::rename(partial, path, error);
  if (out && !error) return;
  if (error) reason = error.message();
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  throw Misuse("cannot write " + path.string() + ": " + reason);
}

}  // namespace hearsay
