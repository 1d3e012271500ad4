// What each peer did with its time and its wire, and for whom it waited.

const linksInList = 16;
/// Of more peers, bars would be thinner than the eye can tell apart.
const mostInBars = 24;

/// A number of each peer or several: bars, of many peers dots.
class PeerPlot extends Plot {
  drawPeers(labels, all, y) {
    this.peers = [labels, all, y];
    const some = all.filter(({ values }) => values.some((value) => value > 0));
    const sets = some.length > 0 ? some : all;
    const inBars = labels.length <= mostInBars;
    this.mouseHint.hidden = true;
    this.canvas.setAttribute("aria-label", `${this.heading.textContent}: ${sets.map(({ name }) => name).join(", ")} of ${labels.length} peers`);
    const options = this.options({ label: "peer", text: String }, { label: y.label, text: y.text, mark: y.mark });
    options.scales.x = { ...options.scales.x, type: "category", stacked: inBars, offset: inBars, ticks: { color: ink("muted") } };
    options.scales.y = { ...options.scales.y, stacked: inBars, beginAtZero: true };
    options.interaction = { mode: "index", intersect: false };
    options.plugins.legend = { display: true, position: "bottom", onClick: () => {}, labels: { color: ink("text"), usePointStyle: true, boxWidth: 8, boxHeight: 8 } };
    options.plugins.tooltip.callbacks = { title: ([item]) => `peer ${item.label}`, label: (item) => `${item.dataset.label}: ${y.text(item.parsed.y)}` };
    // Equal values stay visible: each kind of dot is larger than the one before it.
    const styleOf = ({ series, stack }, k) => inBars
      ? { type: "bar", stack, backgroundColor: ink(colorName(series)), borderColor: ink("surface"), borderWidth: 1, pointStyle: "rect", maxBarThickness: 28 }
      : { type: "line", ...lineStyle(series), showLine: false, pointRadius: 2 + 1.5 * k, pointHitRadius: 10, ...(k > 0 ? { pointBackgroundColor: "transparent" } : {}) };
    const config = { type: inBars ? "bar" : "line", data: { labels, datasets: sets.map((set, k) => ({ label: set.name, data: set.values, ...styleOf(set, k) })) }, options };
    if (this.chart && this.config.type !== config.type) {
      this.chart.destroy();
      this.chart = null;
    }
    this.show(config);
    this.numbers.outdate();
  }

  redraw() { if (this.peers) this.drawPeers(...this.peers); }

  numbersTable() {
    const [labels, sets, y] = this.peers;
    return table(`${this.heading.textContent}, in numbers`, [{ text: "peer" }, ...sets.map(({ name }) => ({ text: name, number: true }))],
      labels.map((label, k) => [label, ...sets.map(({ values }) => y.text(values[k]))]));
  }
}

/// The links for which was waited longest, and what went over them; if nobody waited, those that carried most.
function linksTable(peers, seconds) {
  const waits = peers.links.filter(([, , waited]) => waited > 0);
  const sent = { text: "sent", number: true };
  if (waits.length === 0) return table("Links", [{ text: "link" }, sent], peers.links.slice(0, linksInList).map(([from, to, , bytes]) => [`${from} → ${to}`, megabytesText(bytes)]));
  return table("Links", [{ text: "link" }, { text: "waited", number: true }, { text: "of the time", number: true }, { text: "" }, sent],
    waits.slice(0, linksInList).map(([from, to, waited, bytes]) => [`${from} → ${to}`, secondsText(waited), alignedShareText(waited / seconds),
      element("span", { class: "bar", style: `width:${(100 * waited) / waits[0][2]}%` }), megabytesText(bytes)]));
}

function linksTitle({ links }) {
  const waits = links.filter(([, , waited]) => waited > 0).length;
  const of = (count) => (count > linksInList ? `The ${linksInList} links` : "Links");
  return waits > 0 ? `${of(waits)} most waited for` : `${of(links.length)} that carried most; nobody waited`;
}

const spreadColumns = [["least", "least"], ["1 %", "p1"], ["10 %", "p10"], ["median", "median"], ["90 %", "p90"], ["99 %", "p99"], ["most", "most"], ["total", "total"]];
const spreadRows = [["computing", "compute_seconds", secondsText], ["waiting", "wait_seconds", secondsText], ["own port sending (meanwhile)", "wire_seconds", secondsText],
  ["sent", "bytes_sent", megabytesText], ["received", "bytes_received", megabytesText]];

