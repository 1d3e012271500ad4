#include "runtime/peer/state_copy.hpp"

#include <algorithm>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// Copies from a method or into it, item by item.
template <class Scalar>
struct StateCopy<Scalar>::Visitor final : StateVisitor<Scalar> {
  enum class Way { out_of_the_method, into_it };

  Visitor(StateCopy& copied, Way direction) : copy(copied), way(direction) {}
  StateCopy& copy;
  Way way;
  std::size_t next_vector = 0, next_numbers = 0, next_bytes = 0;

  template <class Item>
  Item& next(std::vector<Item>& items, std::size_t& place) {
    if (way == Way::out_of_the_method && place == items.size()) items.emplace_back();
    ensure(place < items.size(), "a method owns what its like had owned");
    return items[place++];
  }
  void state(std::string_view, Vector<Scalar>& vector) override {
    Vector<Scalar>& kept = next(copy.vectors_, next_vector);
    if (way == Way::out_of_the_method)
      kept = vector;
    else
      vector = kept;
  }
  void published(std::string_view, Vector<Scalar>&) override { refuse(); }
  void replica(std::string_view, PeerId, Vector<Scalar>&) override { refuse(); }
  void numbers(std::string_view, std::span<std::uint64_t> numbers) override {
    std::vector<std::uint64_t>& kept = next(copy.numbers_, next_numbers);
    if (way == Way::out_of_the_method) return kept.assign(numbers.begin(), numbers.end());
    ensure(kept.size() == numbers.size(), "a method counts what its like had counted");
    std::ranges::copy(kept, numbers.begin());
  }
  void bytes(std::string_view, std::vector<std::byte>& bytes) override {
    std::vector<std::byte>& kept = next(copy.bytes_, next_bytes);
    if (way == Way::out_of_the_method)
      kept = bytes;
    else
      bytes = kept;
  }
  void scratch(std::string_view, Vector<Scalar>&) override {}

  void refuse() const { ensure(false, "what neighbors have replicas of does not go back"); }
};

template <class Scalar>
void StateCopy<Scalar>::take(Algorithm<Scalar>& method, std::uint64_t completed) {
  Visitor visitor(*this, Visitor::Way::out_of_the_method);
  method.visit_state(visitor);
  completed_ = completed;
}

template <class Scalar>
void StateCopy<Scalar>::give(Algorithm<Scalar>& method, std::uint64_t completed) {
  ensure(completed_ == completed, "a state is given after it was taken");
  Visitor visitor(*this, Visitor::Way::into_it);
  method.visit_state(visitor);
}

template class StateCopy<float>;
template class StateCopy<double>;

}  // namespace hearsay
