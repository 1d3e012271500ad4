#include "runtime/data/zip_archive.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "runtime/data/data_file.hpp"

namespace hearsay {

namespace {

/// The archive, read at given offsets.
class Archive {
 public:
  Archive(const std::filesystem::path& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  std::string_view at(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      throw bad_offset(path_, bytes_.size(), "the zip archive ends early");
    return bytes_.substr(offset, size);
  }
  /// A little-endian number.
  std::uint32_t number(std::uint64_t offset, unsigned size) const {
    std::uint32_t value = 0;
    for (unsigned k = size; k-- > 0;) value = value << 8 | static_cast<unsigned char>(at(offset, size)[k]);
    return value;
  }
  void require(std::uint64_t offset, std::string_view signature, const std::string& what) const {
    if (at(offset, signature.size()) != signature) throw bad_offset(path_, offset, "this is no " + what);
  }

 private:
  const std::filesystem::path& path_;
  std::string_view bytes_;
};

/// Inflates a raw deflate stream into exactly `size` bytes; empty if it is damaged.
std::string inflated(std::string_view packed, std::size_t size) {
  std::string content(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(size);
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return whole ? content : std::string();
}

}  // namespace

std::vector<ZipEntry> read_zip(const std::filesystem::path& path, DataMemory& memory) {
  constexpr std::uint64_t end_size = 22;
  constexpr std::uint64_t entry_size = 46;
  constexpr std::uint64_t local_size = 30;
  const std::string bytes = read_data_file(path, memory);
  const Archive archive(path, bytes);
  const std::size_t end = bytes.rfind("PK\5\6");
  if (!bytes.starts_with("PK") || end == std::string::npos)
    throw bad_offset(path, 0, "this is no whole zip archive");
  archive.at(end, end_size);
  std::vector<ZipEntry> entries;
  std::uint64_t at = archive.number(end + 16, 4);
  for (std::uint32_t left = archive.number(end + 10, 2); left > 0; --left) {
    archive.require(at, "PK\1\2", "entry of a zip archive");
    const std::uint32_t flags = archive.number(at + 8, 2);
    const std::uint32_t method = archive.number(at + 10, 2);
    const std::uint32_t checksum = archive.number(at + 16, 4);
    const std::uint32_t packed = archive.number(at + 20, 4);
    const std::uint32_t size = archive.number(at + 24, 4);
    const std::uint32_t name_size = archive.number(at + 28, 2);
    const std::uint32_t local = archive.number(at + 42, 4);
    ZipEntry entry{std::string(archive.at(at + entry_size, name_size)), {}};
    if ((flags & 1) != 0 || (method != 0 && method != Z_DEFLATED))
      throw bad_offset(path, at, entry.name + " is encrypted or packed in an unusual way");
    if (size == UINT32_MAX || packed == UINT32_MAX || local == UINT32_MAX)
      throw bad_offset(path, at, entry.name + " has 4 GiB or more; save the arrays as two .npy files");
    archive.require(local, "PK\3\4", "file of a zip archive");
    const std::uint64_t begin =
        local + local_size + archive.number(local + 26, 2) + archive.number(local + 28, 2);
    const std::string_view stored = archive.at(begin, packed);
    if (size / 1100 > packed) throw bad_offset(path, at, entry.name + " is damaged");  // deflate packs less
    memory.require_room(path, size);
    entry.content = method == 0 ? std::string(stored) : inflated(stored, size);
    const auto* const content = reinterpret_cast<const Bytef*>(entry.content.data());
    if (entry.content.size() != size ||
        crc32(0, content, static_cast<uInt>(entry.content.size())) != checksum)
      throw bad_offset(path, begin, entry.name + " is damaged");
    memory.take(path, size);
    entries.push_back(std::move(entry));
    at += entry_size + name_size + archive.number(at + 30, 2) + archive.number(at + 32, 2);
  }
  return entries;
}

}  // namespace hearsay
