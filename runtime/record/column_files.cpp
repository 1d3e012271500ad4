#include "runtime/record/column_files.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <system_error>

#include "runtime/data/npy.hpp"
#include "runtime/foundation/partial_file.hpp"
#include "runtime/record/link_uses.hpp"
#include "runtime/record/peer_columns.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view extension = ".npy";
constexpr std::string_view digest_column = "model_digest";
constexpr std::array<std::string_view, 4> link_columns = {"link_from", "link_to", "link_wait_seconds",
                                                          "link_bytes"};

template <class Number>
void write_column(const fs::path& folder, std::string_view name, const std::vector<Number>& values) {
  write_npy(folder / (std::string(name) + std::string(extension)), std::span<const Number>(values));
}

void write_peer_columns(const fs::path& folder, const std::vector<PeerOutcome>& peers) {
  for (const PeerColumn& column : columns_of(peers))
    std::visit([&](const auto& values) { write_column(folder, column.name, values); }, column.values);
  std::vector<std::uint64_t> digests(peers.size());
  std::ranges::transform(peers, digests.begin(), &PeerOutcome::model_digest);
  write_column(folder, digest_column, digests);
}

void write_link_columns(const fs::path& folder, const std::vector<PeerOutcome>& peers) {
  const std::vector<LinkUse> links = link_uses(peers);
  const auto write = [&]<class Number>(std::string_view name, Number LinkUse::*member, auto number) {
    std::vector<decltype(number)> values(links.size());
    std::ranges::transform(links, values.begin(), member);
    write_column(folder, name, values);
  };
  write(link_columns[0], &LinkUse::from, std::uint64_t{});
  write(link_columns[1], &LinkUse::to, std::uint64_t{});
  write(link_columns[2], &LinkUse::seconds, double{});
  write(link_columns[3], &LinkUse::bytes, std::uint64_t{});
}

}  // namespace

bool is_column_file(std::string_view file) {
  file = without_partial_ending(file);
  if (!file.ends_with(extension)) return false;
  file.remove_suffix(extension.size());
  return file == digest_column || std::ranges::find(link_columns, file) != link_columns.end() ||
         std::ranges::count(column_names(), file) > 0;
}

void write_columns(const fs::path& output, const std::vector<PeerOutcome>& peers) {
  const fs::path folder = output / per_peer_folder;
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) fs::create_directory(folder, error);
  if (error) throw HostRefusal(folder.string() + " cannot be made (" + error.message() + ")");
  try {
    write_peer_columns(folder, peers);
    write_link_columns(folder, peers);
  } catch (const Misuse&) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    throw;
  }
}

}  // namespace hearsay
