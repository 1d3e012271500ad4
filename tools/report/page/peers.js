// What each peer did with its time and its wire, and for whom it waited.

const linksInList = 16;
const barsWithBorder = 24;

class BarPlot extends Plot {
  drawBars(labels, sets, y) {
    this.bars = [labels, sets, y];
    this.canvas.setAttribute("aria-label", `${this.heading.textContent}: ${sets.map(({ name }) => name).join(", ")} of ${labels.length} peers`);
    const options = this.options({ label: "peer", text: String }, { label: y.label, text: y.text, mark: y.mark });
    options.scales.x = { ...options.scales.x, type: "category", stacked: true, ticks: { color: ink("muted") } };
    options.scales.y = { ...options.scales.y, stacked: true, beginAtZero: true };
    options.interaction = { mode: "index", intersect: false };
    options.plugins.legend = { display: true, position: "bottom", onClick: () => {}, labels: { color: ink("text"), usePointStyle: true } };
    options.plugins.tooltip.callbacks = { title: ([item]) => `peer ${item.label}`, label: (item) => `${item.dataset.label}: ${y.text(item.parsed.y)}` };
    // Of many peers each bar is a few pixels wide: it gets all of them.
    const width = labels.length > barsWithBorder ? { borderWidth: 0, barPercentage: 1, categoryPercentage: 1 } : { borderWidth: 1 };
    this.show({ type: "bar", data: { labels, datasets: sets.map(({ name, values, series, stack }) => ({ label: name, data: values, stack,
      backgroundColor: ink(colorName(series)), borderColor: ink("surface"), ...width, pointStyle: "rect", maxBarThickness: 28 })) }, options });
    this.numbers.outdate();
  }

  redraw() { if (this.bars) this.drawBars(...this.bars); }

  numbersTable() {
    const [labels, sets, y] = this.bars;
    return table(`${this.heading.textContent}, in numbers`, [{ text: "peer" }, ...sets.map(({ name }) => ({ text: name, number: true }))],
      labels.map((label, k) => [label, ...sets.map(({ values }) => y.text(values[k]))]));
  }
}

/// The links for which was waited longest, and what went over them.
function linksTable(peers, seconds) {
  const links = peers.links.slice(0, linksInList);
  const most = Math.max(...links.map(([, , waited]) => waited));
  return table("Links", [{ text: "link" }, { text: "waited", number: true }, { text: "of the time", number: true }, { text: "" }, { text: "sent", number: true }],
    links.map(([from, to, waited, bytes]) => [`${from} → ${to}`, secondsText(waited), shareText(waited / seconds),
      waited > 0 ? element("span", { class: "bar", style: `width:${(100 * waited) / most}%` }) : "", megabytesText(bytes)]));
}

function linksTitle({ links }) {
  if (links.length <= linksInList) return "Links";
  return links[0][2] > 0 ? `The ${linksInList} links most waited for` : `The ${linksInList} links that carried most; nobody waited`;
}

function peersSection(group, name) {
  let series = 0;
  const time = new BarPlot(`${name}-peer-time`, "Time of each peer");
  const bytes = new BarPlot(`${name}-peer-bytes`, "Traffic of each peer");
  const links = element("div", { class: "links" });
  const which = element("div", { class: "controls" });
  if (group.series.length > 1) which.append(choice(group.kind === "sweep" ? "Variant" : "Run", group.series, 0, (k) => { series = k; draw(); }));
  which.append(placeChooser(group));
  const note = element("p", { class: "note" });
  const plotted = element("div", { class: "plots" }, time.figure, bytes.figure);
  const whole = section(`${name}-peers`, "Peers and links", "", which, note, plotted, links);

  const draw = () => {
    const point = group.point(series);
    const peers = point?.peers;
    whole.hidden = !group.points.some((other) => other.peers);
    plotted.hidden = links.hidden = !peers;
    note.textContent = !peers ? "Nothing is known of its peers." : peers.of > peers.peer.length
      ? `The ${peers.peer.length} of ${numberText(peers.of, 9)} peers that waited longest.` : "";
    note.hidden = note.textContent === "";
    if (!peers) return;
    const labels = peers.peer.map(String);
    time.drawBars(labels, [
      { name: "computing", values: peers.compute_seconds, series: 2, stack: "time" },
      { name: "waiting", values: peers.wait_seconds, series: 1, stack: "time" },
      { name: "own port sending (meanwhile)", values: peers.wire_seconds, series: 6, stack: "wire" }], { label: "time", text: secondsText, mark: secondsMark });
    bytes.drawBars(labels, [
      { name: "sent", values: peers.bytes_sent, series: 0, stack: "sent" },
      { name: "received", values: peers.bytes_received, series: 4, stack: "received" }], { label: "bytes", text: megabytesText });
    links.replaceChildren(element("h4", {}, linksTitle(peers)), element("p", { class: "note" }, "From → to: how long the second waited for the first, and what the first sent to it."), linksTable(peers, point.facts.seconds));
  };
  group.follow(draw);
  return whole;
}
