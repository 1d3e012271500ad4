// Which training samples, and which peers, made the model what it is: what `hearsay influence` has told of a run.

/// A picture of a sample; nothing for samples that are no images. Only a bitmap that the record holds is one.
function samplePicture(pictures, row, words) {
  const address = pictures?.[row];
  return typeof address === "string" && address.startsWith("data:image/bmp;base64,") ? element("img", { src: address, alt: words, loading: "lazy" }) : "";
}

/// Training samples with their influences.
function sampleList(words, samples, pictures) {
  return element("ul", { class: "samples", "aria-label": words }, ...samples.map(({ sample, peer, label, influence }) => element("li", {},
    samplePicture(pictures?.training, sample, `sample ${sample}`), `label ${numberText(label, 6)}`, element("br"), numberText(influence, 3), element("br"), `sample ${sample}`, element("br"), `peer ${peer}`)));
}

/// What the data of each peer did for the test samples, for its own data and for those of the others.
function influencePeers(peers) {
  const withData = peers.filter(({ samples }) => samples > 0);
  const all = withData.reduce((sum, { samples }) => sum + samples, 0);
  const most = mostOf(withData.map(({ on_test }) => Math.abs(on_test)));
  const onOthers = ({ peer, samples, on_peers }) => withData.reduce((sum, other) => (other.peer === peer ? sum : sum + other.samples * on_peers[other.peer]), 0) / (all - samples);
  return table("Influence of each peer's data", [{ text: "peer" }, { text: "samples", number: true }, { text: "on the test samples", number: true }, { text: "" }, { text: "a sample", number: true }, { text: "on its own data", number: true }, { text: "on the others' data", number: true }],
    withData.map((of) => [String(of.peer), numberText(of.samples, 9), numberText(of.on_test),
      element("span", { class: `bar${of.on_test < 0 ? " against" : ""}`, style: `width:${(100 * Math.abs(of.on_test)) / most}%` }), numberText(of.on_test / of.samples),
      numberText(of.on_peers[of.peer]), numberText(onOthers(of))]));
}

/// Over which links the influence of the peers' data passed, those with the most first.
function influenceLinks(links) {
  const most = ({ of_first: first, of_second: second }) => Math.max(Math.abs(first), Math.abs(second));
  return table("Influence that passed the links", [{ text: "link" }, { text: "of the first's data", number: true }, { text: "of the second's data", number: true }, { text: "of all data, net", number: true }],
    [...links].sort((a, b) => most(b) - most(a)).slice(0, linksInList).map(({ peers: [from, to], of_first: first, of_second: second, net }) => [`${from} – ${to}`, numberText(first), numberText(second), numberText(net)]));
}

function influenceOf({ training_samples, kept_iterations, test_samples, loss_before, loss_after, total, tests, on_itself, peers, links, pictures }) {
  const said = `${counted(training_samples, "training sample")}, ${counted(kept_iterations, "kept iteration")}. Training took the mean loss of ${counted(test_samples, "test sample")} from ${numberText(loss_before)} to ${numberText(loss_after)}; all influences add up to ${numberText(total)}. An influence is by how much training on a sample lowered a loss.`;
  const ofTest = ({ test_sample, label, loss, proponents, opponents }) => [
    element("h4", {}, `Test sample ${test_sample}`),
    element("p", { class: "tested" }, samplePicture(pictures?.test, test_sample, `test sample ${test_sample}`), `label ${numberText(label, 6)}, loss ${numberText(loss)}`),
    element("h5", {}, "What lowered its loss most"), sampleList(`What lowered the loss of test sample ${test_sample} most`, proponents, pictures),
    element("h5", {}, "What raised it most"), sampleList(`What raised the loss of test sample ${test_sample} most`, opponents, pictures)];
  return [element("p", { class: "note" }, said), ...tests.flatMap(ofTest),
    element("h4", {}, "The most influence on itself: wrong labels and rare samples"), sampleList("The most influence on itself", on_itself, pictures),
    element("h4", {}, "The data of each peer"), element("div", { class: "links" }, influencePeers(peers)),
    ...(Array.isArray(links) ? [element("h4", {}, "Over which links it passed"), element("div", { class: "links" }, influenceLinks(links))] : [])];
}

function influenceSection(group, name) {
  if (!group.points.some(({ influence }) => influence)) return null;
  const offered = group.indices().map((series) => group.series[series]);
  const keptSeries = group.keptOption("influence.of", offered, String, offered[Math.max(0, group.indices().findIndex((series) => group.point(series)?.influence))]);
  const which = element("div", { class: "controls" });
  if (offered.length > 1) which.append(choice(group.color.label, offered, keptSeries.index, (k) => { keptSeries.option = offered[k]; draw(); }));
  which.append(placeChooser(group));
  const told = element("div");
  const draw = () => {
    const influence = group.point(group.indices()[keptSeries.index])?.influence;
    told.replaceChildren(...(influence ? influenceOf(influence) : [element("p", { class: "note" }, "Not asked: hearsay influence tells it of a run with run.keep_models.")]));
  };
  group.follow(draw);
  return section(`${name}-influence`, "Influence", "", which, told);
}
