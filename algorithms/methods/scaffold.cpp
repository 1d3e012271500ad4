#include "algorithms/methods/scaffold.hpp"

#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

double server_step_of(const MethodOptions& options) {
  const OuterRule outer = OuterRule::parse(options[option::outer]);
  if (outer.kind != OuterRule::Kind::none)
    throw Misuse("algorithm.outer", options[option::outer],
                 "scaffold's hub keeps no momentum; expected none(rho), such as none(1)");
  return outer.rate;
}

}  // namespace

template <class Scalar>
Scaffold<Scalar>::Scaffold(const MethodInput<Scalar>& input)
    : local_steps_(input.options[option::local_steps]),
      server_step_(static_cast<Scalar>(server_step_of(input.options))),
      x_(input.initial),
      controls_(input, local_steps_),
      point_(input.initial.size()),
      change_(input.initial.size()) {}

template <class Scalar>
Task Scaffold<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: hub -> i in S_t: x, c
  const bool heard = co_await share_model(it, controls_.place(), x_, &controls_.common());
  if (!heard) co_return;

  PacketRef answer;
  if (it.mixing().trains) {
    // local: y_i = x;  H times: y_i <- y_i - eta (g_i(y_i) - c_i + c)
    point_ = x_;
    for (std::uint64_t h = 0; h < local_steps_; ++h) {
      if (h > 0) it.next_minibatch();
      const Vector<Scalar>& gradient = co_await it.gradient(point_);
      point_ -= it.step_size() * ((gradient - controls_.own()) + controls_.common());
    }

    // up: y_i - x
    change_ = point_ - x_;
    answer = full_packet(it, change_);

    // follow: c_i <- c_i - c + (x - y_i) / (H eta)
    controls_.follow(change_, it.step_size());
  }

  // step: sum_{S} (y_i - x);  c <- c + (1/n) sum_{S} (-c + (x - y_i) / (H eta))
  const Scalar r = co_await controls_.gather(it, answer, change_);
  if (r == 0) co_return;

  // x <- x + (rho/r) sum_{S} (y_i - x)
  x_ += (server_step_ / r) * change_;
}

template <class Scalar>
void Scaffold<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  controls_.visit(visitor);
  visitor.scratch("local point", point_);
  visitor.scratch("change", change_);
}

template <class Scalar>
Traffic Scaffold<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const std::uint64_t model_bytes = view(x_).size_bytes();
  const MixingRow& row = rows.at(number - 1);
  const TreePlace& place = controls_.place();
  return place.with_answer(place.to_below(row, number > 1 ? 2 * model_bytes : 0), row,
                           model_bytes + controls_.count_bytes(), true);
}

MethodInfo scaffold_info() {
  return {.name = "scaffold",
          .summary = "a hub: local steps corrected by control variates, so without client drift",
          .equation = "H times y_i <- y_i - eta (g_i - c_i + c); x <- x + (rho/r) sum_S (y_i - x)",
          .bytes = "hub r (8d + 64), worker 4d + 64",
          .source = "Karimireddy et al. 2020, arXiv:1910.06378, Algorithm 1",
          .compressor = CompressorNeed::none,
          .membership = Membership::forgotten,
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .permits_tree = true,
          .options = {{option::local_steps, 10}, {option::outer, "none(1)"}},
          .manual = {.iteration = "H times y_i <- y_i - eta (g_i - c_i + c); c_i <- c_i - c + (x - y_i)/(H "
                                  "eta); x <- x + (rho/r) sum_S (y_i - x); c the mean of all c_i",
                     .memory = "hub 7 (drop: n + 7), worker 6",
                     .needs = "a hub and workers"},
          .make = factory<Scaffold>()};
}

}  // namespace hearsay
