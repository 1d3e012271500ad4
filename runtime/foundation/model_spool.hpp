#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/foundation/notice.hpp"
#include "runtime/foundation/read_in_place.hpp"

namespace hearsay {

/// Room on a disk in which models are put together as they come, and read, two of each sender. The file has
/// no name. The machine keeps it in memory as long as there is enough, and what is no more needed is given
/// back, so little of it reaches the disk. Its bytes count as memory of this process only while they are
/// read. A file system that promises room and has none later (copy on write, a quota) ends who reads there.
///
/// Each model is of an iteration. Its room is used anew once that is closed.
class ModelSpool final : public ReadInPlace {
 public:
  static constexpr std::size_t models_of_sender = 2;

  /// Takes no room yet. Null if the file system of `directory` has no such file, or files may not become so
  /// long; `notice` is told why.
  static std::unique_ptr<ModelSpool> make(const std::filesystem::path& directory, std::size_t senders,
                                          std::size_t longest_bytes, const Notice& notice);
  ~ModelSpool() override;

  /// Returns room for so many bytes; none if the disk is full, which `notice` is told once, or both rooms of
  /// the sender are needed, or are too short.
  std::span<const std::byte> begin(std::size_t sender, std::uint64_t iteration, std::size_t bytes);
  /// Writes bytes to a place in such a room. Returns false if the disk fails, which `notice` is told. Then no
  /// further model is begun.
  bool write(std::span<const std::byte> bytes, const std::byte* place);
  /// What was begun there will never be whole.
  void give_up(std::span<const std::byte> room);
  /// Nobody needs the models of the sender of this iteration and of earlier ones.
  void close(std::size_t sender, std::uint64_t iteration);

  bool holds(std::span<const std::byte> bytes) const override;
  void let_go(std::span<const std::byte> bytes) const override;

 private:
  struct Room {
    std::uint64_t iteration = 0;
    bool is_taken = false;
  };
  ModelSpool(FileDescriptor file, std::string where, std::size_t senders, std::size_t room_bytes,
             std::span<std::byte> all, Notice notice);
  std::span<std::byte> bytes_of(std::size_t place) const {
    return all_.subspan(place * room_bytes_, room_bytes_);
  }
  void say_once(const std::string& why);
  void give_back(std::size_t place);

  FileDescriptor file_;
  std::string where_;
  std::size_t room_bytes_;
  std::span<std::byte> all_;
  std::vector<Room> rooms_;            // of the first sender, then of the next one
  std::vector<std::uint64_t> closed_;  // by sender
  Notice notice_;
  bool has_failed_ = false;
  bool has_said_why_ = false;
};

}  // namespace hearsay
