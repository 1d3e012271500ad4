#include "algorithms/qsgd_allreduce.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "runtime/digest.hpp"
#include "runtime/traffic_forecast.hpp"
#include "runtime/wire.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"
#include "topology/misuse.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

const std::vector<std::string> feedbacks = {"none", "ef", "low-pass(0.1)", "low-pass(0.75)", "dgd-def"};

/// Models, memories and messages after every iteration.
template <class Scalar>
struct Run {
  Experiment<Scalar> experiment;
  Recording<Scalar> recording;

  Index dimension() const { return experiment.problem.dimension(); }
  PeerId peers() const { return experiment.peer_count(); }
  double eta(std::uint64_t t) const { return experiment.step_size.at(t); }

  /// C(p_i) of iteration t as everybody decodes it.
  Vector<Scalar> said(std::uint64_t t, PeerId i) const {
    const auto compressor = make_compressor<Scalar>(experiment.settings.algorithm.compressor,
                                                    experiment.problem.objectives.front()->segments());
    Vector<Scalar> decoded = Vector<Scalar>::Zero(dimension());
    // A peer's own packet is the first that it sends, but for a choice of coordinates, of which there is none here.
    CHECK(compressor->accumulate(recording[t][i].sent.front().packet->bytes(), 1, view(decoded)) ==
          CodecStatus::ok);
    return decoded;
  }

  Vector<Scalar> gradient(PeerId i, const Vector<Scalar>& x) const {
    Vector<Scalar> gradient(dimension());
    const Index sample = 0;
    experiment.problem.objectives[i]->gradient(x, {&sample, 1}, gradient);
    return gradient;
  }

  const Vector<Scalar>& memory(std::uint64_t t, PeerId i) const {
    return recording[t][i].states.at("memory");
  }
};

template <class Scalar>
Run<Scalar> run_of(PeerId peers, const Plan& plan, Shared shared = Shared::nothing, Index dimension = 19) {
  auto experiment = quadratics_in<Scalar>({"ring", peers}, "qsgd-allreduce", plan, shared, dimension);
  auto recording = record_run(experiment);
  return {std::move(experiment), std::move(recording)};
}

template <class Scalar>
bool same_bits(const Vector<Scalar>& a, const Vector<Scalar>& b) {
  return digest(a) == digest(b);
}

template <class Scalar>
constexpr double rounding = std::is_same_v<Scalar, float> ? 2e-5 : 1e-12;

}  // namespace

TEST_CASE_TEMPLATE(
    "qsgd-allreduce: with ef, what was sent and what is remembered are what was to be sent, exactly", Scalar,
    float, double) {
  for (const PeerId peers : {2, 3})
    for (const char* compressor : {"topk(20%)", "qsgdinf(3)", "topk(30%) | qsgdinf(4)"}) {
      CAPTURE(compressor);
      const auto run = run_of<Scalar>(peers, {.compressor = compressor, .feedback = "ef"});
      for (std::uint64_t t = 1; t < run.recording.size(); ++t)
        for (PeerId i = 0; i < peers; ++i) {
          const Vector<Scalar> p = run.gradient(i, run.recording[t - 1][i].model) + run.memory(t - 1, i);
          const Vector<Scalar> residue = p - run.said(t, i);
          REQUIRE(same_bits(run.memory(t, i), residue));
        }
    }
}

TEST_CASE_TEMPLATE(
    "qsgd-allreduce: topk with ef never loses a coordinate: it is sent or remembered, bit for bit", Scalar,
    float, double) {
  const auto run = run_of<Scalar>(3, {.compressor = "topk(20%)", .feedback = "ef"});
  for (std::uint64_t t = 1; t < run.recording.size(); ++t)
    for (PeerId i = 0; i < 3; ++i) {
      const Vector<Scalar> p = run.gradient(i, run.recording[t - 1][i].model) + run.memory(t - 1, i);
      const Vector<Scalar> sent = run.said(t, i);
      for (Index k = 0; k < p.size(); ++k) {
        REQUIRE((sent[k] == 0 || run.memory(t, i)[k] == 0));
        REQUIRE(sent[k] + run.memory(t, i)[k] == p[k]);
      }
    }
}

