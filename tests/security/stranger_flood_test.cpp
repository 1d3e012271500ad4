#include <doctest/doctest.h>
#include <sys/resource.h>

#include <array>
#include <deque>
#include <zmq.hpp>

#include "runtime/experiment/run_agreement.hpp"
#include "runtime/zmq/frames.hpp"
#include "runtime/zmq/outlet.hpp"
#include "tests/support/cluster_processes.hpp"
#include "tests/support/strangers.hpp"

namespace hearsay::test::stranger_flood_test {

namespace {

constexpr int strangers = 2000;

// Fewer files than strangers that connect to each peer. Not with sanitizers: UndefinedBehaviorSanitizer opens
// a pipe to check a vptr, and reports a wrong vptr if it cannot.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr rlim_t files_of_a_peer = 5000;
#else
constexpr rlim_t files_of_a_peer = 300;
#endif
#else
constexpr rlim_t files_of_a_peer = 300;
#endif

void limit_open_files(rlim_t files) {
  const rlimit limit{files, files};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

void raise_limit_of_open_files() {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/// Lets a test act in the middle of a run: peer 0 reports that it has reached the middle, and waits until it
/// is released.
class Halt {
 public:
  Halt() { REQUIRE((pipe(reached_.data()) == 0 && pipe(released_.data()) == 0)); }
  ~Halt() {
    for (const int end : {reached_[0], reached_[1], released_[0], released_[1]}) close(end);
  }

  /// Returns the control of peer 0, whose observer stops in the middle. The peers go on until they need its
  /// verdict.
  RunControl control() const {
    RunControl control;
    control.on_evaluation = [this](const Evaluation& evaluation) {
      if (evaluation.iteration != 5) return;
      char word = 'x';
      REQUIRE(write(reached_[1], &word, 1) == 1);
      REQUIRE(read(released_[0], &word, 1) == 1);
    };
    return control;
  }

  void wait_until_reached() const {
    char word = 0;
    REQUIRE(read(reached_[0], &word, 1) == 1);
  }
  void release() const { REQUIRE(write(released_[1], "x", 1) == 1); }

 private:
  std::array<int, 2> reached_{};
  std::array<int, 2> released_{};
};

/// Connects strangers to every ROUTER of the cluster in turn. A third of them say nothing, a third send
/// rubbish, and a third send a ZMTP greeting and then rubbish.
std::deque<Stranger> flood(const LoopbackCluster& cluster) {
  std::vector<std::string> targets = {cluster.experiment.topology.observer};
  for (PeerId id = 0; id < cluster.experiment.peer_count(); ++id) targets.push_back(cluster.address(id));
  std::deque<Stranger> flood;
  const std::string rubbish(5000, 'G');
  for (int k = 0; k < strangers; ++k) {
    const Stranger& stranger = flood.emplace_back(targets[static_cast<std::size_t>(k) % targets.size()]);
    CHECK(stranger.connected());
    if (k % 3 == 1) stranger.say(rubbish);
    if (k % 3 == 2) stranger.say(zmtp_greeting() + rubbish);
  }
  return flood;
}

/// Sends wrong frames from a DEALER that is no peer of this run. Returns how many it has sent.
int send_wrong_frames(const LoopbackCluster& cluster, const std::string& address) {
  const Agreement agreement = agreement_of(cluster.experiment);
  constexpr std::size_t limit_bytes = 1 << 16;
  int garbage = 0;
  zmq::context_t context;
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  set_up_dealer(dealer, 1, limit_bytes, address, nullptr, 0);
  dealer.connect(address);
  dealer.set(zmq::sockopt::linger, -1);
  dealer.set(zmq::sockopt::sndhwm, 0);
  FrameHeader head;
  head.run_id = run_id(agreement);
  // A valid header that announces a huge payload, followed by an empty part.
  std::array<std::byte, header_bytes> bytes{};
  for (const PeerId sender : {1u, 4'000'000'000u}) {
    head.kind = FrameKind::data;
    head.sender = sender;
    head.payload_bytes = 4'000'000'000u;
    encode_header(head, bytes);
    dealer.send(zmq::buffer(bytes), zmq::send_flags::sndmore);
    dealer.send(zmq::message_t(), zmq::send_flags::none);
    ++garbage;
  }
  for (int parts = 1; parts < 5; ++parts) {
    for (int part = 1; part < parts; ++part) dealer.send(zmq::str_buffer("part"), zmq::send_flags::sndmore);
    dealer.send(zmq::str_buffer("last"), zmq::send_flags::none);
    ++garbage;
  }
  // Frames of another run, in the name of a peer that has not said hello from here.
  for (const FrameKind kind : {FrameKind::data, FrameKind::stop, FrameKind::alive}) {
    head.kind = kind;
    head.sender = 1;
    head.run_id = run_id(agreement) + 1;
    REQUIRE(send_frame(dealer, {}, head, {}));
    ++garbage;
  }
  return garbage;
}

/// Says hello as `sender` and returns the answer.
FrameKind answer_to_hello(const std::string& address, PeerId sender, const Agreement& agreement) {
  constexpr std::size_t limit_bytes = 1 << 16;
  zmq::context_t context;
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  set_up_dealer(dealer, sender, limit_bytes, address, nullptr, 0);
  dealer.connect(address);
  FrameHeader head;
  head.kind = FrameKind::hello;
  head.run_id = run_id(agreement);
  head.sender = sender;
  REQUIRE(send_frame(dealer, {}, head, encode_agreement(agreement)));
  zmq::pollitem_t item{dealer.handle(), 0, ZMQ_POLLIN, 0};
  REQUIRE(zmq::poll(&item, 1, std::chrono::seconds(20)) == 1);
  ReceivedFrame frame;
  REQUIRE(receive_at_dealer(dealer, limit_bytes, frame) == Reception::frame);
  return frame.header.kind;
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("flood: thousands of connections that talk rubbish or nothing do not change a bit of the run") {
    raise_limit_of_open_files();
    for (const bool with_keys : {false, true}) {
      CAPTURE(with_keys);
      LoopbackCluster cluster(quadratic_experiment<float>("dcd-psgd", "ring", 4, 50));
      const KeyFolder keys(4);
      const Halt halt;
      std::vector<Process> started;
      for (PeerId id = 0; id < 4; ++id) {
        LoopbackCluster::Setup setup = with_keys ? keys.of(id) : LoopbackCluster::Setup{};
        if (id == 0) setup.control = halt.control();
        setup.prepare = [] { limit_open_files(files_of_a_peer); };
        started.push_back(cluster.start(id, setup));
      }
      halt.wait_until_reached();
      const std::deque<Stranger> crowd = flood(cluster);
      halt.release();
      const RunEnd end(started[0].join());
      CHECK_MESSAGE(end.exit_code == 0, end.text);
      for (PeerId id = 1; id < 4; ++id) CHECK(started[id].join().exit_code == 0);
      CHECK(end.digests == cluster.undisturbed());
    }
  }

  TEST_CASE("flood: whoever announces more than a message may have is thrown out, and no memory is taken") {
    LoopbackCluster cluster(quadratic_experiment<float>("d-psgd", "ring", 2, 50));
    const Halt halt;
    const Process first = cluster.start(0, {{}, halt.control()});
    const Process second = cluster.start(1);
    halt.wait_until_reached();
    for (const std::string& address : {cluster.address(0), cluster.experiment.topology.observer})
      for (const std::uint64_t bytes : {std::uint64_t{1} << 32, std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
        const Stranger stranger(address);
        stranger.say(zmtp_greeting() + zmtp_announcement(bytes));
        CHECK(stranger.is_thrown_out());
      }
    halt.release();
    const RunEnd end(first.join());
    CHECK_MESSAGE(end.exit_code == 0, end.text);
    CHECK(second.join().exit_code == 0);
    CHECK(end.digests == cluster.undisturbed());
  }

  TEST_CASE("flood: frames of strangers are counted as garbage, their hellos refused, and the run goes on") {
    LoopbackCluster cluster(quadratic_experiment<float>("dcd-psgd", "ring", 3, 50));
    const Agreement mine = agreement_of(cluster.experiment);
    const Agreement other = agreement_of(quadratic_experiment<float>("d-psgd", "ring", 3, 50));
    const Halt halt;
    const Process first = cluster.start(0, {{}, halt.control()});
    const Process second = cluster.start(1);
    const Process third = cluster.start(2);
    halt.wait_until_reached();
    std::uint64_t garbage = 0;
    for (PeerId id = 0; id < 3; ++id) {
      garbage += static_cast<std::uint64_t>(send_wrong_frames(cluster, cluster.address(id)));
      CHECK(answer_to_hello(cluster.address(id), 4'000'000'000u, mine) == FrameKind::refuse);
      CHECK(answer_to_hello(cluster.address(id), (id + 1) % 3, other) == FrameKind::refuse);
    }
    halt.release();
    const RunEnd end(first.join());
    CHECK_MESSAGE(end.exit_code == 0, end.text);
    CHECK(second.join().exit_code == 0);
    CHECK(third.join().exit_code == 0);
    CHECK(end.digests == cluster.undisturbed());
    CHECK(end.garbage == garbage);
    CHECK(end.refused == 6);
  }
}

}  // namespace hearsay::test::stranger_flood_test
