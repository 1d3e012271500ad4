# One line per run: its name, and its settings beside files/run.toml. record.sh defines `simulate`, `run` and
# the other words.

# ---- methods: a few of every family. The others are judged by their oracles and laws, to 1e-12 (tests/methods):
# no test holds their last bits.

simulate allreduce-sgd algorithm.kind=allreduce-sgd
simulate d-psgd algorithm.kind=d-psgd
simulate d-psgd-staleness-1 algorithm.kind=d-psgd algorithm.staleness=1 algorithm.consensus_step=0.4
simulate naive algorithm.kind=naive 'algorithm.compressor=dither(linf, bits=8, bucket=128)'
simulate dcd-psgd algorithm.kind=dcd-psgd
simulate dcd-psgd-4-bit algorithm.kind=dcd-psgd 'algorithm.compressor=dither(linf, bits=4, bucket=128)'
simulate dcd-psgd-double algorithm.kind=dcd-psgd 'algorithm.compressor=dither(linf, bits=6, bucket=100)' run.scalar=double
simulate ecd-psgd algorithm.kind=ecd-psgd 'algorithm.compressor=grid(0.02)'
simulate qsgd-allreduce-ef algorithm.kind=qsgd-allreduce 'algorithm.compressor=topk(5%)'
simulate choco-sgd algorithm.kind=choco-sgd 'algorithm.compressor=topk(10%)' algorithm.consensus_step=0.1
simulate choco-sgd-pipelined algorithm.kind=choco-sgd 'algorithm.compressor=topk(10%)' algorithm.consensus_step=0.1 \
  algorithm.order=pipelined
simulate cedas algorithm.kind=cedas 'algorithm.compressor=dither(linf, bits=2, bucket=128)' algorithm.consensus_step=0.1
simulate beer algorithm.kind=beer 'algorithm.compressor=topk(10%)' algorithm.consensus_step=0.1
simulate c-gt algorithm.kind=c-gt 'algorithm.compressor=dither(linf, bits=4, bucket=128)' algorithm.consensus_step=0.1
simulate deep-squeeze algorithm.kind=deep-squeeze 'algorithm.compressor=topk(10%)' algorithm.consensus_step=0.05
simulate moniqua algorithm.kind=moniqua 'algorithm.compressor=mod(k=256, step=0.01)'
simulate power-gossip algorithm.kind=power-gossip algorithm.rank=1
simulate choco-gossip algorithm.kind=choco-gossip 'algorithm.compressor=topk(10%)' algorithm.consensus_step=0.1
simulate d2 algorithm.kind=d2 topology.weights=lazy
simulate gradient-tracking algorithm.kind=gradient-tracking
simulate sgp-one-way algorithm.kind=sgp topology.file=one-way.toml
simulate qg-momentum algorithm.kind=qg-momentum
simulate decentlam algorithm.kind=decentlam
simulate ad-psgd algorithm.kind=ad-psgd
simulate ad-psgd-jitter algorithm.kind=ad-psgd 'network.compute=lognormal(2 ms, 1)' 'network.jitter=1 ms' \
  topology.peers=6 run.seed=3
simulate dspg algorithm.kind=dspg model.l1=0.001 'algorithm.step_schedule=inverse-sqrt'
simulate dpsvrg algorithm.kind=dpsvrg model.l1=0.001 algorithm.batch=1 algorithm.consensus=3
simulate dpsvrg-saga algorithm.kind=dpsvrg model.l1=0.001 algorithm.estimator=saga algorithm.batch=1

# ---- local steps and their optimizers

for optimizer in sgd 'heavy-ball(0.9)' 'nesterov(0.9)' adagrad adagrad-da 'adam(0.9, 0.999)' amsgrad novograd; do
  simulate "optimizer $optimizer" algorithm.kind=d-psgd algorithm.local_steps=2 "algorithm.optimizer=$optimizer" \
    algorithm.step_size=0.02
done
simulate local-steps-choco algorithm.kind=choco-sgd 'algorithm.compressor=topk(10%)' algorithm.consensus_step=0.1 \
  algorithm.local_steps=3 'algorithm.optimizer=adam(0.9, 0.999)' algorithm.step_size=0.01

