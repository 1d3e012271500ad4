#include "runtime/membership/view.hpp"

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

TEST_CASE("view: who decides knows, or hears of, what others have decided that are not all gone") {
  const View view = view_of(5);
  const unsigned all = (1u << 5) - 1;
  int pairs = 0;
  for (unsigned dead = 0; dead < all; ++dead) {
    const unsigned living = all & ~dead;
    for (unsigned first = 1; first <= all; ++first)
      for (unsigned second = 1; second <= all; ++second) {
        // Each knows no more to be gone than are; the second decides now, so it lives.
        if ((second & living) != second || (first & living) == 0) continue;
        for (const unsigned known : {0u, dead & 0b01011u, dead}) {
          const bool both = can_decide(view, chosen(view, first), chosen(view, known)) &&
                            can_decide(view, chosen(view, second), chosen(view, dead));
          if (!both) continue;
          ++pairs;
          CHECK((first & second) != 0);
        }
      }
  }
  CHECK(pairs > 1000);
}

}  // namespace hearsay::test::view_test
