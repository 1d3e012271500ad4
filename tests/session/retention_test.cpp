#include "runtime/session/retention.hpp"

#include <doctest/doctest.h>

namespace hearsay::retention_test {

namespace {

std::vector<std::uint64_t> iterations_kept(Retention& retention, PeerId to) {
  std::vector<std::uint64_t> iterations;
  for (const RetainedMessage& message : retention.of(to)) iterations.push_back(message.key.iteration);
  return iterations;
}

using Iterations = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("retention: a message is kept until its destination is past its iteration") {
  Retention retention({2, 5}, false);
  for (const std::uint64_t iteration : {1u, 2u, 3u})
    for (const PeerId to : {2u, 5u}) retention.keep(to, {{iteration, 0, 1}, {}, iteration});
  retention.release(5, 3);
  CHECK(iterations_kept(retention, 2) == Iterations{1, 2, 3});
  CHECK(iterations_kept(retention, 5) == Iterations{3});
  CHECK(retention.floor(2) == 0);
  CHECK(retention.floor(5) == 3);
}

TEST_CASE("retention: what was released once stays released") {
  Retention retention({2}, false);
  retention.keep(2, {{7, 0, 1}, {}, 0});
  retention.release(2, 8);
  retention.release(2, 4);
  CHECK(retention.floor(2) == 8);
  CHECK(iterations_kept(retention, 2).empty());
}

TEST_CASE("retention: of an asynchronous method, the newest request and the newest reply are kept") {
  Retention retention({2}, true);
  for (const std::uint64_t iteration : {1u, 2u, 3u}) {
    retention.keep(2, {{iteration, request_slot, 1}, {}, 0});
    retention.keep(2, {{iteration + 10, reply_slot, 1}, {}, 0});
  }
  retention.release(2, 100);  // ignored: asynchronous peers do not share iterations
  CHECK(iterations_kept(retention, 2) == Iterations{3, 13});
}

}  // namespace hearsay::retention_test