# ---- compressors: every stage and wrapper, as the gradients of qsgd-allreduce go through them

while read -r compressor; do
  simulate "gradients $compressor" algorithm.kind=qsgd-allreduce "algorithm.compressor=$compressor" \
    algorithm.allow_unsound=true run.iterations=8 topology.peers=3
done < compressors.txt
# In double a packet differs in the width of its numbers alone.
while read -r compressor; do
  simulate "gradients in double $compressor" algorithm.kind=qsgd-allreduce "algorithm.compressor=$compressor" \
    algorithm.allow_unsound=true run.iterations=4 run.evaluate_every=4 topology.peers=3 run.scalar=double 'model.kind=mlp(5)'
done < compressors_in_double.txt

# ---- models, data, regularizers, step sizes

simulate logistic algorithm.kind=d-psgd model.kind=logistic 'data.source=synthetic(samples=300, features=123, classes=2)'
simulate logistic-l2 algorithm.kind=dcd-psgd model.kind=logistic model.l2=0.01 run.scalar=double \
  'data.source=synthetic(samples=300, features=123, classes=2)'
simulate mlp algorithm.kind=d-psgd 'model.kind=mlp(13)'
simulate mlp-deep algorithm.kind=dcd-psgd 'model.kind=mlp(13, 7)' run.seed=5
simulate least-squares algorithm.kind=d-psgd model.kind=least-squares data.source=csv:rows.csv algorithm.step_size=0.001
simulate quadratic algorithm.kind=d-psgd 'model.kind=quadratic(701)' algorithm.batch=full
simulate quadratic-dense algorithm.kind=gradient-tracking 'model.kind=quadratic(61, dense)' algorithm.batch=full run.scalar=double
simulate by-label algorithm.kind=d-psgd data.partition=by-label
simulate dirichlet algorithm.kind=dcd-psgd 'data.partition=dirichlet(0.5)'
simulate csv algorithm.kind=d-psgd data.source=csv:classes.csv
simulate libsvm algorithm.kind=d-psgd model.kind=logistic data.source=libsvm:classes.svm data.scale=0.5
simulate l1 algorithm.kind=dspg model.l1=0.01
simulate elastic-net algorithm.kind=dspg 'model.regularizer=elastic-net(0.01, 0.02)'
simulate group-lasso algorithm.kind=dspg 'model.regularizer=group-lasso(0.01)'
simulate box algorithm.kind=dspg 'model.regularizer=box(-0.1, 0.1)'
simulate non-negative algorithm.kind=dpsvrg algorithm.batch=1 model.regularizer=non-negative
simulate step-sqrt algorithm.kind=d-psgd 'algorithm.step_schedule=inverse-sqrt'
simulate step-inverse algorithm.kind=d-psgd algorithm.step_schedule=inverse
simulate warm-up algorithm.kind=d-psgd algorithm.warm_up=6
simulate epochs algorithm.kind=d-psgd run.epochs=1.5
# test.sh requires that the runs of each of these pairs end with different models.
simulate init algorithm.kind=d-psgd model.init=init.npy 'model.kind=quadratic(8)' algorithm.batch=full
simulate init-ulp algorithm.kind=d-psgd model.init=init-ulp.npy 'model.kind=quadratic(8)' algorithm.batch=full
simulate init-topk algorithm.kind=choco-sgd 'algorithm.compressor=topk(30%)' algorithm.consensus_step=0.1 model.init=init.npy \
  'model.kind=quadratic(8)' algorithm.batch=full
simulate init-topk-ulp algorithm.kind=choco-sgd 'algorithm.compressor=topk(30%)' algorithm.consensus_step=0.1 \
  model.init=init-ulp.npy 'model.kind=quadratic(8)' algorithm.batch=full
simulate step algorithm.kind=d-psgd run.scalar=double algorithm.step_size=0.1
simulate step-ulp algorithm.kind=d-psgd run.scalar=double algorithm.step_size=0.10000000000000002
simulate seed-2 algorithm.kind=dcd-psgd run.seed=2

