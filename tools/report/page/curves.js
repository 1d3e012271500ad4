// Time, speed-up or loss against one axis of a sweep, a line per variant.

/// How much sooner a point is there than `other`: at the target where there is one, else through an epoch.
function speedUp(group, point, other) {
  const cost = costs.find(({ wants }) => wants(group));
  return other ? cost.of(other) / cost.of(point) : null;
}

const measures = [
  { label: "Time to the target", isTime: true, text: secondsText, wants: (group) => group.hasTarget, of: (group, point) => point.facts.seconds_to_target },
  { label: "Time per epoch", isTime: true, text: secondsText, wants: (group) => group.points.some((point) => point.facts.epochs > 0), of: (group, point) => point.facts.seconds / point.facts.epochs },
  { label: "Time per iteration", isTime: true, text: secondsText, wants: () => true, of: (group, point) => point.facts.seconds / point.facts.iterations },
  { label: "Speed-up over the baseline", text: timesText, wants: (group) => group.baseline !== null,
    of: (group, point) => speedUp(group, point, group.point(group.baseline, point.at)) },
  { label: "Speed-up over the first value", alongAnAxis: true, text: timesText, wants: () => true,
    of: (group, point, axis) => speedUp(group, point, group.point(point.series, point.at.map((value, k) => (k === axis ? 0 : value)))) },
  { label: "MB per peer to the target", text: (value) => `${numberText(value, 3)} MB`, wants: (group) => group.hasTarget, of: (group, point) => point.facts.bytes_to_target / 1e6 },
  { label: "Loss at the end", text: (value) => numberText(value, 6), wants: () => true, of: (group, point) => point.facts.loss },
];

const spansDecades = (numbers) => Math.min(...numbers) > 0 && Math.max(...numbers) / Math.min(...numbers) >= 8;

function curves(group, name) {
  const axes = group.axes.map((_, axis) => axis).filter((axis) => group.axes[axis].values.length > 1);
  if (axes.length === 0) return null;
  const usable = measures.filter((measure) => measure.wants(group));
  let measure = usable[0];
  const size = (of) => group.axes[of].values.length;
  let axis = axes.reduce((a, b) => (size(b) > size(a) ? b : a));
  let logX = null;  // null: as it suits the axis
  let logY = true;

  const plot = new Plot(`${name}-curves`, measure.label);
  const axisNumbers = () => group.axes[axis].numbers ?? group.axes[axis].values.map((_, k) => k);
  const draw = () => {
    const numbers = axisNumbers();
    const values = numbers.map((number, k) => [number, group.axes[axis].values[k]]);
    const title = measure.alongAnAxis ? `Speed-up over ${group.labels[axis]} ${group.axes[axis].values[0]}` : measure.label;
    plot.heading.textContent = `${title} against ${group.labels[axis]}`;
    plot.draw({
      x: { label: group.labels[axis], log: (logX ?? spansDecades(numbers)) && Math.min(...numbers) > 0, text: (value) => numberText(value), values },
      y: { label: measure.label, log: logY, text: measure.text, mark: measure.isTime ? secondsMark : measure.text },
      lines: group.shown().map((series) => ({ name: group.series[series], series,
        points: group.placesAlong(axis).map((at) => [numbers[at[axis]], group.point(series, at) ? measure.of(group, group.point(series, at), axis) : null])
          .filter(([, value]) => isKnown(value)).sort(([a], [b]) => a - b) })),
    });
  };
  const places = element("div", { class: "controls" });
  const axisControl = axes.length > 1 ? choice("Against", axes.map((k) => group.labels[k]), axes.indexOf(axis), (k) => { axis = axes[k]; logX = null; group.refresh(); }) : "";
  const logs = element("span", { class: "controls" }, toggle("log scale", logY, (on) => { logY = on; draw(); }));
  places.append(choice("Show", usable.map(({ label }) => label), 0, (k) => { measure = usable[k]; draw(); }), axisControl, placeChooser(group, () => [axis]));
  plot.controls.append(logs);
  group.follow(draw);
  return section(`${name}-along`, "Along an axis", "", places, legend(group), plot.figure);
}

const howItFailed = (point) => (point && !cameToItsEnd(point) ? ` (${statusText[point.status] ?? point.status})` : "");

/// Where there is no axis: the variants, or runs, one below the other.
function comparison(group, name) {
  if (group.series.length < 2 || group.axes.length > 0) return null;
  const usable = measures.filter((measure) => measure.wants(group) && !measure.alongAnAxis && !measure.label.startsWith("Speed-up"));
  let measure = usable[0];
  const bars = element("div", { class: "bars" });
  const draw = () => {
    const compared = group.baseline !== null && measure.isTime;
    const values = group.indices().map((series) => group.point(series)).map((point) => (point ? measure.of(group, point) : null));
    const most = Math.max(...values.filter(isKnown));
    bars.replaceChildren(table(measure.label, [{ text: group.kind === "sweep" ? "variant" : "run" }, { text: measure.label.toLowerCase(), number: true }, { text: "" }, { text: compared ? "speed-up" : "", number: true }],
      values.map((value, series) => [element("span", {}, sign(series), ` ${group.series[series]}${howItFailed(group.point(series))}`), isKnown(value) ? measure.text(value) : unknown,
        isKnown(value) && value > 0 ? element("span", { class: "bar", style: `width:${(100 * value) / most}%;background:var(--${colorName(series)})` }) : "",
        compared ? timesText(values[group.baseline] / value) : ""])));
  };
  group.follow(draw);
  return section(`${name}-comparison`, "Side by side", "", element("div", { class: "controls" }, choice("Show", usable.map(({ label }) => label), 0, (k) => { measure = usable[k]; draw(); })), bars);
}
