// What is learned against what it costs: loss, accuracy and consensus distance, against one axis for all
// three.

const costAxes = [
  { title: "Seconds", label: "seconds", text: secondsText, mark: secondsMark, of: (learned, point) => point.seconds },
  { title: "Iterations", label: "iteration", text: (value) => numberText(value, 6), of: (learned) => learned.iteration },
  { title: "Epochs", label: "epoch", text: (value) => numberText(value, 4), of: (learned) => learned.epoch },
  { title: "MB/peer", label: "MB sent per peer", text: (value) => `${numberText(value, 4)} MB`, of: (learned) => learned.megabytes },
];

const curveKinds = [
  { name: "loss", title: "Loss", key: "loss", text: (value) => numberText(value, 6), scale: 1 },
  { name: "accuracy", title: "Accuracy", key: "accuracy", text: (value) => `${numberText(value, 4)} %`, scale: 100, linear: true, most: 100 },
  { name: "consensus", title: "Consensus distance", key: "consensus_distance", text: (value) => numberText(value, 4), scale: 1 },
];

/// What the curves are drawn above: {text, of(point): the loss at which that is}. With seeds, the data are others with
/// each, and so is the lowest loss: what one seed is above another's says nothing.
function floorsOf(group, kind) {
  const first = firstClaim(group)?.claim;
  const ground = group.raw.series.indexOf(first?.minus);
  const isClaimed = kind.key === first?.figure && ground >= 0;
  if (isClaimed)
    return { isClaimed, text: `above ${first.minus} at its end`, of: (point) => group.besides(ground, point)?.facts[kind.key] };
  const lowest = new Map();
  for (const point of group.pointsHere())
    lowest.set(point.seed, leastOf([lowest.get(point.seed) ?? Infinity, ...(group.learned(point)[kind.key] ?? []).filter(isKnown)]));
  return { isClaimed, text: "above the lowest", of: (point) => lowest.get(point.seed) };
}

/// The moving average that forgets all but `weight` of what it knew at every point. The first points weigh no
/// more than the others.
function smoothed(points, weight) {
  let [sum, weights] = [0, 0];
  return points.map(([x, y]) => {
    if (!isKnown(y)) return [x, null];
    sum = weight * sum + (1 - weight) * y;
    weights = weight * weights + (1 - weight);
    return [x, sum / weights];
  });
}

class CurvePlot {
  constructor(group, name, kind, axis, weight) {
    Object.assign(this, { group, kind, axis, weight });
    this.keptLog = group.kept(`${kind.name}.log`, "as it suits");
    // What a claim takes from the loss is what the eye has to see taken.
    const { isClaimed, text } = floorsOf(group, kind);
    const heights = ["as it is", text];
    this.keptHeight = group.keptOption(`${kind.name}.height`, heights, String, heights[isClaimed ? 1 : 0]);
    this.logBox = toggle("log scale", false, (on) => { this.keptLog.on = on; this.draw(); });
    this.plot = new Plot(`${name}-${kind.name}`, kind.title, ...(kind.name === "loss"
      ? [choice("Show", heights, this.keptHeight.index, (k) => { this.keptHeight.option = heights[k]; this.keptLog.text = this.keptLog.otherwise; this.draw(); })] : []), this.logBox);
  }

  linesOf(points, floor) {
    const { kind, group, axis } = this;
    const weight = this.weight();
    const curveOf = (point) => {
      const learned = group.learned(point);
      const xs = axis().of(learned, point) ?? [];
      const ys = learned[kind.key] ?? [];
      const base = floor ? floor.of(point) : 0;
      return xs.map((x, k) => [x, isKnown(ys[k]) && isKnown(base) ? kind.scale * ys[k] - base : null]);
    };
    if (group.isRepeated) return [...new Set(points.map(({ series }) => series))].flatMap((series) => this.meanLine(series, points.filter((point) => point.series === series), curveOf));
    return points.map((point) => {
      const raw = curveOf(point);
      const alone = group.pointsAt(point.series).length === 1;
      return { name: group.series[point.series] + (alone ? "" : ` (${group.nameOf(point)})`), series: point.series,
        ...(weight > 0 ? { points: smoothed(raw, weight), raw } : { points: raw }) };
    });
  }

  /// One line for all seeds: the mean of those that came to their end, as far as all of them go.
  meanLine(series, points, curveOf) {
    const ended = points.filter(cameToItsEnd);
    if (ended.length === 0) return [];
    const { points: raw, band } = meanCurve(ended.map((point) => ({ iterations: this.group.learned(point).iteration, points: curveOf(point) })), this.group.quantiles);
    const weight = this.weight();
    const name = this.group.series[series] + (ended.length === points.length ? "" : ` (${ended.length} of ${points.length} seeds)`);
    return [{ name, series, band, ...(weight > 0 ? { points: smoothed(raw, weight), raw } : { points: raw }) }];
  }