# ---- topologies, weights, schedules

for kind in 'torus(2x3)' 'grid(2x3)' 'star' 'path' 'complete' 'exponential' 'erdos-renyi(0.7)' 'random-regular(3)' 'small-world(2, 0.3)' 'geometric(0.7)'; do
  simulate "topology $kind" algorithm.kind=d-psgd "topology.kind=$kind" topology.peers=6
done
simulate 'topology hypercube' algorithm.kind=d-psgd topology.kind=hypercube topology.peers=8
for weights in metropolis max-degree lazy best-constant fastest fastest-chain; do
  simulate "weights $weights" algorithm.kind=d-psgd "topology.weights=$weights" 'topology.kind=grid(2x3)' topology.peers=6 \
    algorithm.allow_unsound=true run.scalar=double
done
simulate 'file with links' algorithm.kind=dcd-psgd topology.file=links.toml
simulate 'file with weights' algorithm.kind=d-psgd topology.file=links.graphml topology.weights=explicit
simulate 'file in DOT' algorithm.kind=d-psgd topology.file=links.dot topology.weights=explicit
for schedule in one-peer-exponential hypercube-matchings random-matchings 'dealt-links(2)'; do
  kind=hypercube
  [ $schedule != one-peer-exponential ] || kind=exponential
  simulate "schedule $schedule" algorithm.kind=d-psgd topology.kind=$kind topology.peers=8 "topology.schedule=$schedule"
  simulate "schedule $schedule, choco" algorithm.kind=choco-sgd 'algorithm.compressor=topk(10%)' algorithm.consensus_step=0.1 \
    topology.kind=$kind topology.peers=8 "topology.schedule=$schedule" run.scalar=double
done
simulate 'schedule base(2)' algorithm.kind=dcd-psgd 'topology.kind=base(2)' 'topology.schedule=base(2)' topology.peers=6
simulate 'schedule base(3), tracking' algorithm.kind=gradient-tracking 'topology.kind=base(3)' 'topology.schedule=base(3)' \
  topology.peers=7
simulate 'schedule one peer, ecd' algorithm.kind=ecd-psgd 'algorithm.compressor=grid(0.02)' topology.kind=exponential \
  topology.peers=8 topology.schedule=one-peer-exponential
simulate 'schedule one peer, sgp' algorithm.kind=sgp topology.kind=exponential topology.peers=8 \
  topology.schedule=one-peer-exponential
simulate 'schedule matchings, dpsvrg' algorithm.kind=dpsvrg model.l1=0.001 algorithm.batch=1 topology.peers=6 \
  topology.schedule=random-matchings
for kind in d-psgd dcd-psgd dpsvrg; do
  simulate "participation $kind" algorithm.kind=$kind topology.participation=0.5 topology.kind=complete topology.peers=6
done

# ---- the emulated network: virtual seconds

simulate network-jitter algorithm.kind=d-psgd 'network.jitter=3 ms'
simulate network-loss algorithm.kind=dcd-psgd network.message_loss=0.1
simulate network-up-down algorithm.kind=allreduce-sgd 'network.bandwidth_up=3 Mbit/s' 'network.bandwidth_down=7 Mbit/s'
simulate network-lognormal algorithm.kind=d-psgd 'network.compute=lognormal(3 ms, 0.7)'
simulate network-ethernet algorithm.kind=d-psgd network.framing=ethernet
simulate network-trace algorithm.kind=d-psgd network.bandwidth_trace=trace.csv
simulate_file network-peers peers.toml
simulate_file network-links network-links.toml

# ---- how runs end

