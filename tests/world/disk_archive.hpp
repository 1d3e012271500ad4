#pragma once

#include <filesystem>
#include <utility>

#include "runtime/simulator/process_archive.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// The archive of a process on disk, as that of a real one. Every write must succeed.
class DiskArchive final : public ProcessArchive<double> {
 public:
  /// `replayed` counts the log entries of peers that are restored.
  DiskArchive(const Experiment<double>& experiment, PeerId id, std::filesystem::path directory,
              std::uint64_t& replayed)
      : archive_(experiment, id, std::move(directory)), replayed_(replayed) {}

  void hear(const Heard& heard) override { ensure(!archive_.hear(heard), "the log can be written"); }
  void save(Peer<double>& peer, const SessionState& session, const PeerMeters& meters) override {
    ensure(!archive_.save(peer, session, meters), "a checkpoint can be written");
  }
  std::vector<std::uint64_t> holds() const override { return archive_.holds(); }
  RestoredPeer<double> restored(std::optional<std::uint64_t> at, PacketPool& packets) override {
    RestoredPeer<double> restored = at ? archive_.restored_at(*at, packets) : archive_.restored(packets);
    replayed_ += restored.log.size();
    return restored;
  }

 private:
  PeerArchive<double> archive_;
  std::uint64_t& replayed_;
};

}  // namespace hearsay