  draw() {
    const { kind, group, axis, plot } = this;
    const all = group.pointsHere().filter((point) => point.learned !== undefined);
    const values = all.flatMap((point) => (group.learned(point)[kind.key] ?? []).filter(isKnown));
    // A single peer, or peers that always agree, have nothing between them that could be drawn.
    const nothing = values.length === 0 || (kind.name === "consensus" && values.every((value) => value === 0));
    plot.figure.hidden = nothing;
    if (nothing) return;
    const floor = this.keptHeight.index === 1 ? floorsOf(group, kind) : null;
    // Above its own end, the ground falls as far as numbers go, and would press the methods together.
    const grounds = groundsOf(group);
    const lines = this.linesOf(all.filter((point) => !group.hidden.has(point.series)), floor).map((line) => ({ ...line, isGround: grounds.has(line.series) }));
    const known = lines.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y > 0);
    const suits = !kind.linear && known.length > 0 && mostOf(known) / leastOf(known) > 30;
    const log = this.keptLog.text === this.keptLog.otherwise ? suits : this.keptLog.on;
    this.logBox.firstChild.checked = log;
    if (kind.name === "loss") this.addTarget(lines, all, floor);
    plot.heading.textContent = `${kind.title} against ${axis().label}`;
    const marks = marksOn(group, all.filter((point) => !group.hidden.has(point.series)), axis());
    plot.draw({ marks, x: { label: axis().label, tight: true, text: axis().text, mark: axis().mark, log: group.keptLogCost.on }, lines,
      y: { label: kind.title.toLowerCase() + (floor ? ` ${floor.text}` : ""), text: kind.text, log, most: kind.most, cutsGround: floor?.isClaimed } });
  }

  /// Above floors that differ, as far above their mean as the curves are.
  addTarget(lines, points, floor) {
    const targets = new Set(points.map((point) => point.facts.target_loss).filter(isKnown));
    const xs = lines.flatMap((line) => line.points.map(([x]) => x)).filter((x) => isKnown(x) && (!this.group.keptLogCost.on || x > 0));
    if (xs.length === 0) return;
    const floors = floor ? points.map(floor.of).filter(isKnown) : [0];
    if (floors.length === 0) return;
    const base = meanOf(floors);
    for (const target of targets)
      lines.push({ name: targets.size > 1 ? `target loss ${numberText(target, 6)}` : "target loss", series: null, points: [[leastOf(xs), target - base], [mostOf(xs), target - base]] });
  }
}

/// Of which data the numbers are.
function ofWhichData(group) {
  const said = element("p", { class: "note" });
  group.follow(() => {
    const facts = group.pointsHere().map((point) => point.facts);
    const all = (name, of) => {
      const texts = [...new Set(facts.map(of).filter(Boolean))];
      return texts.length ? `${name}: of ${listText(texts)}. ` : "";
    };
    said.textContent = all("Loss", lossOf) + all("Accuracy", accuracyOf);
    said.hidden = said.textContent === "";
  });
  return said;
}

function training(group, name) {
  group.keptLogCost = group.kept("against.log", "off");
  const usual = group.sweepsNetwork() ? "Seconds" : "Iterations";
  const keptCost = group.kept("against", usual);
  const keptWeight = group.kept("smooth", "0");
  const usable = () => costAxes.filter(({ of }) => group.points.some((point) => (of(group.learned(point), point) ?? []).some((value) => value > 0)));
  const cost = () => [...offered, ...costAxes].find(({ title }) => title === keptCost.text) ?? costAxes[0];
  let offered = [];
  const choices = element("span");
  // Before a run has done an iteration, it has cost nothing on any axis.
  const offer = () => {
    const now = usable().length ? usable() : [cost()];
    if (now.length === offered.length && now.every((one, k) => one === offered[k])) return;
    offered = now;
    choices.replaceChildren(segments("Against", offered.map(({ title }) => title), Math.max(0, offered.indexOf(cost())), (k) => { keptCost.text = offered[k].title; draw(); }));
  };
  const weight = () => Math.min(0.99, Math.max(0, Number(keptWeight.text) || 0));
  const figures = curveKinds.map((kind) => new CurvePlot(group, name, kind, cost, weight));
  const plotted = element("div", { class: "plots" }, ...figures.map(({ plot }) => plot.figure));
  const draw = () => {
    offer();
    for (const figure of figures) figure.draw();
    plotted.classList.toggle("odd", figures.filter(({ plot }) => !plot.figure.hidden).length % 2 === 1);
  };
  const controls = element("div", { class: "controls" },
    choices, toggle("log scale", group.keptLogCost.on, (on) => { group.keptLogCost.on = on; draw(); }),
    slider("Smoothing", { min: 0, max: 0.99, step: 0.01, value: weight() }, (value) => { keptWeight.text = String(value); draw(); }), placeChooser(group));
  group.follow(draw);
  return section(`${name}-training`, "Training", "", ofWhichData(group), controls, legend(group), plotted);
}
