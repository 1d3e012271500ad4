#include "runtime/data/data_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "runtime/foundation/text_bytes.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

constexpr std::size_t buffer_bytes = 1u << 16;

struct CloseGz {
  void operator()(gzFile file) const { gzclose_r(file); }
};

/// Returns what zlib says is wrong, without the path that it puts before.
std::string words_of_zlib(std::string_view text, const std::filesystem::path& path) {
  const std::string prefix = path.string() + ": ";
  return std::string(text.substr(text.starts_with(prefix) ? prefix.size() : 0));
}

/// What the host cannot read, another one may; a damaged file is damaged everywhere.
[[noreturn]] void refuse_reading(gzFile file, const std::filesystem::path& path) {
  int code = Z_OK;
  const char* text = gzerror(file, &code);
  const std::string beginning = "cannot read " + path.string() + ": ";
  if (code == Z_ERRNO) throw HostRefusal(beginning + std::strerror(errno));
  throw Misuse(beginning + words_of_zlib(text, path));
}

}  // namespace

std::string read_data_file(const std::filesystem::path& path, DataMemory& memory) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Misuse(path.string() + " is a directory, not a file");
  if (std::filesystem::is_character_file(path, ignored) || std::filesystem::is_block_file(path, ignored))
    throw Misuse(path.string() + " is a device, not a file");
  errno = 0;
  const std::unique_ptr<gzFile_s, CloseGz> file(gzopen(path.c_str(), "rb"));
  if (!file) throw HostRefusal("cannot open " + path.string() + ": " + std::strerror(errno));
  gzbuffer(file.get(), static_cast<unsigned>(buffer_bytes));
  // The length of a plain file is known; one byte more finds its end. The inflated length of a compressed
  // file is not known, so the buffer grows while it is read.
  const auto bytes = std::filesystem::file_size(path, ignored);
  if (!ignored) memory.require_room(path, bytes);
  std::string content(ignored ? buffer_bytes : static_cast<std::size_t>(bytes) + 1, '\0');
  std::size_t size = 0;
  for (;;) {
    if (size == content.size()) content.resize(size + size / 2 + buffer_bytes);
    const std::size_t room = std::min<std::size_t>(content.size() - size, 1u << 30);
    const int read = gzread(file.get(), content.data() + size, static_cast<unsigned>(room));
    if (read < 0) refuse_reading(file.get(), path);
    if (read == 0) break;
    size += static_cast<std::size_t>(read);
    if (size > memory.left()) break;
  }
  int code = Z_OK;
  const char* text = gzerror(file.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END)
    throw bad_offset(path, size, "the gzip stream is damaged: " + words_of_zlib(text, path));
  memory.take(path, size);
  content.resize(size);
  return content;
}

std::string read_data_text(const std::filesystem::path& path, DataMemory& memory) {
  std::string content = read_data_file(path, memory);
  if (const auto defect = defect_of_text(content))
    throw Misuse(path.string() + " is no text file: " + *defect);
  content.erase(0, content.size() - without_byte_order_mark(content).size());
  return content;
}

std::optional<double> finite_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  double value = 0.0;
  if (!parse_number(text, value)) return std::nullopt;
  return value;
}

Misuse bad_line(const std::filesystem::path& path, std::size_t line, const std::string& what) {
  return Misuse(path.string() + ", line " + std::to_string(line) + ": " + what);
}

Misuse bad_offset(const std::filesystem::path& path, std::size_t offset, const std::string& what) {
  return Misuse(path.string() + ", offset " + std::to_string(offset) + ": " + what);
}

}  // namespace hearsay
