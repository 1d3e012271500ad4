#include "runtime/foundation/whole_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

namespace {

constexpr std::string_view partial_ending = ".partial";

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ::ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_and_sync(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  FileDescriptor out(file, O_WRONLY | O_CREAT | O_TRUNC);
  return out && write_all(out.number(), bytes) && ::fsync(out.number()) == 0 && out.close();
}

bool sync_directory(const std::filesystem::path& directory) {
  const FileDescriptor in(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY);
  return in && ::fsync(in.number()) == 0;
}

}  // namespace

std::optional<std::string> write_durably(const std::filesystem::path& file,
                                         std::span<const std::byte> bytes) {
  const std::filesystem::path partial = file.string() + std::string(partial_ending);
  if (write_and_sync(partial, bytes) && ::rename(partial.c_str(), file.c_str()) == 0 &&
      sync_directory(file.parent_path()))
    return std::nullopt;
  const std::string reason = std::strerror(errno);
  ::unlink(partial.c_str());
  return "cannot write " + file.string() + ": " + reason;
}

FileBytes read_bytes(const std::filesystem::path& file) {
  const auto refused = [&](const std::string& reason) {
    return FileBytes{std::nullopt, "cannot read " + file.string() + ": " + reason};
  };
  // A pipe would keep its reader waiting for somebody to write.
  const FileDescriptor in(file, O_RDONLY | O_NONBLOCK);
  struct ::stat status = {};
  if (!in || ::fstat(in.number(), &status) != 0) return refused(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return refused("it is not a regular file");
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ::ssize_t got = ::read(in.number(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused(std::strerror(errno));
    if (got == 0) break;  // it has become shorter
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return {std::move(bytes), ""};
}

std::string numbered_name(const std::string& kind, std::uint32_t peer, std::uint64_t iteration) {
  std::string digits = std::to_string(iteration);
  if (digits.size() < 12) digits.insert(0, 12 - digits.size(), '0');
  return kind + "-" + std::to_string(peer) + "-" + digits;
}

std::vector<std::uint64_t> numbered_files(const std::filesystem::path& directory, const std::string& kind,
                                          std::uint32_t peer) {
  const std::string prefix = kind + "-" + std::to_string(peer) + "-";
  std::vector<std::uint64_t> iterations;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    std::uint64_t iteration = 0;
    const char* const digits = name.data() + prefix.size();
    std::from_chars(digits, name.data() + name.size(), iteration);
    if (name == numbered_name(kind, peer, iteration)) iterations.push_back(iteration);
  }
  std::ranges::sort(iterations);
  return iterations;
}

std::vector<std::filesystem::path> partial_files(const std::filesystem::path& directory,
                                                 const std::string& kind, std::uint32_t peer) {
  const std::string prefix = kind + "-" + std::to_string(peer) + "-";
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(partial_ending)) found.push_back(entry->path());
  }
  return found;
}

}  // namespace hearsay
