#include "tests/membership/view.hpp"

#include <doctest/doctest.h>

namespace hearsay::test::view_test {

namespace {

View view_of(PeerId count) {
  View view{.casts = 1};
  for (PeerId id = 0; id < count; ++id) view.members.push_back({2 * id + 1, id});
  return view;
}

std::vector<PeerId> chosen(const View& view, unsigned bits) {
  std::vector<PeerId> ids;
  for (std::size_t k = 0; k < view.members.size(); ++k)
    if (bits >> k & 1) ids.push_back(view.members[k].id);
  return ids;
}

}  // namespace

TEST_CASE("view: of every two parts of a view exactly one is a majority") {
  for (PeerId count = 1; count <= 10; ++count) {
    const View view = view_of(count);
    const unsigned all = (1u << count) - 1;
    for (unsigned bits = 0; bits <= all; ++bits)
      CHECK(is_majority(view, chosen(view, bits)) != is_majority(view, chosen(view, all & ~bits)));
  }
}

TEST_CASE("view: who is more than half is a majority, and of two halves the one with the casting vote") {
  const View view = view_of(8);
  CHECK(is_majority(view, {3, 5, 7, 9, 11}));
  CHECK(is_majority(view, {1, 3, 5, 7}));
  CHECK_FALSE(is_majority(view, {9, 11, 13, 15}));
  CHECK_FALSE(is_majority(view, {1, 3, 5}));
  CHECK_FALSE(is_majority(view, {1, 1, 1, 1, 2, 4, 6, 8}));  // once each, and strangers count nothing
  CHECK(is_majority(view_of(2), {1}));
  CHECK_FALSE(is_majority(view_of(2), {3}));
}

}  // namespace hearsay::test::view_test
