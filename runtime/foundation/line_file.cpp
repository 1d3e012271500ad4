#include "runtime/foundation/line_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

LineFile::LineFile(const std::filesystem::path& path, bool on_disk)
    : path_(path), file_(path, O_WRONLY | O_CREAT), on_disk_(on_disk) {
  const ::off_t end = file_ ? ::lseek(file_.number(), 0, SEEK_END) : -1;
  if (end < 0) throw HostRefusal("cannot write " + path.string() + ": " + std::strerror(errno));
  written_bytes_ = static_cast<std::uint64_t>(end);
}

void LineFile::append(std::string_view line) {
  waiting_ += line;
  waiting_ += '\n';
  write_waiting();
}

void LineFile::write_waiting() {
  defect_.reset();
  std::size_t done = write_all(file_.number(), waiting_, static_cast<::off_t>(written_bytes_));
  if (done < waiting_.size()) {
    defect_ = "cannot write " + path_.string() + ": " + std::strerror(errno);
    // The part of an incomplete line that was written is cut off. If even that fails, the next write goes
    // over it.
    const std::size_t whole = waiting_.rfind('\n', done == 0 ? 0 : done - 1);
    done = done == 0 || whole == std::string::npos ? 0 : whole + 1;
    if (::ftruncate(file_.number(), static_cast<::off_t>(written_bytes_ + done)) != 0) errno = 0;
  }
  written_bytes_ += done;
  waiting_.erase(0, done);
  if (on_disk_ && !defect_ && ::fdatasync(file_.number()) != 0)
    defect_ = "cannot bring " + path_.string() + " to the disk: " + std::strerror(errno);
}

bool LineFile::was_removed() const {
  struct ::stat status {};
  return ::fstat(file_.number(), &status) == 0 && status.st_nlink == 0;
}

}  // namespace hearsay
