#include "runtime/foundation/whole_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/foundation/partial_file.hpp"
#include "runtime/foundation/text_bytes.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr std::size_t largest_text_bytes = 64u << 20;
constexpr std::size_t piece_bytes = 1u << 16;

bool write_parts(FileDescriptor& out, std::span<const std::string_view> parts, Durability durability) {
  for (const std::string_view part : parts)
    if (write_all(out.number(), part) < part.size()) return false;
  return (durability == Durability::end_of_process || ::fsync(out.number()) == 0) && out.close();
}

bool sync_directory(const std::filesystem::path& directory) {
  const FileDescriptor in(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY);
  return in && ::fsync(in.number()) == 0;
}

/// Reads a file of probably `expected` bytes. False if the file cannot be read (errno says why). Stops once
/// more than `most` bytes are read.
template <class Content>
bool read_all(const FileDescriptor& in, std::size_t expected, std::size_t most, Content& content) {
  content.resize(expected + 1);  // one byte more finds the end
  std::size_t have = 0;
  while (have <= most) {
    if (have == content.size()) content.resize(have + have / 2 + piece_bytes);
    const ::ssize_t got = ::read(in.number(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  content.resize(have);
  return true;
}

}  // namespace

namespace {

std::optional<std::string> try_to_write(const std::filesystem::path& path,
                                        std::span<const std::string_view> parts, Durability durability) {
  PartialFile partial = make_partial_file(path);
  if (!partial.file) return "cannot write " + path.string() + ": " + std::strerror(errno);
  const bool is_renamed =
      write_parts(partial.file, parts, durability) && ::rename(partial.path.c_str(), path.c_str()) == 0;
  if (is_renamed && (durability == Durability::end_of_process || sync_directory(path.parent_path())))
    return std::nullopt;
  const std::string reason = std::strerror(errno);
  if (!is_renamed) ::unlink(partial.path.c_str());
  return "cannot write " + path.string() + ": " + reason;
}

}  // namespace

std::optional<std::string> try_to_write_file(const std::filesystem::path& path,
                                             std::initializer_list<std::string_view> parts,
                                             Durability durability) {
  return try_to_write(path, {parts.begin(), parts.size()}, durability);
}

std::optional<std::string> try_to_write_file(const std::filesystem::path& path, const ByteParts& parts,
                                             Durability durability) {
  std::vector<std::string_view> texts;
  parts.each([&](std::span<const std::byte> part) {
    texts.emplace_back(reinterpret_cast<const char*>(part.data()), part.size());
  });
  return try_to_write(path, texts, durability);
}

void write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> parts) {
  if (const auto defect = try_to_write_file(path, parts, Durability::end_of_process))
    throw HostRefusal(*defect);
}

void write_files(const std::vector<std::pair<std::filesystem::path, std::string>>& files) {
  for (std::size_t k = 0; k < files.size(); ++k) {
    const auto defect = try_to_write_file(files[k].first, {files[k].second}, Durability::end_of_process);
    if (!defect) continue;
    std::error_code ignored;
    for (std::size_t written = 0; written < k; ++written)
      std::filesystem::remove(files[written].first, ignored);
    throw HostRefusal(*defect);
  }
}

FileBytes read_bytes(const std::filesystem::path& path) {
  const auto refused = [&](const std::string& reason) {
    return FileBytes{std::nullopt, "cannot read " + path.string() + ": " + reason};
  };
  // O_NONBLOCK: opening a pipe would wait for a writer.
  const FileDescriptor in(path, O_RDONLY | O_NONBLOCK);
  struct ::stat status = {};
  if (!in || ::fstat(in.number(), &status) != 0) return refused(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return refused("it is not a regular file");
  FileBytes read{std::vector<std::byte>(), ""};
  const auto size = static_cast<std::size_t>(status.st_size);
  if (!read_all(in, size, std::numeric_limits<std::size_t>::max(), *read.bytes))
    return refused(std::strerror(errno));
  return read;
}

std::string read_text_file(const std::string& path) {
  const FileDescriptor in(path, O_RDONLY);
  std::string text;
  if (!in || !read_all(in, piece_bytes, largest_text_bytes, text))
    throw HostRefusal("cannot read " + path + ": " + std::strerror(errno));
  if (text.size() > largest_text_bytes) throw Misuse("cannot read " + path + ": it is longer than 64 MiB");
  if (const auto defect = defect_of_text(text)) throw Misuse(path + " is no text file: " + *defect);
  return std::string(without_byte_order_mark(text));
}

std::string read_text_file(const std::string& label, const std::string& path) {
  try {
    return read_text_file(path);
  } catch (const Misuse& misuse) {
    throw_reworded(misuse, label + ": " + misuse.what());
  }
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
    if (name.starts_with(prefix) && without_partial_ending(name) != name) found.push_back(entry->path());
  }
  return found;
}

}  // namespace hearsay
