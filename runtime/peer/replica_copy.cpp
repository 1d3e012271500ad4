#include "runtime/peer/replica_copy.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"

namespace hearsay {

namespace {

/// Collects the vectors that a method publishes, and its replicas of what other peers publish.
template <class Scalar>
struct Collector : StateVisitor<Scalar> {
  std::vector<Vector<Scalar>*> own;
  std::vector<std::pair<PeerId, Vector<Scalar>*>> replicas;
  void state(std::string_view, Vector<Scalar>&) override {}
  void published(std::string_view, Vector<Scalar>& vector) override { own.push_back(&vector); }
  void replica(std::string_view, PeerId owner, Vector<Scalar>& vector) override {
    replicas.emplace_back(owner, &vector);
  }
  void scratch(std::string_view, Vector<Scalar>&) override {}
};

template <class Scalar>
std::size_t bytes_of(const std::vector<Vector<Scalar>*>& vectors) {
  std::size_t bytes = 0;
  for (const Vector<Scalar>* vector : vectors) bytes += view(*vector).size_bytes();
  return bytes;
}

}  // namespace

template <class Scalar>
std::size_t published_bytes(Algorithm<Scalar>& algorithm) {
  Collector<Scalar> collected;
  algorithm.visit_state(collected);
  return bytes_of(collected.own);
}

template <class Scalar>
void copy_published(Algorithm<Scalar>& algorithm, PacketBuffer& packet) {
  Collector<Scalar> collected;
  algorithm.visit_state(collected);
  auto place = packet.resize(bytes_of(collected.own)).begin();
  for (const Vector<Scalar>* vector : collected.own)
    place = std::ranges::copy(std::as_bytes(view(*vector)), place).out;
}

template <class Scalar>
bool overwrite_replica(Algorithm<Scalar>& algorithm, PeerId owner, std::span<const std::byte> copy) {
  Collector<Scalar> collected;
  algorithm.visit_state(collected);
  std::vector<Vector<Scalar>*> held;
  for (const auto& [of, vector] : collected.replicas)
    if (of == owner) held.push_back(vector);
  if (held.empty() || copy.size() != bytes_of(held)) return false;
  // The whole copy is checked before anything is overwritten.
  if (!all_finite<Scalar>(copy)) return false;
  for (Vector<Scalar>* vector : held) {
    const std::span<std::byte> place = std::as_writable_bytes(view(*vector));
    std::ranges::copy(copy.first(place.size()), place.begin());
    copy = copy.subspan(place.size());
  }
  return true;
}

template std::size_t published_bytes<float>(Algorithm<float>&);
template std::size_t published_bytes<double>(Algorithm<double>&);
template void copy_published<float>(Algorithm<float>&, PacketBuffer&);
template void copy_published<double>(Algorithm<double>&, PacketBuffer&);
template bool overwrite_replica<float>(Algorithm<float>&, PeerId, std::span<const std::byte>);
template bool overwrite_replica<double>(Algorithm<double>&, PeerId, std::span<const std::byte>);

}  // namespace hearsay
