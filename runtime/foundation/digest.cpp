#include "runtime/foundation/digest.hpp"

#include <xxh_x86dispatch.h>  // the widest vectors of the machine, the same digests

#include <algorithm>

namespace hearsay {

template <class Scalar>
std::uint64_t digest(const Vector<Scalar>& vector) {
  return XXH3_64bits(vector.data(), static_cast<std::size_t>(vector.size()) * sizeof(Scalar));
}

namespace {

template <class Item>
std::uint64_t fold(std::uint64_t digest, const Item* items, std::size_t count) {
  return XXH3_64bits_withSeed(items, count * sizeof(Item), digest);
}

template <class Scalar>
std::uint64_t fold(std::uint64_t digest, const DenseRows<Scalar>& rows) {
  return fold(digest, rows.data(), static_cast<std::size_t>(rows.size()));
}

template <class Scalar>
std::uint64_t fold(std::uint64_t digest, const SparseRows<Scalar>& rows) {
  digest = fold(digest, rows.row_begin.data(), rows.row_begin.size());
  digest = fold(digest, rows.column.data(), rows.column.size());
  return fold(digest, rows.value.data(), rows.value.size());
}

template <class Scalar>
std::uint64_t joined(std::uint64_t digest, const Vector<Scalar>& vector) {
  return fold(digest, vector.data(), static_cast<std::size_t>(vector.size()));
}

template <class Scalar>
struct DigestVisitor final : StateVisitor<Scalar> {
  StateDigests digests;
  bool with_replicas = true;
  void state(std::string_view, Vector<Scalar>&) override {}
  void published(std::string_view, Vector<Scalar>& vector) override {
    digests.published = digests.published ? joined(*digests.published, vector) : digest(vector);
  }
  void replica(std::string_view, PeerId owner, Vector<Scalar>& vector) override {
    if (!with_replicas) return;
    const auto known = std::ranges::find(digests.replicas, owner, &std::pair<PeerId, std::uint64_t>::first);
    if (known == digests.replicas.end())
      digests.replicas.emplace_back(owner, digest(vector));
    else
      known->second = joined(known->second, vector);
  }
  void scratch(std::string_view, Vector<Scalar>&) override {}
};

}  // namespace

template <class Scalar>
std::uint64_t digest(const Samples<Scalar>& samples) {
  const auto features = static_cast<std::uint64_t>(samples.feature_count());
  const std::uint64_t shape = std::visit(
      [&](const auto& rows) { return fold(samples.class_count + (features << 32), rows); }, samples.features);
  return fold(shape, samples.targets.data(), samples.targets.size());
}

template <class Scalar>
StateDigests digest_state(Algorithm<Scalar>& algorithm) {
  DigestVisitor<Scalar> visitor;
  algorithm.visit_state(visitor);
  return visitor.digests;
}

template <class Scalar>
std::optional<std::uint64_t> digest_published(Algorithm<Scalar>& algorithm) {
  DigestVisitor<Scalar> visitor;
  visitor.with_replicas = false;
  algorithm.visit_state(visitor);
  return visitor.digests.published;
}

template std::uint64_t digest<float>(const Vector<float>&);
template std::uint64_t digest<double>(const Vector<double>&);
template std::uint64_t digest<float>(const Samples<float>&);
template std::uint64_t digest<double>(const Samples<double>&);
template StateDigests digest_state<float>(Algorithm<float>&);
template StateDigests digest_state<double>(Algorithm<double>&);
template std::optional<std::uint64_t> digest_published<float>(Algorithm<float>&);
template std::optional<std::uint64_t> digest_published<double>(Algorithm<double>&);

std::uint64_t digest(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

std::string hexadecimal(std::uint64_t digest) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

}  // namespace hearsay
