#include "tools/launch/parcel.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr std::string_view magic = "hearsay-parcel ";
constexpr std::size_t longest_line = 1 << 20;

/// True if the name stays inside the folder: letters, digits, dot, hyphen and underscore, the dot not first.
bool is_plain_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !name.empty() && name.front() != '.' && name.size() < 200 && std::ranges::all_of(name, fits);
}

}  // namespace

std::string parcel_head(nlohmann::json note, const std::vector<ParcelFile>& files) {
  note["files"] = nlohmann::json::array();
  for (const ParcelFile& file : files) note["files"].push_back({{"name", file.name}, {"bytes", file.bytes}});
  return std::string(magic) + note.dump() + "\n";
}

void ParcelReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (left_ > 0) {
      const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      out_.write(bytes.data(), static_cast<std::streamsize>(piece));
      bytes.remove_prefix(piece);
      left_ -= piece;
      if (left_ == 0) open_next();
      continue;
    }
    const std::size_t newline = bytes.find('\n');
    line_ += bytes.substr(0, newline);
    if (line_.size() > longest_line) line_.clear();  // too long for a parcel
    if (newline == bytes.npos) return;
    bytes.remove_prefix(newline + 1);
    take_line();
  }
}

void ParcelReader::take_line() {
  std::string line;
  line.swap(line_);
  if (!line.starts_with(magic)) return receiver_.line(line);
  const nlohmann::json note = nlohmann::json::parse(line.substr(magic.size()), nullptr, false);
  std::vector<ParcelFile> files;
  const bool has_files = note.is_object() && note.contains("files") && note["files"].is_array();
  if (!has_files) return receiver_.line(line);
  for (const nlohmann::json& file : note["files"]) {
    const bool complete = file.is_object() && file.contains("name") && file["name"].is_string() &&
                          file.contains("bytes") && file["bytes"].is_number_unsigned();
    if (!complete) return receiver_.line(line);
    files.push_back({file["name"], file["bytes"]});
    if (!is_plain_name(files.back().name))
      throw Misuse("a file called \"" + files.back().name + "\" was sent: hearsay sends no such name");
  }
  files_ = std::move(files);
  next_ = 0;
  folder_ = receiver_.begins(note);
  open_next();
}

void ParcelReader::open_next() {
  // An empty file is complete at once, so the loop opens the next one.
  do {
    if (out_.is_open()) {
      out_.close();
      if (!out_)
        throw Misuse("cannot write " + (folder_ / files_[next_ - 1].name).string() + ": " +
                     std::strerror(errno));
    }
    if (next_ == files_.size()) return receiver_.ends();
    left_ = files_[next_].bytes;
    out_.open(folder_ / files_[next_].name, std::ios::binary | std::ios::trunc);
    if (!out_)
      throw Misuse("cannot write " + (folder_ / files_[next_].name).string() + ": " + std::strerror(errno));
    ++next_;
  } while (left_ == 0);
}

}  // namespace hearsay
