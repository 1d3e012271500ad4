// Which variant gets there first on which network, or learns most there: a table whose cells are colored, each with
// the winner's name, its time (or loss, or accuracy) and how much better that is than the baseline's.

const costs = [
  { title: "time to the target loss", of: (point) => point.facts.seconds_to_target, wants: (group) => group.hasTarget },
  { title: "time per epoch", of: (point) => quotient(point.facts.seconds, point.facts.epochs), wants: (group) => group.points.some((point) => point.facts.epochs > 0) },
  { title: "time per iteration", of: (point) => quotient(point.facts.seconds, point.facts.iterations), wants: () => true },
];

/// What a winner is least in. Times are compared by their ratio, whose excess over 1 is the gain, other numbers by
/// their difference. `shown(cost)` is what the cell says, `gained(gain)` how much better than the baseline that is,
/// `wins(group)` what the first is or has, by the verbs for one and for several.
const judges = [
  ...costs.map((cost) => ({ ...cost, isTime: true, shown: secondsText, gained: (times) => `${timesText(times)} faster`,
    best: (times, baseline) => `up to ${timesText(times)} as fast as ${baseline}`, noGain: 1,
    heading: (group) => (group.hasTarget ? "Which is first" : "Which is fastest"), wins: (group) => (group.hasTarget ? "first" : "fastest"), verbs: ["is", "are"] })),
  { title: "loss at the end", of: (point) => point.facts.loss, wants: (group) => group.points.some(({ facts }) => isKnown(facts.loss)), shown: (loss) => numberText(loss, 4),
    gained: (less) => `${numberText(less, 3)} lower`, best: (less, baseline) => `by up to ${numberText(less, 3)} lower than ${baseline}`, noGain: 0,
    heading: () => "Which has the least loss", wins: () => "the least loss", verbs: ["has", "have"] },
  { title: "accuracy at the end", of: (point) => (isKnown(point.facts.accuracy) ? -100 * point.facts.accuracy : null), wants: (group) => group.points.some(({ facts }) => isKnown(facts.accuracy)),
    shown: (cost) => `${numberText(-cost, 4)} %`, gained: (more) => `${numberText(more, 3)} points higher`, best: (more, baseline) => `by up to ${numberText(more, 3)} points higher than ${baseline}`, noGain: 0,
    heading: () => "Which is most accurate", wins: () => "most accurate", verbs: ["is", "are"] },
];

/// How much better `one` is than `other` at a place: {mean, low, high} of the gains, seed by seed.
const gainOver = (group, one, other, at, judge) => (judge.isTime ? costRatio : costDifference)(group, one, other, at, judge);

/// A run that diverges is not first, however fast.
const cameToItsEnd = ({ status }) => status === "done" || status === "target" || status === "plateau";

/// An interrupted run says nothing of its variant: nobody knows what it would have come to.
const triedAt = (group, series, at) => group.pointsAt(series, at).filter(({ status }) => status !== "interrupted");

/// What two series cost at a place, [[..], [..]], of the seeds that both have tried: as long as a sweep goes on, or
/// after `--only`, one has fewer than the other. A run that did not come there has no cost.
function costsBeside(group, one, other, at, cost) {
  const runs = [one, other].map((series) => triedAt(group, series, at));
  const seeds = runs.map((points) => new Set(points.map(({ seed }) => seed)));
  return runs.map((points, k) => points.filter((point) => seeds[1 - k].has(point.seed) && cameToItsEnd(point)).map(cost.of).filter(isKnown));
}

const meanOf = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;

/// The one that came there with more seeds is ahead of the one that took less time.
function isAhead(group, one, other, at, cost) {
  const [mine, others] = costsBeside(group, one, other, at, cost);
  return mine.length !== others.length ? mine.length > others.length : meanOf(mine) < meanOf(others);
}