/// The quantiles of all peers, of which the record lists the worst only.
const spreadTable = (spread) => table("All peers", [{ text: "of a peer" }, ...spreadColumns.map(([text]) => ({ text, number: true }))],
  spreadRows.filter(([, key]) => spread[key]?.most > 0).map(([name, key, text]) => [name, ...spreadColumns.map(([, member]) => text(spread[key][member]))]));

const linkMeasures = [
  { title: "time waited", label: "waited", at: 2, text: secondsText, words: (text) => `the second waited ${text} for the first` },
  { title: "bytes sent", label: "sent", at: 3, text: megabytesText, words: (text) => `the first sent ${text} to the second` },
];

/// All links as a map: who waited how long for whom, or sent how much to whom.
function drawLinks(plot, { side, blocks, cells }, of, measure) {
  const found = new Map(cells.map((cell) => [cell[0] * blocks + cell[1], cell]));
  const at = (row, column) => found.get(row * blocks + column);
  const first = (block) => String(block * side);
  const peersIn = (block) => (side === 1 ? String(block) : `${block * side} to ${Math.min(of, (block + 1) * side) - 1}`);
  const named = (block) => `${side === 1 ? "peer" : "peers"} ${peersIn(block)}`;
  const words = ([from, to, , , links]) => `${named(from)} → ${named(to)}${side === 1 ? "" : `, ${counted(links, "link")}, on average`}`;
  plot.draw({ rows: { label: "from peer", count: blocks, text: first }, columns: { label: "to peer", count: blocks, text: first },
    value: (row, column) => at(row, column)?.[measure.at] ?? null,
    scale: { label: measure.label, log: false, text: measure.text },
    describe: (row, column) => (at(row, column) ? `${words(at(row, column))}: ${measure.words(measure.text(at(row, column)[measure.at]))}` : `${named(row)} → ${named(column)}: no link`),
    records: () => [["from peer", "to peer", "waited, seconds", "sent, bytes", ...(side === 1 ? [] : ["links, averaged"])],
      ...cells.map(([from, to, waited, sent, links]) => [peersIn(from), peersIn(to), waited, sent, ...(side === 1 ? [] : [links])])],
    table: () => table("All links", [{ text: side === 1 ? "link" : "links" }, { text: "waited", number: true }, { text: "sent", number: true }],
      cells.map((cell) => [words(cell), secondsText(cell[2]), megabytesText(cell[3])])) });
}

const consensusRowsInTable = 60;

/// The model that distances are taken from.
const centerOf = (facts) => (isOfHub(facts) ? { model: "the hub's model", short: "the hub" } : { model: "the mean model", short: "the mean" });

/// How far each peer was from the mean model, or from the hub's, evaluation by evaluation.
function drawConsensus(plot, { by, iteration, distances }, center) {
  const count = distances[0].length;
  const ranked = by === "rank";
  const named = (row) => (ranked ? `${numberText((100 * row) / (count - 1), 3)} % of the peers are nearer to ${center.short}` : `peer ${row}`);
  plot.heading.textContent = `Consensus: distance from ${center.model}`;
  const text = (value) => numberText(value, 3);
  plot.draw({ rows: { label: ranked ? "share of the peers" : "peer", count, text: (row) => (ranked ? `${numberText(Math.round((100 * row) / (count - 1)), 3)} %` : String(row)),
      marks: ranked ? [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (count - 1))) : null },
    columns: { label: "iteration", count: iteration.length, text: (column) => numberText(iteration[column], 9) },
    value: (row, column) => distances[column][row],
    scale: { label: "distance (log)", log: true, text },
    describe: (row, column) => `iteration ${numberText(iteration[column], 9)}, ${named(row)}: ${isKnown(distances[column][row]) ? `${text(distances[column][row])} from ${center.model}` : "gone"}`,
    records: () => [["iteration", ranked ? `nearer to ${center.short}, %` : "peer", "distance"],
      ...distances.flatMap((values, k) => values.map((distance, row) => [iteration[k], ranked ? (100 * row) / (count - 1) : row, distance]))],
    table: () => table(`Distance of each peer from ${center.model}`, [{ text: "iteration", number: true }, ...distances[0].map((_, row) => ({ text: ranked ? named(row).split(" %")[0] + " %" : named(row), number: true }))],
      distances.map((values, k) => [numberText(iteration[k], 9), ...values.map(text)]).filter((_, k) => k % Math.ceil(iteration.length / consensusRowsInTable) === 0 || k === iteration.length - 1)) });
}

