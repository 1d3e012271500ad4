#include "algorithms/methods/qsgd_allreduce.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/wire/frame.hpp"
#include "tests/methods/ring_run.hpp"

namespace hearsay::test::qsgd_allreduce_test {

TEST_CASE_TEMPLATE("qsgd-allreduce: all models are equal, bit for bit, with every feedback and a leader",
                   Scalar, float, double) {
  for (const PeerId peers : {1, 2, 3, 5})
    for (const std::string& feedback : feedbacks)
      for (const char* compressor :
           {"topk(10%)", "qsgdinf(4)", "leader_topk(20%)", "leader_topk(40%) | qsgdinf(8)", "grid(0.1)"}) {
        CAPTURE(feedback);
        CAPTURE(compressor);
        const auto run = run_of<Scalar>(peers, {.compressor = compressor, .feedback = feedback});
        for (const auto& at_t : run.recording)
          for (const auto& peer : at_t) REQUIRE(same_bits(peer.model, at_t[0].model));
      }
}

TEST_CASE_TEMPLATE("qsgd-allreduce: uncompressed, with any feedback, it is all-reduce SGD, to rounding",
                   Scalar, float, double) {
  for (const PeerId peers : {1, 2, 3, 8})
    for (const std::string& feedback : feedbacks) {
      const auto run = run_of<Scalar>(peers, {.compressor = "none", .feedback = feedback});
      const auto exact = record_run(quadratics_in<Scalar>({"ring", peers}, "allreduce-sgd", {}));
      for (std::size_t t = 0; t < exact.size(); ++t)
        REQUIRE((run.recording[t][0].model - exact[t][0].model).cwiseAbs().maxCoeff() <= rounding<Scalar>);
    }
}

TEST_CASE("qsgd-allreduce: packets are passed on as they are, n-1 a peer, each through all peers but one") {
  for (const PeerId n : {2, 3, 5, 8}) {
    const auto run = run_of<float>(n, {.compressor = "qsgdinf(4)", .iterations = 3});
    for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
      std::map<PacketRef, int, decltype([](const PacketRef& a, const PacketRef& b) { return &*a < &*b; })>
          hops;
      for (PeerId i = 0; i < n; ++i) {
        const auto& sent = run.recording[t][i].sent;
        REQUIRE(sent.size() == n - 1);
        for (Slot slot = 0; slot < sent.size(); ++slot) {
          CHECK(sent[slot].to == (i + 1) % n);
          CHECK(sent[slot].key.slot == slot);
          ++hops[sent[slot].packet];
          // Hop s passes on the packet that peer i - s encoded.
          CHECK(sent[slot].packet == run.recording[t][(i + n - slot) % n].sent.front().packet);
        }
      }
      CHECK(hops.size() == n);
      for (const auto& packet : hops) CHECK(packet.second == static_cast<int>(n) - 1);
    }
  }
}

TEST_CASE(
    "qsgd-allreduce: leaders rotate, their choice goes round first, and values follow on its indices alone") {
  for (const PeerId n : {2, 3, 5}) {
    const auto run = run_of<double>(n, {.compressor = "leader_topk(20%)", .iterations = 7, .feedback = "ef"});
    const std::size_t k = 4;  // a fifth of 19, rounded up
    for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
      const auto leader = static_cast<PeerId>(t % n);
      std::vector<std::uint32_t> chosen;
      const auto compressor = make_compressor<double>("leader_topk(20%)", {});
      for (PeerId i = 0; i < n; ++i) {
        const auto& sent = run.recording[t][i].sent;
        const bool passes_choice = (i + 1) % n != leader;
        REQUIRE(sent.size() == n - 1 + passes_choice);
        for (const Outgoing& message : sent) {
          const bool is_choice = message.key.slot == 0;
          CHECK(message.packet->size() == k * (is_choice ? sizeof(std::uint32_t) : sizeof(double)));
          if (!is_choice) continue;
          std::vector<std::uint32_t> indices;
          CHECK(compressor->shared_selection()->read_choice(message.packet->bytes(), 19, indices) ==
                CodecStatus::ok);
          if (chosen.empty()) chosen = indices;
          CHECK(indices == chosen);
        }
      }
      // The choice is the leader's own top-k of g + m.
      const Vector<double> p =
          run.gradient(leader, run.recording[t - 1][leader].model) + run.memory(t - 1, leader);
      double least_kept = 1e300;
      double largest_dropped = 0.0;
      for (std::uint32_t i = 0; i < 19; ++i)
        if (std::find(chosen.begin(), chosen.end(), i) != chosen.end())
          least_kept = std::min(least_kept, std::abs(p[i]));
        else
          largest_dropped = std::max(largest_dropped, std::abs(p[i]));
      CHECK(least_kept >= largest_dropped);
      // Every peer sends these coordinates of its own vector, and remembers the others.
      Vector<double> expected = run.recording[t - 1][0].model;
      for (PeerId i = 0; i < n; ++i) {
        Vector<double> left = run.gradient(i, run.recording[t - 1][i].model) + run.memory(t - 1, i);
        for (const std::uint32_t index : chosen) {
          expected[index] -= run.eta(t) / n * left[index];
          left[index] = 0.0;
        }
        CHECK(same_bits(run.memory(t, i), left));
      }
      CHECK((run.recording[t][0].model - expected).cwiseAbs().maxCoeff() <= rounding<double>);
    }
  }
}

