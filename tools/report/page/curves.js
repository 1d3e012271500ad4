// Time, speed-up, loss or accuracy against one axis, a line per series.

const spansDecades = (numbers) => Math.min(...numbers) > 0 && Math.max(...numbers) / Math.min(...numbers) >= 8;

/// What the chart can be against: {label, values, numbers, axis: its place in group.axes, or null for the
/// color}. The color is one if it is an axis of the sweep; what has one value is none.
function abscissas(group) {
  const axes = group.axes.map((axis, k) => ({ ...axis, axis: k }));
  const color = { ...group.color, axis: null, values: group.indices().map((k) => group.series[k]), numbers: group.color.numbers && group.indices().map((k) => group.color.numbers[k]) };
  return group.kind === "sweep" && color.key !== "variant" && color.values.length > 1 ? [...axes, color] : axes;
}

function curves(group, name) {
  const usable = usableMeasures(group);
  const offered = abscissas(group);
  if (offered.length === 0 || usable.length === 0) return null;
  const keptMeasure = group.keptOption("measure", usable, ({ label }) => label, firstMeasure(group, usable));
  // Of axes that are equally long, what the first claim leaves open rather than one on which it is about one place.
  const open = offered.filter((axis) => (firstClaim(group)?.claim.at?.[axis.key] ?? []).length !== 1);
  const keptAlong = group.keptOption("along", offered, ({ key }) => key, [...open, ...offered].reduce((a, b) => (b.axis !== null && b.values.length > a.values.length ? b : a)));
  const keptLogX = group.kept("along.log", "as it suits");
  const keptLogY = group.kept("measure.log", "on");
  const plot = new Plot(`${name}-curves`, "");
  const along = () => keptAlong.option;
  const numbersOf = ({ values, numbers }) => numbers ?? values.map((_, k) => k);

  const linesAlong = (numbers, measure) => {
    const grounds = groundsOf(group);
    const estimate = (series, at) => (measure.alongAnAxis && along().axis === null ? null : estimateAt(group, series, at, (point) => measure.of(group, point, along().axis), measure.isRatio));
    // `found`: [x, what is known there].
    const line = (name, series, found) => {
      const known = found.filter(([, value]) => value && isMeasured(measure, value.mean)).sort(([a], [b]) => a - b);
      return { name, series, isGround: along().axis !== null && grounds.has(series), points: known.map(([x, { mean }]) => [x, mean]), ...(group.isRepeated ? { band: known.map(([x, { low, high }]) => [x, low, high]) } : {}) };
    };
    if (along().axis !== null)
      return group.shown().map((series) => line(group.series[series], series, group.placesAlong(along().axis).map((at) => [numbers[at[along().axis]], estimate(series, at)])));
    // One line over all colors: each value of the color is one point of it.
    return [line(group.name, 0, group.indices().map((series, k) => [numbers[k], group.hidden.has(series) ? null : estimate(series, group.at)]))];
  };

  const draw = () => {
    const measure = keptMeasure.option;
    const numbers = numbersOf(along());
    const categories = along().numbers === null;
    const values = numbers.map((number, k) => [number, along().values[k]]);
    const title = measure.alongAnAxis ? `Speed-up over ${along().label} ${along().values[0]}` : measure.label;
    plot.heading.textContent = `${title} against ${along().label}`;
    note.textContent = claimNote(group, measure);
    note.hidden = note.textContent === "";
    const suits = spansDecades(numbers);
    const logX = !categories && (keptLogX.text === keptLogX.otherwise ? suits : keptLogX.on) && Math.min(...numbers) > 0;
    const logY = !measure.linear && keptLogY.on;
    logs.hidden = Boolean(measure.linear);
    plot.draw({
      x: { label: along().label, log: logX, categories, text: (value) => numberText(value), values },
      y: { label: measure.axis ?? measure.label, log: logY, text: measure.text, mark: measure.isTime ? secondsMark : measure.text, most: measure.most, hasFloor: measure.isDifference },
      lines: [...linesAlong(numbers, measure), ...boundsOf(group, measure).map((bound) => ({ name: `bound ${measure.text(bound)}`, series: null, points: [[leastOf(numbers), bound], [mostOf(numbers), bound]] }))],
    });
  };

  const note = element("p", { class: "note" });
  const logs = toggle("log scale", keptLogY.on, (on) => { keptLogY.on = on; draw(); });
  plot.controls.append(logs);
  const controls = element("div", { class: "controls" }, choice("Show", keptMeasure.texts, keptMeasure.index, (k) => { keptMeasure.option = usable[k]; draw(); }));
  if (offered.length > 1)
    controls.append(choice("Against", offered.map(({ label }) => label), keptAlong.index, (k) => { keptAlong.option = offered[k]; keptLogX.text = keptLogX.otherwise; group.refresh(); }));
  controls.append(placeChooser(group, () => (along().axis === null ? [] : [along().axis])));
  group.follow(draw);
  return section(`${name}-along`, "Along an axis", "", note, controls, legend(group), plot.figure);
}

const howItFailed = (point) => (point && !cameToItsEnd(point) ? ` (${statusText[point.status] ?? point.status})` : "");

/// Within a line, where only the first word is changed: "loss at the end minus that of CHOCO", "MB per peer".
const inLine = (label) => (/^[A-Z][a-z]/.test(label) ? label[0].toLowerCase() + label.slice(1) : label);

