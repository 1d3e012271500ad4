// One rank of gloo: RANK RANKS FOLDER ADDRESS ring|bcube FLOATS ITERATIONS. The ranks find each other through
// FOLDER, which they share and which is empty at first, and reduce over TCP from their addresses. Prints the
// seconds of one all-reduce, and a 0 for the loss that there is not.

#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  const int rank = std::atoi(argv[1]), ranks = std::atoi(argv[2]);
  const auto floats = static_cast<std::size_t>(std::atoll(argv[6]));
  const int iterations = std::atoi(argv[7]);
  gloo::rendezvous::FileStore meeting(argv[3]);
  gloo::transport::tcp::attr where;
  where.hostname = argv[4];
  auto device = gloo::transport::tcp::CreateDevice(where);
  const auto context = std::make_shared<gloo::rendezvous::Context>(rank, ranks);
  context->setTimeout(std::chrono::minutes(5));
  context->connectFullMesh(meeting, device);

  std::vector<float> own(floats, 1.0F), sum(floats);
  gloo::AllreduceOptions options(context);
  options.setAlgorithm(std::string(argv[5]) == "ring" ? gloo::AllreduceOptions::Algorithm::RING
                                                      : gloo::AllreduceOptions::Algorithm::BCUBE);
  options.setInput(own.data(), floats);
  options.setOutput(sum.data(), floats);
  options.setReduceFunction(
      static_cast<void (*)(void*, const void*, const void*, std::size_t)>(&gloo::sum<float>));
  gloo::allreduce(options);  // the first all-reduce, which makes the connections, does not count
  gloo::BarrierOptions all(context);
  gloo::barrier(all);
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < iterations; ++k) gloo::allreduce(options);
  gloo::barrier(all);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.9f 0\n", took.count() / iterations);
}