TEST_CASE("qsgd-allreduce: adacomp is told the latest gradient, and sends what its rule says of p and g") {
  const Index bin = 5;
  const auto run = run_of<double>(2, {.compressor = "adacomp(bin=5)", .iterations = 6, .feedback = "ef"});
  int tells = 0;
  for (std::uint64_t t = 1; t < run.recording.size(); ++t)
    for (PeerId i = 0; i < 2; ++i) {
      const Vector<double> g = run.gradient(i, run.recording[t - 1][i].model);
      const Vector<double> p = g + run.memory(t - 1, i);
      Vector<double> expected = Vector<double>::Zero(p.size());
      double maxima = 0.0;
      double bins = 0.0;
      for (Index begin = 0; begin < p.size(); begin += bin, ++bins) {
        const Index end = std::min(begin + bin, p.size());
        const double largest = p.segment(begin, end - begin).cwiseAbs().maxCoeff();
        maxima += largest;
        for (Index k = begin; k < end; ++k) {
          const bool kept = std::abs(p[k] + g[k]) >= largest;
          tells += kept != (std::abs(p[k] + p[k]) >= largest);
          if (kept) expected[k] = std::copysign(1.0, p[k]);
        }
      }
      expected *= maxima / bins;
      REQUIRE((run.said(t, i) - expected).cwiseAbs().maxCoeff() <= 1e-12 * maxima);
    }
  CHECK(tells > 10);  // with all of p for the latest gradient, something else would have been sent
}

TEST_CASE("qsgd-allreduce: the forecast traffic is what is sent, exactly, or a bound where sizes vary") {
  for (const PeerId n : {1, 2, 3, 5})
    for (const char* compressor : {"none", "qsgdinf(4)", "topk(10%)", "leader_topk(20%)",
                                   "leader_topk(40%) | qsgdinf(8)", "grid(0.1)"})
      for (const std::uint64_t iterations : {1, 7}) {
        CAPTURE(n);
        CAPTURE(compressor);
        const auto run =
            run_of<float>(n, {.compressor = compressor, .iterations = iterations, .feedback = "ef"});
        const TrafficForecast forecast = forecast_traffic(run.experiment);
        for (PeerId i = 0; i < n; ++i) {
          std::uint64_t messages = 0;
          std::uint64_t bytes = 0;
          for (const auto& at_t : run.recording)
            for (const Outgoing& sent : at_t[i].sent) {
              ++messages;
              bytes += header_bytes + sent.packet->size();
            }
          CHECK(forecast.peers[i].messages == messages);
          if (forecast.exact)
            CHECK(forecast.peers[i].bytes == bytes);
          else
            CHECK(forecast.peers[i].bytes >= bytes);
        }
        CHECK(forecast.exact == (std::string(compressor) != "grid(0.1)"));
      }
}

TEST_CASE(
    "qsgd-allreduce: a packet or a choice that is garbage ends the run of all whom it or what follows from "
    "it reaches") {
  struct Garbage {
    const char* compressor;
    Slot slot;
    std::set<PeerId> reached;
  };
  // What peer 1 sends to peer 2 in iteration 4, in which peer 1 is the leader, and the last one.
  const std::vector<Garbage> all = {{"qsgdinf(4)", 0, {0, 2}},           // its own packet
                                    {"qsgdinf(4)", 1, {2}},              // peer 0's
                                    {"leader_topk(20%)", 0, {0, 1, 2}},  // the choice, which the answers need
                                    {"leader_topk(20%)", 1, {0, 2}},
                                    {"leader_topk(20%)", 2, {2}}};
  for (const Garbage& garbage : all) {
    CAPTURE(garbage.compressor);
    CAPTURE(garbage.slot);
    const auto experiment = quadratics_in<float>(
        {"ring", 3}, "qsgd-allreduce", {.compressor = garbage.compressor, .iterations = 4, .feedback = "ef"});
    BareCluster<float> cluster(experiment, 1);
    PacketPool packets;
    cluster.tamper = [&](const Outgoing& sent) {
      if (sent.key.iteration != 4 || sent.key.slot != garbage.slot || sent.key.sender != 1)
        return sent.packet;
      PacketBuffer buffer = packets.acquire();
      buffer.resize(3);
      return std::move(buffer).seal();
    };
    cluster.run();
    for (PeerId i = 0; i < 3; ++i) {
      CAPTURE(i);
      const auto& divergence = cluster.peer(i).divergence();
      CHECK(divergence.has_value() == garbage.reached.contains(i));
      if (!divergence) continue;
      CHECK(divergence->malformed);
      CHECK(divergence->iteration == 4);
    }
  }
}

}  // namespace hearsay::test::qsgd_allreduce_test