/// The same by more than chance: the 95 % interval of its gains, seed by seed, is above none. Without repeats, chance
/// is not known, and less is less.
function isProvenAhead(group, one, other, at, cost) {
  const [mine, others] = costsBeside(group, one, other, at, cost);
  if (mine.length !== others.length) return mine.length > others.length;
  return group.isRepeated ? gainOver(group, one, other, at, cost)?.low > cost.noGain : meanOf(mine) < meanOf(others);
}

/// {series, cost, gain (over the baseline), ties: the series that it does not beat} or nothing. With repeats,
/// variants are compared seed by seed, and those that the first is not proven to be ahead of tie with it. Without
/// repeats only equal ones do, so all of them are first, by the same gain.
function winnerAt(group, at, judge) {
  const estimates = new Map(group.indices()
    .map((series) => [series, estimateAt(group, series, at, (point) => judge.of(point))])
    .filter(([, estimate]) => estimate));
  if (estimates.size === 0) return null;
  const there = [...estimates.keys()];
  const first = there.reduce((best, series) => (isAhead(group, series, best, at, judge) ? series : best));
  const ties = there.filter((other) => other !== first && !isProvenAhead(group, first, other, at, judge));
  const gain = (ties.length > 0 && group.isRepeated) || group.baseline === null ? null : gainOver(group, first, group.baseline, at, judge)?.mean ?? null;
  return { series: first, cost: estimates.get(first).mean, gain, ties };
}

function cellButton(group, at, said, ...content) {
  return element("button", { type: "button", tabindex: "-1", "aria-pressed": String(group.keyOf(0, at) === group.keyOf(0, group.at)), onclick: () => group.goTo(at),
    title: said, "aria-label": said }, ...content);
}

/// How much color a gain gets, of the greatest: 0 to 1. Times as many are equal steps.
function strengthOf(judge, gain, greatest) {
  if (!(greatest > judge.noGain && gain > judge.noGain)) return 0;
  return judge.isTime ? Math.log(gain) / Math.log(greatest) : gain / greatest;
}

/// The first, and those that are equal to it, in the order of the series.
const firstOnes = ({ series, ties }) => [series, ...ties].sort((a, b) => a - b);

const namesOf = (group, firsts) => listText(firsts.map((series) => group.series[series])) + (firsts.length > 1 ? ": equal" : "");

function winnerCell(group, at, winner, greatest, judge) {
  if (!winner) return element("td", { class: "cell none" }, group.indices().some((series) => group.point(series, at)) ? "nobody" : "not tried");
  if (winner.ties.length > 0 && group.isRepeated) {
    const tied = [winner.series, ...winner.ties];
    const said = `${group.placeText(at)}, tie of ${listText(tied.map((series) => group.series[series]))}, ${judge.shown(winner.cost)}`;
    return element("td", { class: "cell tie" }, cellButton(group, at, said,
      element("span", { class: "winner" }, "tie"), element("span", { class: "seconds" }, judge.shown(winner.cost)), element("span", { class: "times" }, ...tied.flatMap((series) => [sign(series), " "]))));
  }
  const strength = strengthOf(judge, winner.gain, greatest);
  const firsts = firstOnes(winner);
  const speed = firsts.includes(group.baseline) ? (firsts.length > 1 ? "the baseline among them" : "the baseline") : isKnown(winner.gain) ? judge.gained(winner.gain) : "";
  const said = [group.placeText(at), namesOf(group, firsts), judge.shown(winner.cost), speed].filter(Boolean).join(", ");
  return element("td", { class: "cell", style: `--color:var(--${colorName(firsts[0])});--strength:${Math.round(10 + 40 * strength)}%` },
    cellButton(group, at, said,
      element("span", { class: "winner" }, ...firsts.map(sign), element("span", { class: "name" }, ` ${namesOf(group, firsts)}`)),
      element("span", { class: "seconds" }, judge.shown(winner.cost)), element("span", { class: "times" }, speed)));
}

