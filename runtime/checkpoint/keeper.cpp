#include "runtime/checkpoint/keeper.hpp"

#include <utility>

namespace hearsay {

template <class Scalar>
void Safekeeping<Scalar>::begin() {
  if (archive_) complain(archive_->begin());
}

template <class Scalar>
void Safekeeping<Scalar>::hear(const MessageKey& key, const PacketRef& packet) {
  if (archive_) complain(archive_->hear(key, packet));
}

template <class Scalar>
void Safekeeping<Scalar>::hear_verdict(std::uint64_t evaluated, bool go_on, std::uint64_t checkpoint_every) {
  if (archive_) complain(archive_->hear_verdict(evaluated, go_on, checkpoint_every));
}

template <class Scalar>
void Safekeeping<Scalar>::save(Peer<Scalar>& peer, const SessionState& session, const PeerMeters& meters) {
  const bool all_went_well = !std::exchange(failed_, false);
  const auto failure = archive_->save(peer, session, meters);
  if (all_went_well && !failure) complained_ = false;
  complain(failure);
}

template <class Scalar>
RevivedPeer<Scalar> Safekeeping<Scalar>::revive(std::optional<std::uint64_t> at, PacketPool& packets) {
  return at ? archive_->revive_at(*at, packets) : archive_->revive(packets);
}

template <class Scalar>
void Safekeeping<Scalar>::complain(const std::optional<std::string>& failure) {
  if (!failure) return;
  failed_ = true;
  if (std::exchange(complained_, true)) return;
  notice_("peer " + std::to_string(id_) + " could not keep what it would need to come back (" + *failure +
          "); training goes on");
}

template class Safekeeping<float>;
template class Safekeeping<double>;

}  // namespace hearsay