TEST_CASE_TEMPLATE("qsgd-allreduce: low-pass takes in a share of the error, and does not conserve", Scalar,
                   float, double) {
  const auto run = run_of<Scalar>(2, {.compressor = "topk(20%)", .feedback = "low-pass(0.1)"});
  bool conserved = true;
  for (std::uint64_t t = 1; t < run.recording.size(); ++t)
    for (PeerId i = 0; i < 2; ++i) {
      const Vector<Scalar> p = run.gradient(i, run.recording[t - 1][i].model) + run.memory(t - 1, i);
      const Vector<Scalar> error = p - run.said(t, i);
      const auto beta = static_cast<Scalar>(0.1);
      const Vector<Scalar> expected = (1 - beta) * run.memory(t - 1, i) + beta * error;
      REQUIRE(same_bits(run.memory(t, i), expected));
      conserved = conserved && same_bits(run.memory(t, i), error);
    }
  CHECK_FALSE(conserved);
  const auto whole = run_of<Scalar>(3, {.compressor = "topk(20%)", .feedback = "low-pass(1)"});
  const auto ef = run_of<Scalar>(3, {.compressor = "topk(20%)", .feedback = "ef"});
  CHECK(whole.experiment.settings.algorithm.feedback == "ef");
  CHECK(same_bits(whole.recording.back()[2].model, ef.recording.back()[2].model));
}

TEST_CASE_TEMPLATE(
    "qsgd-allreduce: with ef, x less what is owed descends by the mean gradient, however eta changes", Scalar,
    float, double) {
  for (const PeerId peers : {1, 2, 3, 8})
    for (const char* schedule : {"constant", "inverse-sqrt", "inverse"})
      for (const char* compressor : {"topk(10%)", "qsgdinf(3)"}) {
        CAPTURE(peers);
        CAPTURE(schedule);
        CAPTURE(compressor);
        const auto run = run_of<Scalar>(
            peers, {.compressor = compressor, .iterations = 20, .feedback = "ef", .step_schedule = schedule});
        const auto ahead = [&](std::uint64_t t) {
          Vector<double> z = run.recording[t][0].model.template cast<double>();
          for (PeerId j = 0; j < peers; ++j)
            z -= run.eta(std::max<std::uint64_t>(t, 1)) / peers * run.memory(t, j).template cast<double>();
          return z;
        };
        for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
          Vector<double> expected = ahead(t - 1);
          for (PeerId j = 0; j < peers; ++j)
            expected -=
                run.eta(t) / peers * run.gradient(j, run.recording[t - 1][j].model).template cast<double>();
          REQUIRE((ahead(t) - expected).cwiseAbs().maxCoeff() <= rounding<Scalar>);
        }
      }
}

TEST_CASE_TEMPLATE(
    "qsgd-allreduce: with dgd-def and one peer, x less what is owed is gradient descent, whatever C does",
    Scalar, float, double) {
  for (const char* schedule : {"constant", "inverse-sqrt"})
    for (const char* compressor : {"topk(10%)", "randk(20%)", "qsgdinf(2)", "grid(0.5)", "none"}) {
      CAPTURE(compressor);
      const auto run = run_of<Scalar>(
          1, {.compressor = compressor, .iterations = 30, .feedback = "dgd-def", .step_schedule = schedule});
      Vector<Scalar> descent = run.experiment.problem.initial;
      for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
        descent -= static_cast<Scalar>(run.eta(t)) * run.gradient(0, descent);
        const Vector<Scalar> ahead =
            run.recording[t][0].model - static_cast<Scalar>(run.eta(t)) * run.memory(t, 0);
        REQUIRE((ahead - descent).cwiseAbs().maxCoeff() <= rounding<Scalar>);
      }
    }
}

TEST_CASE(
    "qsgd-allreduce: with dgd-def, 8 bits and one peer, x converges at the rate of gradient descent itself") {
  // Curvatures in [1/2, 3/2] and eta = 1: nu = 1/2. C(p) is off by at most max |p| / 127 a coordinate, so with
  // epsilon = sqrt(d) / 127:  ||m'|| <= epsilon (L ||z - x*|| + ||m||),  ||z - x*|| <= nu^t ||x_0 - x*||.
  const auto run = run_of<double>(
      1, {.compressor = "qsgdinf(8)", .iterations = 40, .step_size = 1.0, .feedback = "dgd-def"});
  const Vector<double> minimiser = normal_vector<double>(run.dimension(), 5, 0);
  REQUIRE(run.gradient(0, minimiser).norm() <= 1e-12);
  const double nu = 0.5;
  const double largest_curvature = 1.5;
  const double epsilon = std::sqrt(static_cast<double>(run.dimension())) / 127;
  const double start = (run.recording[0][0].model - minimiser).norm();
  double ahead = start;
  double owed = 0.0;
  for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
    owed = epsilon * (largest_curvature * ahead + owed);
    ahead *= nu;
    CHECK((run.recording[t][0].model - minimiser).norm() <= ahead + owed + 1e-12);
  }
  CHECK(ahead + owed <= 1.2 * start * std::pow(nu, 40));  // what is owed vanishes at the same rate
}

