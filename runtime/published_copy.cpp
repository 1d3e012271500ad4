#include "runtime/published_copy.hpp"

#include <algorithm>
#include <vector>

namespace hearsay {

namespace {

/// The vectors that are published, or those of one replica.
template <class Scalar>
struct CopyVisitor final : StateVisitor<Scalar> {
  std::optional<PeerId> owner;  // of the replica
  std::vector<std::span<std::byte>> parts;
  std::size_t size_bytes = 0;

  void take(Vector<Scalar>& vector) {
    parts.push_back(std::as_writable_bytes(view(vector)));
    size_bytes += parts.back().size();
  }
  void state(std::string_view, Vector<Scalar>&) override {}
  void published(std::string_view, Vector<Scalar>& vector) override {
    if (!owner) take(vector);
  }
  void replica(std::string_view, PeerId of, Vector<Scalar>& vector) override {
    if (owner == of) take(vector);
  }
  void late_state(std::string_view, Vector<Scalar>&) override {}
  void scratch(std::string_view, Vector<Scalar>&) override {}
};

}  // namespace

template <class Scalar>
void write_published(Algorithm<Scalar>& algorithm, PacketBuffer& out) {
  CopyVisitor<Scalar> published;
  algorithm.visit_state(published);
  std::span<std::byte> to = out.resize(published.size_bytes);
  for (const std::span<std::byte> part : published.parts) {
    std::ranges::copy(part, to.begin());
    to = to.subspan(part.size());
  }
}

template <class Scalar>
bool read_replica(Algorithm<Scalar>& algorithm, PeerId owner, std::span<const std::byte> bytes) {
  CopyVisitor<Scalar> replica;
  replica.owner = owner;
  algorithm.visit_state(replica);
  if (replica.size_bytes != bytes.size()) return false;
  for (const std::span<std::byte> part : replica.parts) {
    std::ranges::copy(bytes.first(part.size()), part.begin());
    bytes = bytes.subspan(part.size());
  }
  return true;
}

template void write_published<float>(Algorithm<float>&, PacketBuffer&);
template void write_published<double>(Algorithm<double>&, PacketBuffer&);
template bool read_replica<float>(Algorithm<float>&, PeerId, std::span<const std::byte>);
template bool read_replica<double>(Algorithm<double>&, PeerId, std::span<const std::byte>);

}  // namespace hearsay
