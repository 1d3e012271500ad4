# Read by ctest: gives every test the labels of its program, and most the label "quick" besides. Those take a minute
# together, on two cores.
set(quick_programs
  arithmetic_test
  network_test
  foundation_test
  membership_test
  peer_test
  wire_test
  topology_test
  record_test
  session_test
  objectives_test
  keys_test
  checkpoint_test
  observer_test
  cluster_test
  settings_test
  compression_test
  data_test
  experiment_test
  rules_test
  survey_test
  supervision_test
  simulator_test
  methods_test
  statistics_test
  tools_test
  export_test
  report_test
  world_test
  layer_parallel_test
  zmq_test
  security_test
  programs_test)
# Tests of these programs that take longer than half a second.
set(not_quick
  "elastic world: 1,000 seeds of loss, delay, crashes, cuts, joiners and leavers, one decision a view"
  [==[advise: a target that nobody reaches, and a peer alone, are refused]==]
  [==[advise: a winner beyond ten times the run is trained to the target before it wins]==]
  [==[advise: beside a method with a hub stands how busy the hub's port is]==]
  [==[advise: bytes are what a hand works out]==]
  [==[advise: interrupted, it says what it has]==]
  [==[advise: models that hardly agree are no model, however good their mean is]==]
  [==[advise: where messages cost nothing, whoever needs the fewest gradients wins]==]
  [==[advise: with few workers a round, methods with a hub are judged by its model, not by who sat out]==]
  [==[advise: with steps that are too long for a method, shorter ones are tried]==]
  [==[advise: without a target it is the loss that the user's own run comes to]==]
  [==[averages: a constant step leaves a floor of noise, below which the average of the models falls]==]
  [==[cedas, beer, c-gt: peers whose data differ end at the optimum itself, where dcd, choco and deep-squeeze do not]==]
  [==[censor limit: a hub without data has no curvature, its workers have]==]
  [==[censor limit: a threshold is warned of above both its limits, whichever is the larger]==]
  [==[choco: topk of 10 % agrees with a consensus step of 0.2 and explodes with 0.6, on a ring of 8]==]
  [==[choco: unbiased rand-k explodes at any consensus step, scaled down it agrees]==]
  [==[choco: with full gradients it ends where D-PSGD on (1 - gamma) I + gamma W, adapt then combine, does]==]
  [==[cifar10: the batches are the training data, test_batch is the test data, labels are 0 to 9]==]
  [==[cluster file: a few lines cannot name more peers or links than a machine holds]==]
  [==[coders: whatever decodes is, to its last bit, what encode writes]==]
  [==[compressors: every decoded coordinate is an end of its bracket<double>]==]
  [==[compressors: every decoded coordinate is an end of its bracket<float>]==]
  [==[compressors: relative bounds hold down to where traits.hpp says, absolute ones below<double>]==]
  [==[compressors: relative bounds hold down to where traits.hpp says, absolute ones below<float>]==]
  [==[compressors: the exact expected error is within the stated contraction<double>]==]
  [==[compressors: the exact expected error is within the stated contraction<float>]==]
  [==[compressors: the exact variance is within the stated omega and absolute error<double>]==]
  [==[compressors: the exact variance is within the stated omega and absolute error<float>]==]
  [==[compressors: the mean over the rounding bracket is the input<double>]==]
  [==[compressors: the mean over the rounding bracket is the input<float>]==]
  [==[compressors: the stated bytes are exact, or a bound where the size depends on the data<double>]==]
  [==[compressors: the stated bytes are exact, or a bound where the size depends on the data<float>]==]
  [==[compressors: what encodes decodes, and who sends what leaves the range is told<double>]==]
  [==[compressors: what encodes decodes, and who sends what leaves the range is told<float>]==]
  [==[compressors: what the sender applies is what a holder decodes, bit for bit<double>]==]
  [==[compressors: what the sender applies is what a holder decodes, bit for bit<float>]==]
  [==[config: any text is a run or a Misuse, never anything else]==]
  [==[d2: all peers reach the exact optimum of different quadratics with a constant step, d-psgd none]==]
  [==[crew: every method ends with the same bits and times with one thread, two and three]==]
  [==[data: the CIFAR-10 sample is balanced]==]
  [==[data: the MNIST test set has its published shape and digit counts]==]
  [==[dcd: with full gradients its limit is D-PSGD's, whatever is compressed, naive has a floor]==]
  [==[dct: the inverse gives the vector back, to rounding, and no norm changes<double>]==]
  [==[dct: the inverse gives the vector back, to rounding, and no norm changes<float>]==]
  [==[decentlam: momentum does not move the limit, that of qg-momentum it does]==]
  [==[dither: linf sends the largest coordinate without noise<double>]==]
  [==[dither: linf sends the largest coordinate without noise<float>]==]
  [==[ecd: on a coarse fixed grid it goes on where DCD and naive stall]==]
  [==[ecd: on a fixed grid the variance of an estimate is 2(2t-1)/(3t(t-1)) of a rounding's]==]
  [==[elias: expected bits per coordinate of Gaussian vectors are those of the reference table]==]
  [==[entropy: dithered Gaussian vectors take half a percent more than their entropy, header included]==]
  [==[examples: every sweep under bench/ can be read, and those of ResNet-20's size have as many parameters]==]
  [==[gen-qsgd plan: coarser quantizers never make the best plan cheaper]==]
  [==[gen-qsgd plan: no feasible point of a grid is better, all workers with the same steps]==]
  [==[gen-qsgd plan: no feasible point of a grid is better, two classes of workers]==]
  [==[gen-qsgd plan: no neighbour in K_0, B and the scale of all K_n is better]==]
  [==[gen-qsgd plan: what cannot be done in time, or at all, has no plan, and no point of a grid]==]
  [==[gen-qsgd plan: within a time, energy is no less at any feasible point of a grid]==]
  [==[gradient-tracking: all peers reach the exact optimum with a constant step, on schedules, too]==]
  [==[hub tree: the expectation over what compressors and rounds draw is the step without them]==]
  [==[interchange: many things side by side are not deep]==]
  [==[laws: column 1 of the matrix holds in double]==]
  [==[laws: column 1 of the matrix holds in float]==]
  [==[laws: column 15 of the matrix holds in double]==]
  [==[laws: column 15 of the matrix holds in float]==]
  [==[laws: column 2 of the matrix holds in double]==]
  [==[laws: column 2 of the matrix holds in float]==]
  [==[laws: column 3 of the matrix holds in double]==]
  [==[laws: column 3 of the matrix holds in float]==]
  [==[laws: column 5 of the matrix holds in double]==]
  [==[laws: column 5 of the matrix holds in float]==]
  [==[laws: column 8 of the matrix holds in double]==]
  [==[laws: column 8 of the matrix holds in float]==]
  [==[level sets: the omega of Gaussian data is that of Gaussian vectors]==]
  [==[live: a sweep that is killed takes its page along]==]
  [==[live: a sweep whose page nobody looks at ends by itself, and leaves no process behind]==]
  [==[naive: its floor is several times D-PSGD's at equal T, DCD's is not]==]
  [==[objectives: a shard longer than a block of scratch is the sum of its samples]==]
  [==[papers.sh: one page of all papers, and exit code 5 with their names if a claim does not hold]==]
  [==[pipeline: a fused compressor and its stages one by one give the same bytes and floats<double>]==]
  [==[pipeline: a fused compressor and its stages one by one give the same bytes and floats<float>]==]
  [==[regret: it grows like the root of T]==]
  [==[report.sh: what its sweeps leave behind is where its report looks, from a fresh clone]==]
  [==[report: maps of consensus that are equal stand once, and those of many runs have fewer evaluations]==]
  [==[report: the page is written whole, and replaces nothing but an earlier report, when told to]==]
  [==[retiming: every synchronous method is timed on any network as if it had been trained there, to the last digit]==]
  [==[run.sh: it ends with the table and a page of pictures, and says where the page lies]==]
  [==[sgp: as the step shrinks the limit is the optimum of the sum, averages of what is heard miss it]==]
  [==[side information: as peers agree, the messages become shorter]==]
  [==[side information: the models are those without it, bit for bit, and the bytes are fewer<double>]==]
  [==[sized run: every synchronous method takes the time and the bytes of a model of that size]==]
  [==[sized run: exact where buckets, chunks, fragments and shares divide the model]==]
  [==[sized run: stand-ins are as long as a chunk, and what does not follow from them is refused]==]
  [==[sized run: what is too large for a record is refused, not wrapped]==]
  [==[soundness: a default consensus step that does not hold becomes one that does, and a set one stays]==]
  [==[soundness: the consensus step that a refusal or a warning names draws neither]==]
  [==[soundness: what top-k leaves out for ever is found by a trial of gossip alone, and warned of]==]
  [==[spectrum: Lanczos and shift-invert agree with closed forms and with each other]==]
  [==[staleness: gossip dies out just below the limit, and grows just above it]==]
  [==[step size limit: what is warned of diverges where all peers share a curvature, and the rest does not]==]
  [==[text files: one without an end is refused]==]
  [==[traffic: every method sends what was foretold, on regular graphs and on others]==]
  [==[traffic: foretold of replicas that catch up at meetings, packets or the whole vector]==]
  [==[traffic: foretold on a tree below a hub]==]
  [==[typical omega: within a quarter of what a message loses of Gaussian data, for whatever states one<double>]==]
  [==[varying links: with one peer a round DCD ends where D-PSGD does, for 0.6 of the bytes of five neighbors, and CHOCO where it does with five]==]
  [==[at home: peers that are asked for their losses end with the losses of the observer that has all data]==]
  [==[at home: questions and answers survive the death of peers and of the observer, with every bit]==]
  [==[crash: 1,000 seeds of crashes, cuts and bad weather change no bit]==]
  [==[crash: a peer that is killed and comes back changes no bit, whatever the method]==]
  [==[crash: all processes killed at once go on from a common checkpoint, and end with the same bits]==]
  [==[crash: on a tree below a hub, peers of every level that die and come back change no bit]==]
  [==[crash: peers that die again while all go on from their checkpoints, peer 0 and its observer too, change no bit]==]
  [==[crash: with staleness, peers that die alone or all at once, and cut links, change no bit]==]
  [==[flood: thousands of connections that talk rubbish or nothing do not change a bit of the run]==]
  [==[frames: a signal that comes at any moment ends neither a send nor a receive]==]
  [==[hub membership: 200 seeds of workers that stand still, are cut off or replaced, in bad weather]==]
  [==[hub membership: a run begins without the workers that join later, and ends with all]==]
  [==[hub membership: a worker that stood still is taken back, and waits for the hub until then]==]
  [==[hub membership: a worker that was killed joins anew with the hub's model, whatever the method]==]
  [==[hub membership: half of the workers answer in a round, one of them is lost, and one returns]==]
  [==[hub membership: under a round deadline a worker that stood still for too long is taken back]==]
  [==[hub membership: what a lost worker has said is forgotten, so the run ends at the others' optimum]==]
  [==[hub standby: 200 seeds of hubs, workers and links that are lost or stand still end, and say how]==]
  [==[hub standby: a hub and a worker that stand still together change no bit, or the run says so]==]
  [==[hub standby: a hub that is killed at any time changes no bit, whatever the method]==]
  [==[hub standby: a hub that stands still is replaced, changes no bit, and ends when it wakes]==]
  [==[hub standby: a run goes on without its standby, and then ends with its hub]==]
  [==[hub standby: a worker that the observer alone does not hear goes on, and so do hub and standby]==]
  [==[hub standby: it leaves out the workers that the hub has left out]==]
  [==[hub standby: one that alone cannot hear the hub takes nobody along]==]
  [==[hub standby: one that stood still is a worker that was lost]==]
  [==[joining: 200 seeds of peers that come late, in bad weather, end well, W symmetric in all]==]
  [==[joining: 400 seeds of peers that are replaced, amid the other faults, end well, W symmetric in all]==]
  [==[joining: a peer that was killed and has nothing left joins anew, whatever the method]==]
  [==[joining: a run begins without those that join later, and ends with all, whatever the method]==]
  [==[joining: one that joins begins with the bits of a neighbor's model, between two iterations]==]
  [==[lost frames: every synchronous method ends with the bits of the undisturbed run]==]
  [==[lost frames: schedules and graphs of any kind, 200 seeds of the weather]==]
  [==[membership: 1,000 seeds of deaths, standstills, partitions and bad weather end well, W symmetric in all]==]
  [==[membership: a replica that goes wrong while edges go and come back is right again in the end]==]
  [==[membership: messages that are read near a prediction are, too, after edges have gone and come back]==]
  [==[membership: the mean moves where, and only where, an edge is recorded to have been mixed along from one end]==]
  [==[membership: two halves go on apart, and come together when the link is back, whatever the method]==]
  [==[membership: when a peer is gone the others go on without it, whatever the method]==]
  [==[peer FILE -- PROGRAM: each host starts its own program, and all end with the bits of the simulation]==]
  [==[program: one in C, written from the README, trains as the same objective in C++ does, bit for bit]==]
  [==[program: one that ends at the same question three times ends the run]==]
  [==[program: one that has closed its socket is ended, and another takes its place]==]
  [==[program: one that is killed is started anew and asked again, and no bit changes]==]
  [==[program: that of a dedicated hub is asked nothing, and the workers' train as in C++, bit for bit]==]
  [==[program: what cannot train together is refused before the run, in a sentence]==]
  [==[program: what it says when it fails, leaves, or breaks the protocol is why the run ends]==]
  [==[replica safety: a flipped bit in a replica is noticed by the next digest, and one resync mends it]==]
  [==[replica safety: a holder killed with a wrong replica comes back with a right one, and what it had said meanwhile is mended at its hearers]==]
  [==[replica safety: the same under lost, doubled and reordered frames, 40 seeds of the weather]==]
  [==[replica safety: with side information, too, a flipped bit ends no run, and one resync mends what it did]==]
  [==[run FILE -- PROGRAM: a failure in a gradient is exit code 3, with the program's words]==]
  [==[run FILE -- PROGRAM: a program that was killed, and is started anew, hears of the end, too]==]
  [==[run FILE -- PROGRAM: run and simulate end alike, and what programs print has their peer in front]==]
  [==[run FILE -- PROGRAM: what is wrong is one sentence, and no folder is left behind]==]
  [==[security: a peer that hears plain text where it expects a key says so]==]
  [==[security: a peer whose neighbor proves to own another key than it should says what may be wrong]==]
  [==[security: a peer with keys and one without refuse each other, each with a sentence]==]
  [==[unchanged: every kind of frame, of peers and observer, has the bytes that were recorded]==])

foreach(program IN LISTS test_programs)
  foreach(test IN LISTS ${program}_TESTS)
    set(labels ${labels_of_${program}})
    list(FIND quick_programs ${program} is_quick)
    list(FIND not_quick ${test} takes_long)
    if(is_quick GREATER_EQUAL 0 AND takes_long LESS 0)
      list(APPEND labels quick)
    endif()
    set_tests_properties(${test} PROPERTIES LABELS "${labels}")
  endforeach()
endforeach()

# A name in not_quick that no test has any more: its test may have become quick by being renamed.
set(known "")
set(all_are_built TRUE)
foreach(program IN LISTS quick_programs)
  if(NOT DEFINED ${program}_TESTS)
    set(all_are_built FALSE)
  endif()
  list(APPEND known ${${program}_TESTS})
endforeach()
if(all_are_built)
  list(REMOVE_ITEM not_quick ${known})
  foreach(name IN LISTS not_quick)
    message(SEND_ERROR "tests/labels.cmake: no test is called \"${name}\"")
  endforeach()
endif()
