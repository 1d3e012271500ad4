#include "runtime/foundation/partial_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace hearsay {

namespace {

constexpr std::string_view partial_ending = ".partial";

}  // namespace

PartialFile make_partial_file(const std::filesystem::path& name) {
  // O_NONBLOCK: opening a pipe would wait for a reader.
  constexpr int as_new_file = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK;
  const std::string first = name.string() + std::string(partial_ending);
  PartialFile partial{first, FileDescriptor(first, as_new_file)};
  for (int others = 1; !partial.file && errno == EEXIST; ++others) {
    partial.path = first + "-" + std::to_string(others);
    partial.file = FileDescriptor(partial.path, as_new_file);
  }
  return partial;
}

std::string_view without_partial_ending(std::string_view file) {
  const std::size_t begin = file.rfind(partial_ending);
  if (begin == file.npos) return file;
  std::string_view number = file.substr(begin + partial_ending.size());
  if (!number.empty()) {
    if (number.front() != '-' || number.size() == 1) return file;
    number.remove_prefix(1);
  }
  const bool is_number = std::ranges::all_of(number, [](char sign) { return sign >= '0' && sign <= '9'; });
  return is_number ? file.substr(0, begin) : file;
}

bool rename_to_new(const std::filesystem::path& partial, const std::filesystem::path& name) {
  if (::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // A file system that cannot do so, as of some networks.
  if (::link(partial.c_str(), name.c_str()) != 0) return false;
  ::unlink(partial.c_str());
  return true;
}

}  // namespace hearsay
