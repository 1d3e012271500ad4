#include "runtime/checkpoint/keeper.hpp"

#include <utility>

#include "runtime/peer/peer.hpp"

namespace hearsay {

template <class Scalar>
void CheckpointKeeper<Scalar>::hear(const Heard& heard) {
  if (archive_) complain(archive_->hear(heard));
}

template <class Scalar>
void CheckpointKeeper<Scalar>::save(Peer<Scalar>& peer, const SessionState& session,
                                    const PeerMeters& meters) {
  const bool all_went_well = !std::exchange(failed_, false);
  const auto failure = archive_->save(peer, session, meters);
  if (all_went_well && !failure) complained_ = false;
  complain(failure);
}

template <class Scalar>
RestoredPeer<Scalar> CheckpointKeeper<Scalar>::restored(std::optional<std::uint64_t> at,
                                                        PacketPool& packets) {
  return at ? archive_->restored_at(*at, packets) : archive_->restored(packets);
}

template <class Scalar>
void CheckpointKeeper<Scalar>::complain(const std::optional<std::string>& failure) {
  if (!failure) return;
  failed_ = true;
  if (std::exchange(complained_, true)) return;
  notice_("peer " + std::to_string(id_) + " could not keep what it would need to come back (" + *failure +
          "); training goes on");
}

template class CheckpointKeeper<float>;
template class CheckpointKeeper<double>;

}  // namespace hearsay
