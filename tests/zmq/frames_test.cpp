#include "runtime/zmq/frames.hpp"

#include <doctest/doctest.h>
#include <pthread.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <thread>

#include "runtime/zmq/despite_signals.hpp"

namespace hearsay::frames_test {

namespace {

std::atomic<int> signals_seen{0};
void see_signal(int) { ++signals_seen; }

/// Sends signals to the calling thread, as fast as it can, as long as the object lives.
class SignalStorm {
 public:
  SignalStorm() {
    struct sigaction seen {};
    seen.sa_handler = see_signal;  // without SA_RESTART, which would not help poll anyway
    sigaction(SIGUSR2, &seen, &before_);
    thread_ = std::thread([this, target = pthread_self()] {
      while (!over_) pthread_kill(target, SIGUSR2);
    });
  }
  ~SignalStorm() {
    over_ = true;
    thread_.join();
    sigaction(SIGUSR2, &before_, nullptr);
  }

 private:
  std::atomic<bool> over_{false};
  struct sigaction before_ {};
  std::thread thread_;
};

}  // namespace

TEST_SUITE("net") {
  // A peer serves its sockets in its main thread, so Ctrl-C may interrupt a call of ZeroMQ.
  TEST_CASE("frames: a signal that comes at any moment ends neither a send nor a receive") {
    constexpr int signals = 20'000;
    constexpr int most_under_way = 10;
    constexpr std::size_t limit_bytes = 1000;
    zmq::context_t context;
    zmq::socket_t router(context, zmq::socket_type::router);
    router.bind("tcp://127.0.0.1:*");
    zmq::socket_t dealer(context, zmq::socket_type::dealer);
    dealer.set(zmq::sockopt::routing_id, new_routing_id(7));
    dealer.connect(router.get(zmq::sockopt::last_endpoint));
    FrameHeader header{};
    header.kind = FrameKind::alive;
    header.sender = 7;
    const std::array<std::byte, 3> payload = {std::byte{1}, std::byte{2}, std::byte{3}};

    int sent = 0, to_router = 0, answered = 0, garbage = 0;
    signals_seen = 0;
    {
      const SignalStorm storm;
      while (signals_seen < signals || answered < sent) {
        const bool more = signals_seen < signals && sent < answered + most_under_way;
        if (more && send_frame(dealer, {}, header, payload)) ++sent;
        ReceivedFrame frame;
        switch (receive_at_router(router, limit_bytes, frame)) {
          case Reception::frame:
            ++to_router;
            while (!send_frame(router, frame.from, header, payload)) {
            }
            break;
          case Reception::garbage:
            ++garbage;
            break;
          case Reception::nothing:
            break;
        }
        if (receive_at_dealer(dealer, limit_bytes, frame) == Reception::frame) ++answered;
        despite_signals([&] { return dealer.get(zmq::sockopt::events); });
      }
    }
    CHECK(sent > 0);
    CHECK(to_router == sent);
    CHECK(garbage == 0);
  }
}

}  // namespace hearsay::frames_test
