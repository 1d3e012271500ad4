// What is learned against what it costs: loss, accuracy and consensus distance, against one axis for all
// three.

const costAxes = [
  { title: "Iterations", label: "iteration", text: (value) => numberText(value, 6), of: (learned) => learned.iteration },
  { title: "Epochs", label: "epoch", text: (value) => numberText(value, 4), of: (learned) => learned.epoch },
  { title: "Seconds", label: "seconds", text: secondsText, mark: secondsMark, of: (learned, point) => point.seconds },
  { title: "MB/peer", label: "MB sent per peer", text: (value) => `${numberText(value, 4)} MB`, of: (learned) => learned.megabytes },
];

const curveKinds = [
  { name: "loss", title: "Loss", key: "loss", text: (value) => numberText(value, 6), scale: 1 },
  { name: "accuracy", title: "Accuracy", key: "accuracy", text: (value) => `${numberText(value, 4)} %`, scale: 100, linear: true },
  { name: "consensus", title: "Consensus distance", key: "consensus_distance", text: (value) => numberText(value, 4), scale: 1 },
];

class CurvePlot {
  constructor(group, name, kind, axis) {
    Object.assign(this, { group, kind, axis, log: null, aboveLowest: false });
    this.plot = new Plot(`${name}-${kind.name}`, kind.title, ...(kind.name === "loss"
      ? [choice("Show", ["as it is", "above the lowest"], 0, (k) => { this.aboveLowest = k === 1; this.log = null; this.draw(); })] : []));
    this.logBox = toggle("log scale", false, (on) => { this.log = on; this.draw(); });
    this.plot.controls.append(this.logBox);
  }

  linesOf(points, base) {
    const { kind, group, axis } = this;
    return points.map((point) => {
      const learned = group.learned(point);
      const xs = axis().of(learned, point) ?? [];
      const ys = learned[kind.key] ?? [];
      return { name: group.series[point.series], series: point.series, points: xs.map((x, k) => [x, isKnown(ys[k]) ? kind.scale * ys[k] - base : null]) };
    });
  }

  draw() {
    const { kind, group, axis, plot } = this;
    const all = group.indices().map((series) => group.point(series)).filter((point) => point && point.learned !== undefined);
    const values = all.flatMap((point) => (group.learned(point)[kind.key] ?? []).filter(isKnown));
    plot.figure.hidden = values.length === 0;
    if (values.length === 0) return;
    const base = this.aboveLowest ? values.reduce((a, b) => Math.min(a, b)) : 0;
    const lines = this.linesOf(all.filter((point) => !group.hidden.has(point.series)), base);
    const heights = lines.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y > 0);
    const log = this.log ?? (!kind.linear && heights.length > 0 && heights.reduce((a, b) => Math.max(a, b)) / heights.reduce((a, b) => Math.min(a, b)) > 30);
    this.logBox.firstChild.checked = log;
    if (kind.name === "loss") this.addTarget(lines, all, base);
    plot.draw({ x: { label: axis().label, tight: true, text: axis().text, mark: axis().mark, log: group.logCost }, lines,
      y: { label: kind.title.toLowerCase() + (this.aboveLowest ? " above the lowest" : ""), text: kind.text, log } });
  }

  addTarget(lines, points, base) {
    const target = points.map((point) => point.facts.target_loss).find(isKnown);
    const xs = lines.flatMap((line) => line.points.map(([x]) => x)).filter(isKnown);
    if (target === undefined || xs.length === 0) return;
    const [least, most] = [xs.filter((x) => !this.group.logCost || x > 0).reduce((a, b) => Math.min(a, b), Infinity), xs.reduce((a, b) => Math.max(a, b))];
    lines.push({ name: "target loss", series: null, points: [[least, target - base], [most, target - base]] });
  }
}

function training(group, name) {
  group.logCost = false;
  const usable = () => costAxes.filter(({ of }) => group.points.some((point) => (of(group.learned(point), point) ?? []).some((value) => value > 0)));
  let axis = costAxes[0];
  let offered = [];
  const choices = element("span");
  // Before a run has done an iteration, it has cost nothing on any axis.
  const offer = () => {
    const now = usable().length ? usable() : [axis];
    if (now.length === offered.length && now.every((one, k) => one === offered[k])) return;
    offered = now;
    choices.replaceChildren(segments("Against", offered.map(({ title }) => title), Math.max(0, offered.indexOf(axis)), (k) => { axis = offered[k]; draw(); }));
  };
  const figures = curveKinds.map((kind) => new CurvePlot(group, name, kind, () => axis));
  const plotted = element("div", { class: "plots" }, ...figures.map(({ plot }) => plot.figure));
  const draw = () => {
    offer();
    for (const figure of figures) figure.draw();
    plotted.classList.toggle("odd", figures.filter(({ plot }) => !plot.figure.hidden).length % 2 === 1);
  };
  const controls = element("div", { class: "controls" },
    choices, toggle("log scale", false, (on) => { group.logCost = on; draw(); }), placeChooser(group));
  group.follow(draw);
  return section(`${name}-training`, "Training", "", controls, legend(group), plotted);
}
