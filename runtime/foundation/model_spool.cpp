#include "runtime/foundation/model_spool.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "runtime/foundation/pages.hpp"

namespace hearsay {

namespace {

/// Takes room in a file. Returns false if there is none (errno says why).
bool take_room(int file, std::size_t begin, std::size_t bytes) {
  int failed = 0;
  do failed = fallocate(file, 0, static_cast<off_t>(begin), static_cast<off_t>(bytes));
  while (failed != 0 && errno == EINTR);
  return failed == 0;
}

/// Opens a new file without a name.
FileDescriptor nameless_file(const std::filesystem::path& directory) {
  FileDescriptor file(directory, O_TMPFILE | O_RDWR);
  if (file || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  // A file system that cannot do so, as of some networks.
  std::string name = directory / ".models-XXXXXX";
  FileDescriptor named(mkostemp(name.data(), O_CLOEXEC));
  if (named) unlink(name.c_str());
  return named;
}

}  // namespace

std::unique_ptr<ModelSpool> ModelSpool::make(const std::filesystem::path& directory, std::size_t senders,
                                             std::size_t longest_bytes, const Notice& notice) {
  const std::string where = directory.empty() ? "." : directory.string();
  const auto refused = [&](const std::string& why) {
    notice("the models of an evaluation are kept in memory until all have come, since " + where + " " + why);
    return nullptr;
  };
  const std::size_t room_bytes = whole_pages(longest_bytes);
  const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / 2;
  const std::size_t rooms = senders * models_of_sender;
  if (rooms == 0 || room_bytes > most / rooms) return refused("has no room for them");
  const std::size_t bytes = rooms * room_bytes;
  // The kernel would end a process that writes a longer file.
  if (is_limited(RLIMIT_FSIZE, bytes) || is_address_space_limited())
    return refused("may not have so long a file, or the process not so much address space");
  FileDescriptor file = nameless_file(where);
  if (!file || ftruncate(file.number(), static_cast<off_t>(bytes)) != 0 ||
      !take_room(file.number(), 0, page_bytes()))
    return refused(std::string("takes no such file: ") + std::strerror(errno));
  void* const begin =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.number(), 0);
  if (begin == MAP_FAILED) return refused(std::string("takes no such file: ") + std::strerror(errno));
  return std::unique_ptr<ModelSpool>(new ModelSpool(std::move(file), where, senders, room_bytes,
                                                    {static_cast<std::byte*>(begin), bytes}, notice));
}

ModelSpool::ModelSpool(FileDescriptor file, std::string where, std::size_t senders, std::size_t room_bytes,
                       std::span<std::byte> all, Notice notice)
    : file_(std::move(file)),
      where_(std::move(where)),
      room_bytes_(room_bytes),
      all_(all),
      rooms_(senders * models_of_sender),
      closed_(senders),
      notice_(std::move(notice)) {}

ModelSpool::~ModelSpool() { munmap(all_.data(), all_.size()); }

// The disk has to have the room before: who reads a page that the disk could not keep is ended.
std::span<const std::byte> ModelSpool::begin(std::size_t sender, std::uint64_t iteration, std::size_t bytes) {
  const auto first = rooms_.begin() + static_cast<std::ptrdiff_t>(sender * models_of_sender);
  const auto room = std::find_if(first, first + models_of_sender, [](const Room& r) { return !r.is_taken; });
  const bool is_free = room != first + models_of_sender;
  const bool fits = bytes > 0 && bytes <= room_bytes_;
  if (has_failed_ || !is_free || !fits || iteration <= closed_[sender]) return {};
  const auto place = static_cast<std::size_t>(room - rooms_.begin());
  if (!take_room(file_.number(), place * room_bytes_, whole_pages(bytes))) {
    say_once(std::string("has no room for them: ") + std::strerror(errno));
    return {};
  }
  *room = {iteration, true};
  return bytes_of(place).first(bytes);
}

bool ModelSpool::write(std::span<const std::byte> bytes, const std::byte* place) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (write_all(file_.number(), text, place - all_.data()) == bytes.size()) return true;
  has_failed_ = true;
  say_once(std::string("cannot be written: ") + std::strerror(errno));
  return false;
}

void ModelSpool::say_once(const std::string& why) {
  if (std::exchange(has_said_why_, true)) return;
  notice_("some models of evaluations are kept in memory until all have come, since " + where_ + " " + why);
}

void ModelSpool::give_up(std::span<const std::byte> room) {
  if (holds(room)) give_back(static_cast<std::size_t>(room.data() - all_.data()) / room_bytes_);
}

void ModelSpool::close(std::size_t sender, std::uint64_t iteration) {
  closed_[sender] = std::max(closed_[sender], iteration);
  for (std::size_t place = sender * models_of_sender; place < (sender + 1) * models_of_sender; ++place)
    if (rooms_[place].is_taken && rooms_[place].iteration <= iteration) give_back(place);
}

/// What has not been written to the disk yet never will be.
void ModelSpool::give_back(std::size_t place) {
  rooms_[place].is_taken = false;
  madvise(bytes_of(place).data(), room_bytes_, MADV_REMOVE);  // if it fails, the next model takes the pages
}

bool ModelSpool::holds(std::span<const std::byte> bytes) const { return hearsay::holds(all_, bytes); }

void ModelSpool::let_go(std::span<const std::byte> bytes) const {
  if (holds(bytes)) let_go_of_pages(all_, bytes);
}

}  // namespace hearsay
