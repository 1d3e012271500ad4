#include "runtime/zmq/dialing.hpp"

#include <doctest/doctest.h>

#include "runtime/zmq/handshake_watch.hpp"
#include "runtime/zmq/outlet.hpp"
#include "tests/support/own_hosts.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::test::dialing_test {

namespace {

/// Dials a server of this process by its name, which means `at_first` until it has been looked up, and then
/// `later`. The server listens at 127.0.0.4. Returns whether it is reached.
bool is_reached(const TemporaryFolder& folder, const std::string& at_first, const std::string& later) {
  with_hosts(folder.write("hosts", at_first))();
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router);
  router.bind("tcp://127.0.0.4:*");
  const std::string place = router.get(zmq::sockopt::last_endpoint);
  const std::string name = "tcp://hearsay-b" + place.substr(place.rfind(':'));
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  set_up_dealer(dealer, 1, 1 << 16, name, nullptr, 0);
  dealer.set(zmq::sockopt::linger, 0);
  HandshakeWatch watch(false);
  watch.connect(context, dealer, "peer 0", name);
  folder.write("hosts", later);
  zmq::pollitem_t arrival{router.handle(), 0, ZMQ_POLLIN, 0};
  constexpr int most_looks = 2000;
  for (int look = 0; look < most_looks; ++look) {
    watch.look(Instant{});
    dealer.send(zmq::str_buffer("here"), zmq::send_flags::dontwait);
    if (zmq::poll(&arrival, 1, std::chrono::milliseconds(5)) == 1) return true;
  }
  return false;
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("dialing: a server is found again where its name leads now, however many addresses it has") {
    if (skipped_without_own_names()) return;
    const std::string one = "127.0.0.2 hearsay-b\n", two = one + "127.0.0.3 hearsay-b\n";
    const std::string moved = "127.0.0.4 hearsay-b\n", moved_and_another = "127.0.0.5 hearsay-b\n" + moved;
    const TemporaryFolder folder("hearsay_dialing");
    for (const auto& [at_first, later] :
         {std::pair(one, moved), std::pair(two, moved_and_another), std::pair(two, moved)}) {
      CAPTURE(at_first);
      CAPTURE(later);
      const Process process([&] { return Ended{is_reached(folder, at_first, later) ? 0 : 1, ""}; });
      CHECK(process.join().exit_code == 0);
    }
  }
}

}  // namespace hearsay::test::dialing_test