simulate target algorithm.kind=d-psgd run.target_loss=2.0 run.evaluate_every=2 algorithm.step_size=0.5
simulate diverged algorithm.kind=d-psgd 'model.kind=quadratic(50)' algorithm.batch=full algorithm.step_size=100 run.iterations=400
simulate refused-unknown-key algorithm.kind=d-psgd algorithm.stepsize=1
simulate refused-method algorithm.kind=dpsgd
simulate refused-compressor algorithm.kind=dcd-psgd 'algorithm.compressor=topk(1%)'
simulate refused-staleness algorithm.kind=d-psgd algorithm.staleness=4
simulate allowed-unsound algorithm.kind=dcd-psgd 'algorithm.compressor=topk(1%)' algorithm.allow_unsound=true
simulate drop algorithm.kind=dcd-psgd failure.policy=drop
simulate drop-lazy algorithm.kind=d-psgd failure.policy=drop topology.weights=lazy
simulate checkpoints algorithm.kind=dcd-psgd failure.checkpoint_every=5

# ---- real processes and sockets: the bits and bytes of the simulator

run real-d-psgd algorithm.kind=d-psgd
run real-dcd-psgd algorithm.kind=dcd-psgd 'algorithm.compressor=dither(linf, bits=4, bucket=128)'
run real-allreduce-sgd-double algorithm.kind=allreduce-sgd run.scalar=double topology.peers=4
run real-choco-sgd-double algorithm.kind=choco-sgd 'algorithm.compressor=topk(10%)' algorithm.consensus_step=0.1 run.scalar=double
run real-staleness algorithm.kind=d-psgd algorithm.staleness=1 algorithm.consensus_step=0.4
run real-one-peer algorithm.kind=dcd-psgd topology.kind=exponential topology.peers=8 topology.schedule=one-peer-exponential
run real-drop algorithm.kind=dcd-psgd failure.policy=drop
run real-jitter algorithm.kind=dcd-psgd 'network.jitter=1 ms' network.message_loss=0.05
run real-keys algorithm.kind=d-psgd security.authorized=none.keys security.secret=none.key
# Which peer notices the divergence first, and how far the others have come by then, depends on timing.
run real-diverged algorithm.kind=d-psgd 'model.kind=quadratic(50)' algorithm.batch=full algorithm.step_size=100 \
  run.iterations=400 | cut -d , -f 1,2
# A run that ended after 16 iterations is extended to 24, and gets the bits of dcd-psgd-4-bit.
run real-extended algorithm.kind=dcd-psgd 'algorithm.compressor=dither(linf, bits=4, bucket=128)' \
  failure.checkpoint_every=4 run.iterations=16
resume real-extended algorithm.kind=dcd-psgd 'algorithm.compressor=dither(linf, bits=4, bucket=128)' \
  failure.checkpoint_every=4

# ---- what other commands print and write

for spec in 'ring(8)' 'torus(4x4)' 'star(7)' 'small-world(12, 2, 0.3)' links.toml links.graphml; do
  prints_numbers "topology of $spec" topology "$spec"
done
prints_numbers 'topology, fastest' topology 'grid(4x3)' --weights fastest
prints_numbers 'topology, fastest-chain' topology 'grid(4x3)' --weights fastest-chain
prints_numbers 'topology, dealt links' topology 'grid(4x3)' --schedule 'dealt-links(3)' --participation 0.5
for format in toml graphml dot svg; do
  "$program" topology 'torus(3x3)' --write "torus.$format" > /dev/null
  file "topology, $format" "torus.$format"
done
for setting in algorithm.kind=allreduce-sgd algorithm.kind=d-psgd algorithm.kind=dcd-psgd algorithm.kind=ad-psgd \
  topology.schedule=random-matchings 'algorithm.compressor=dither(linf, bits=4, bucket=100)'; do
  prints_numbers "check with $setting" check run.toml --set "$setting"
done
prints_numbers 'evaluate' evaluate out/d-psgd/model.npy out/d-psgd/run.toml
for name in dcd-psgd network-peers network-links sgp-one-way; do
  sed "s|$folder||" "out/$name/run.toml" > resolved.toml
  file "resolved run file of $name" resolved.toml
done
printf 'files of a simulated run: %s\n' "$(cd out/drop && find . -type f | sort | xargs)"
printf 'files of a real run: %s\n' "$(cd out/real-extended && find . -type f | sort | sed 's/[0-9]\{12\}/ITERATION/' | uniq -c | xargs)"
sweep sweep.toml