/// What stands where a series has no value: that its runs ended without one, or that nothing is known.
const missingText = (measure, points) => (measure.missing && points.some((point) => cameToItsEnd(point) || point.status === "diverged") ? measure.missing : unknown);

const comparedColumns = (group, measure, compared) => [{ text: group.color.label }, { text: inLine(measure.label), number: true }, { text: "" }, { text: compared ? "speed-up" : "", number: true }];

/// How long the bars beside numbers are: {log, begin: where logarithmic bars begin, style(value)}.
function barsFor(values, log) {
  const known = values.filter((value) => isKnown(value) && value > 0);
  const most = mostOf(known);
  const begin = log && known.length > 0 ? roundBelow(leastOf(known) / 2) : 0;
  const share = (value) => (begin > 0 ? Math.log(value / begin) / Math.log(most / begin) : value / most);
  return { begin, bar: (value, color) => (isKnown(value) && value > 0 ? element("span", { class: "bar", style: `width:${100 * share(value)}%;background:var(--${color})` }) : "") };
}

/// The numbers that a claim holds the measure against, a row each.
const boundRows = (group, measure, { bar }) => boundsOf(group, measure).map((bound) => ["bound of the claim", measure.text(bound), bar(bound, "muted"), ""]);

/// A row per series: what its seeds say together.
function estimateRows(group, measure, compared, barsOf) {
  const cost = { of: (point) => measure.of(group, point) };
  const found = group.shown().map((series) => ({ series, points: group.pointsAt(series), estimate: estimateAt(group, series, group.at, cost.of) }));
  const bars = barsOf(found.map(({ estimate }) => estimate?.mean));
  return [...found.map(({ series, points, estimate }) => {
    const ratio = compared && estimate ? costRatio(group, series, group.baseline, group.at, cost) : null;
    const seeds = estimate && estimate.count < points.length ? ` (${estimate.count} of ${points.length} seeds)` : "";
    return [element("span", {}, sign(series), ` ${group.series[series]}${seeds}`), estimate ? measure.text(estimate.mean) + intervalText([estimate.low, estimate.high], measure.text) : missingText(measure, points),
      bars.bar(estimate?.mean, colorName(series)),
      ratio ? timesText(ratio.mean) + intervalText([ratio.low, ratio.high], timesText) : ""];
  }), ...boundRows(group, measure, bars)];
}

/// The series, one below the other, if there is no axis along which to draw them.
function comparison(group, name) {
  const usable = usableMeasures(group).filter((measure) => !measure.isRatio);
  if (group.points.length < 2 || group.axes.length > 0 || usable.length === 0) return null;
  const keptMeasure = group.keptOption("measure", usable, ({ label }) => label, firstMeasure(group, usable));
  const keptLog = group.kept("bars.log", "as it suits");
  const bars = element("div", { class: "bars" });
  const note = element("p", { class: "note" });
  const logs = toggle("log scale", false, (on) => { keptLog.on = on; draw(); });
  // Times are told by their ratio, which only bars from zero show; losses that differ by decades need the logarithm.
  const barsOf = (values) => {
    const measure = keptMeasure.option;
    const all = [...values, ...boundsOf(group, measure)];
    const known = all.filter((value) => isKnown(value) && value > 0);
    const suits = !measure.isTime && !measure.linear && known.length > 0 && mostOf(known) / leastOf(known) > 30;
    const log = keptLog.text === keptLog.otherwise ? suits : keptLog.on;
    logs.firstChild.checked = log;
    const made = barsFor(all, log);
    note.textContent = [claimNote(group, measure), log && made.begin > 0 ? `The bars are logarithmic and begin at ${measure.text(made.begin)}.` : ""].filter(Boolean).join(" ");
    note.hidden = note.textContent === "";
    return made;
  };
  const draw = () => {
    const measure = keptMeasure.option;
    const compared = group.baseline !== null && measure.isTime;
    if (group.isRepeated) return bars.replaceChildren(table(measure.label, comparedColumns(group, measure, compared), estimateRows(group, measure, compared, barsOf)));
    const points = group.shown().flatMap((series) => group.pointsAt(series));
    const values = points.map((point) => measure.of(group, point));
    const made = barsOf(values);
    const own = group.baseline === null ? null : group.point(group.baseline);
    bars.replaceChildren(table(measure.label, comparedColumns(group, measure, compared),
      [...points.map((point, k) => [element("span", {}, sign(point.series), ` ${group.series[point.series]}${group.pointsAt(point.series).length > 1 ? ` (${group.nameOf(point)})` : ""}${howItFailed(point)}`),
        isKnown(values[k]) ? measure.text(values[k]) : missingText(measure, [point]),
        made.bar(values[k], colorName(point.series)),
        compared && own ? timesText(quotient(measure.of(group, own), values[k])) : ""]), ...boundRows(group, measure, made)]));
  };
  group.follow(draw);
  return section(`${name}-comparison`, "Side by side", "", note, element("div", { class: "controls" },
    choice("Show", keptMeasure.texts, keptMeasure.index, (k) => { keptMeasure.option = usable[k]; keptLog.text = keptLog.otherwise; draw(); }), logs), bars);
}