/// One Tab stop for all cells: the arrow keys go from one to the next, Home and End along the row.
function moveAmongCells(event) {
  const cell = event.target.closest("td.cell");
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] };
  if (!cell || !steps[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const rows = [...cell.closest("tbody").rows];
  const [down, right] = steps[event.key];
  let [row, column] = [rows.indexOf(cell.parentElement), cell.cellIndex];
  const isInside = () => row >= 0 && row < rows.length && column >= 1 && column < rows[row].cells.length;
  if (!Number.isFinite(right)) {
    const buttons = [...cell.parentElement.querySelectorAll("button")];
    return stopAt(right < 0 ? buttons[0] : buttons.at(-1));
  }
  // Cells that nobody won are passed over.
  for (row += down, column += right; isInside(); row += down, column += right) {
    const button = rows[row].cells[column].querySelector("button");
    if (button) return stopAt(button);
  }
}

function stopAt(button) {
  for (const other of button.closest("table").querySelectorAll("button")) other.tabIndex = other === button ? 0 : -1;
  button.focus();
}

/// A line for each series that is first somewhere, and for those that are equal and first together.
function winnersSummary(group, cells, what, judge) {
  const isTie = ({ winner }) => group.isRepeated && winner.ties.length > 0;
  const decided = cells.filter(({ winner }) => winner);
  const ties = decided.filter(isTie).length;
  const byFirsts = new Map();
  for (const { winner } of decided.filter((cell) => !isTie(cell))) {
    const firsts = firstOnes(winner);
    const known = byFirsts.get(String(firsts)) ?? { firsts, times: 0, best: judge.noGain };
    byFirsts.set(String(firsts), { firsts, times: known.times + 1, best: Math.max(known.best, winner.gain ?? judge.noGain) });
  }
  const lines = [...byFirsts.values()].sort((a, b) => b.times - a.times || a.firsts[0] - b.firsts[0]);
  const baseline = group.baseline === null ? "" : group.series[group.baseline];
  const tied = ties > 0 ? [element("li", {}, element("strong", {}, "A tie"), ` on ${ties} of ${counted(cells.length, what)}: the first is not ahead by more than the 95 % interval`)] : [];
  return element("ul", { class: "summary" }, ...lines.map(({ firsts, times, best }) => element("li", {}, ...firsts.flatMap((series) => [sign(series), " "]),
    element("strong", {}, namesOf(group, firsts)), `${firsts.length > 1 ? `, and ${judge.verbs[1]}` : ` ${judge.verbs[0]}`} ${judge.wins(group)} on ${times} of ${counted(cells.length, what)}` +
    (best > judge.noGain && !firsts.includes(group.baseline) && baseline ? `, ${judge.best(best, baseline)}` : ""))), ...tied);
}

/// False of a sweep whose claims are not about time: the variant that is fastest there, to another loss than the
/// others, would be read as a result of the paper.
const isAboutTime = ({ claims }) => claims.length === 0 || claims.some(({ figure }) => typeof figure === "string" && figure.startsWith("seconds"));

function winners(group, name) {
  if (group.axes.length === 0 || group.indices().length < 2 || !isAboutTime(group)) return null;
  const usable = judges.filter((judge) => judge.wants(group));
  const keptJudge = group.keptOption("winners.by", usable, ({ title }) => title);
  // Bandwidth by latency, where a sweep has both.
  const called = (name) => group.axes.findIndex(({ key }) => key === `network.${name}`);
  const [keptAcross, keptDown] = ["across", "down"].map((way) => group.kept(`winners.${way}`, ""));
  const keptAxis = ({ text }) => group.axes.findIndex(({ key }) => key === text);
  let across = keptAxis(keptAcross) >= 0 ? keptAxis(keptAcross) : Math.max(0, called("bandwidth"));
  const other = group.axes.findIndex((_, axis) => axis !== across);
  let down = [keptAxis(keptDown), called("latency"), other].find((axis) => axis >= 0 && axis !== across) ?? null;
  const summary = element("div");
  const map = element("div", { class: "scrolls", role: "region", "aria-label": "Which is first", onkeydown: moveAmongCells });

  const draw = () => {
    const judge = keptJudge.option;
    explain(judge);
    const columns = group.axes[across].values;
    const rows = down === null ? [""] : group.axes[down].values;
    const cells = rows.flatMap((_, row) => columns.map((_, column) => {
      const at = group.at.map((old, k) => (k === across ? column : k === down ? row : old));
      return { row, at, winner: winnerAt(group, at, judge) };
    }));
    const what = [across, down ?? across].every((axis) => group.axes[axis].key.startsWith("network.")) ? "network" : "cell";
    const greatest = Math.max(judge.noGain, ...cells.map(({ winner }) => winner?.gain ?? judge.noGain));
    summary.replaceChildren(winnersSummary(group, cells, what, judge));
    const focused = [...map.querySelectorAll("button")].indexOf(document.activeElement);
    map.replaceChildren(element("table", { class: `heat${columns.length > 7 ? " many" : ""}`, style: `--columns:${columns.length}` },
      element("caption", { class: "unseen" }, `Which is first: ${group.labels[across]} across${down === null ? "" : `, ${group.labels[down]} down`}`),
      element("thead", {}, element("tr", {}, element("td", { class: "corner" }, `${down === null ? "" : `${group.labels[down]} ↓ `}${group.labels[across]} →`),
        ...columns.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...rows.map((text, row) => element("tr", {}, element("th", { scope: "row" }, text),
        ...cells.filter((cell) => cell.row === row).map(({ at, winner }) => winnerCell(group, at, winner, greatest, judge)))))));
    const buttons = [...map.querySelectorAll("button")];
    const stop = buttons[focused] ?? buttons.find((button) => button.getAttribute("aria-pressed") === "true") ?? buttons[0];
    if (stop) stop.tabIndex = 0;
    if (focused >= 0) stop?.focus();
  };

  const controls = element("div", { class: "controls" });
  if (usable.length > 1) controls.append(choice("By", keptJudge.texts, keptJudge.index, (k) => { keptJudge.option = usable[k]; draw(); }));
  if (group.axes.length > 2) {
    // The two stay different: who takes the other's axis gives its own.
    const chooser = element("span", { class: "controls" });
    const changed = () => {
      keptAcross.text = group.axes[across].key;
      keptDown.text = group.axes[down].key;
      choose();
      group.refresh();
    };
    const choose = () => chooser.replaceChildren(
      choice("across", group.labels, across, (k) => { if (k === down) down = across; across = k; changed(); }),
      choice("down", group.labels, down, (k) => { if (k === across) across = down; down = k; changed(); }));
    choose();
    controls.append(chooser, placeChooser(group, () => [across, down]));
  }
  const note = element("p", { class: "note" });
  const whole = section(`${name}-winners`, "", "", note, controls, summary, map);
  const explain = (judge) => {
    const title = judge.heading(group);
    whole.setAttribute("aria-label", title);
    whole.querySelector("h3").textContent = map.ariaLabel = title;
    const best = judge.isTime ? `the ${group.color.label} with the least ${judge.title}, that time` : `the ${group.color.label} with the best ${judge.title}, that number`;
    const gain = group.baseline === null ? "." : `, and how ${judge.isTime ? "many times faster it is" : "much better it is"} than ${group.series[group.baseline]}. The stronger the color, the greater the gain.`;
    const reserve = !judge.isTime && group.hasTarget ? " A run ends when it is at the target loss, so the one that learned most has gone furthest beyond it."
      : judge.isTime && !group.hasTarget ? " This sweep has no target loss: the fastest need not learn most." : "";
    note.textContent = `In every cell: ${best}${gain}${reserve}${group.isRepeated ? ` The numbers are means over ${group.raw.repeats} seeds, compared seed by seed.` : ""} Press a cell to look at that place below; arrow keys go from cell to cell.`;
  };
  group.follow(draw);
  return whole;
}