TEST_CASE_TEMPLATE(
    "qsgd-allreduce: with dgd-def and common curvature the mean of x less what is owed is gradient descent",
    Scalar, float, double) {
  for (const PeerId peers : {2, 3, 8}) {
    const auto run = run_of<Scalar>(
        peers, {.compressor = "topk(10%)", .iterations = 30, .feedback = "dgd-def"}, Shared::curvature);
    Vector<double> descent = run.experiment.problem.initial.template cast<double>();
    for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
      Vector<double> step = Vector<double>::Zero(descent.size());
      for (PeerId j = 0; j < peers; ++j)
        step += run.gradient(j, descent.template cast<Scalar>()).template cast<double>() / peers;
      descent -= run.eta(t) * step;
      Vector<double> ahead = run.recording[t][0].model.template cast<double>();
      for (PeerId j = 0; j < peers; ++j)
        ahead -= run.eta(t) / peers * run.memory(t, j).template cast<double>();
      REQUIRE((ahead - descent).cwiseAbs().maxCoeff() <= rounding<Scalar>);
    }
  }
}

TEST_CASE_TEMPLATE(
    "qsgd-allreduce: with dgd-def the mean point descends by the mean of the gradients at the points", Scalar,
    float, double) {
  const PeerId peers = 3;
  const auto run =
      run_of<Scalar>(peers, {.compressor = "topk(10%)", .feedback = "dgd-def", .step_schedule = "inverse"});
  const auto point = [&](std::uint64_t t, PeerId j) {
    const auto eta = static_cast<Scalar>(run.eta(std::max<std::uint64_t>(t, 1)));
    return Vector<Scalar>(run.recording[t][j].model - eta * run.memory(t, j));
  };
  for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
    Vector<double> off = Vector<double>::Zero(run.dimension());
    for (PeerId j = 0; j < peers; ++j)
      off += (point(t, j) - point(t - 1, j)).template cast<double>() +
             run.eta(t) * run.gradient(j, point(t - 1, j)).template cast<double>();
    REQUIRE((off / peers).cwiseAbs().maxCoeff() <= rounding<Scalar>);
  }
}

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
          // In hop s, what peer i - s encoded.
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
      // The leader's own top-k of g + m.
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

TEST_CASE(
    "feedback: auto is none for unbiased compressors and ef for the others, and every spelling reads back") {
  const auto resolved = [](const std::string& compressor, const std::string& feedback) {
    return quadratics_in<float>({"ring", 3}, "qsgd-allreduce",
                                {.compressor = compressor, .feedback = feedback})
        .settings.algorithm.feedback;
  };
  CHECK(resolved("", "auto") == "none");
  CHECK(resolved("none", "auto") == "none");
  CHECK(resolved("qsgd(8)", "auto") == "none");
  CHECK(resolved("topk(1%)", "auto") == "ef");
  CHECK(resolved("scale{qsgd(4)}", "auto") == "ef");
  CHECK(resolved("leader_topk(1%)", "auto") == "ef");
  for (const std::string& feedback : feedbacks) CHECK(resolved("topk(10%)", feedback) == feedback);
  CHECK(resolved("topk(10%)", "low-pass( 0.10 )") == "low-pass(0.1)");
}

TEST_CASE("feedback: what is no feedback is refused, and so is any where the method has none") {
  const auto refusal = [](const std::string& method, const std::string& feedback) -> std::string {
    try {
      quadratics_in<float>({"ring", 3}, method, {.compressor = "topk(10%)", .feedback = feedback});
    } catch (const Misuse& misuse) {
      return misuse.what();
    }
    return "";
  };
  for (const char* wrong : {"eff", "low-pass", "low-pass(0)", "low-pass(1.5)", "low-pass(-1)", "low-pass(x)",
                            "low-pass(0.1, 2)", "ef(1)", "none(1)", "dgd-def(0)", "auto(1)", ""})
    CHECK_MESSAGE(refusal("qsgd-allreduce", wrong).starts_with("algorithm.feedback = "), wrong);
  for (const char* method : {"d-psgd", "dcd-psgd", "naive", "allreduce-sgd"})
    CHECK(refusal(method, "ef").starts_with("algorithm.feedback = ef: " + std::string(method)));
  CHECK(refusal("qsgd-allreduce", "ef").empty());
}