function peersSection(group, name) {
  const offered = group.indices().map((series) => group.series[series]);
  const keptSeries = group.keptOption("peers.of", offered, String);
  const time = new PeerPlot(`${name}-peer-time`, "Time of each peer");
  const bytes = new PeerPlot(`${name}-peer-bytes`, "Traffic of each peer");
  const keptMeasure = group.kept("links", "as it suits");
  const measureChoice = segments("Show", linkMeasures.map(({ title }) => title), 0, (k) => { keptMeasure.text = linkMeasures[k].title; draw(); });
  // If nobody waited, there is nothing to see in the seconds.
  const measureOf = ({ map }) => linkMeasures.find(({ title }) => title === keptMeasure.text) ?? linkMeasures.find(({ at }) => map.cells.some((cell) => cell[at] > 0)) ?? linkMeasures[0];
  const map = new HeatMap(`${name}-link-map`, "Links", measureChoice);
  const consensus = new HeatMap(`${name}-consensus-map`, "Consensus");
  const links = element("div", { class: "links" });
  const everyone = element("div", { class: "links everyone" });
  const which = element("div", { class: "controls" });
  if (offered.length > 1) which.append(choice(group.color.label, offered, keptSeries.index, (k) => { keptSeries.option = offered[k]; draw(); }));
  which.append(placeChooser(group));
  const note = element("p", { class: "note" });
  const plotted = element("div", { class: "plots" }, time.figure, bytes.figure, map.figure, consensus.figure);
  const whole = section(`${name}-peers`, "Peers and links", "", which, note, everyone, plotted, links);

  const draw = () => {
    const point = group.point(group.indices()[keptSeries.index]);
    const peers = point?.peers;
    const spread = isKnown(point?.consensus) ? group.data.consensus[point.consensus] : null;
    whole.hidden = !group.points.some((other) => other.peers || isKnown(other.consensus));
    everyone.hidden = !peers?.spread;
    links.hidden = time.figure.hidden = bytes.figure.hidden = !peers;
    map.figure.hidden = !(peers?.map.cells.length > 0);
    consensus.figure.hidden = !spread;
    if (spread) drawConsensus(consensus, spread, centerOf(point.facts));
    note.textContent = !peers ? "Nothing is known of its peers." : peers.of > peers.peer.length
      ? `The ${peers.peer.length} of ${numberText(peers.of, 9)} peers that waited longest.` : "";
    if (isHubPort(point?.facts.hub_port)) note.textContent = `${hubPortText(point.facts.hub_port)} ${note.textContent}`.trimEnd();
    if (peers && group.isRepeated) note.textContent = `With seed ${point.seed}. ${note.textContent}`;
    note.hidden = note.textContent === "";
    // Beside the traffic, the links are the third figure; without the fourth, they get the whole row.
    map.figure.classList.toggle("wide", !spread);
    if (!peers) return;
    if (peers.spread) everyone.replaceChildren(element("h4", {}, `All ${numberText(peers.of, 9)} peers`), spreadTable(peers.spread));
    if (peers.map.cells.length > 0) {
      const measure = measureOf(peers);
      measureChoice.querySelectorAll("input")[linkMeasures.indexOf(measure)].checked = true;
      map.heading.textContent = `Links: ${measure.title}`;
      drawLinks(map, peers.map, peers.of, measure);
    }
    const hasHub = isHubPort(point.facts.hub_port);
    const labels = peers.peer.map((peer) => (hasHub && peer === 0 ? "0, the hub" : String(peer)));
    time.drawPeers(labels, [
      { name: "computing", values: peers.compute_seconds, series: 2, stack: "time" },
      { name: "waiting", values: peers.wait_seconds, series: 1, stack: "time" },
      { name: "own port sending (meanwhile)", values: peers.wire_seconds, series: 6, stack: "wire" }], { label: "time", text: secondsText, mark: secondsMark });
    bytes.figure.hidden = ![...peers.bytes_sent, ...peers.bytes_received].some((count) => count > 0);
    if (!bytes.figure.hidden) bytes.drawPeers(labels, [
      { name: "sent", values: peers.bytes_sent, series: 0, stack: "sent" },
      { name: "received", values: peers.bytes_received, series: 4, stack: "received" }], { label: "bytes", text: megabytesText });
    links.hidden = peers.links.length === 0;
    links.replaceChildren(element("h4", {}, linksTitle(peers)), element("p", { class: "note" }, "From → to: how long the second waited for the first, and what the first sent to it."), linksTable(peers, point.facts.seconds));
  };
  group.follow(draw);
  return whole;
}
