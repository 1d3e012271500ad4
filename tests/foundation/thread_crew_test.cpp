#include "runtime/foundation/thread_crew.hpp"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <vector>

namespace hearsay::thread_crew_test {

TEST_CASE("crew: each part of a work is done once, in a thread of its own, and the work is done then") {
  for (const std::size_t size : {1, 2, 5}) {
    ThreadCrew crew(size);
    REQUIRE(crew.size() == size);
    std::vector<int> done(size);
    std::vector<std::thread::id> threads(size);
    for (int work = 1; work <= 300; ++work) {
      crew.work([&](std::size_t part) {
        ++done[part];
        threads[part] = std::this_thread::get_id();
      });
      REQUIRE(done == std::vector<int>(size, work));
    }
    CHECK(std::set(threads.begin(), threads.end()).size() == size);
    CHECK(threads.front() == std::this_thread::get_id());
  }
}

TEST_CASE("crew: what a part throws comes to the caller once all parts are done, and the next work is done") {
  ThreadCrew crew(3);
  std::vector<int> done(3);
  CHECK_THROWS_WITH_AS(crew.work([&](std::size_t part) {
    ++done[part];
    if (part > 0) throw std::runtime_error("part " + std::to_string(part));
  }),
                       "part 1", std::runtime_error);
  CHECK(done == std::vector<int>{1, 1, 1});
  crew.work([&](std::size_t part) { ++done[part]; });
  CHECK(done == std::vector<int>{2, 2, 2});
}

TEST_CASE("crew: what is shared out is done once each, and the first failure is thrown") {
  for (const std::size_t count : {0, 1, 2, 7}) {
    ThreadCrew crew(3);
    std::vector<int> done(count);
    share_out(crew, count, [&](std::size_t k) { ++done[k]; });
    CHECK(done == std::vector<int>(count, 1));
  }
  ThreadCrew crew(3);
  CHECK_THROWS_WITH(share_out(crew, 9,
                              [](std::size_t k) {
                                if (k > 1) throw std::runtime_error("number " + std::to_string(k));
                              }),
                    "number 2");
}

}  // namespace hearsay::thread_crew_test
