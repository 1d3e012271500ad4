// Which variant gets there first on which network: a table whose cells are colored, each with the winner's
// name, its time and how much sooner that is than the baseline.

const costs = [
  { title: "to the target loss", of: (point) => point.facts.seconds_to_target, wants: (group) => group.hasTarget },
  { title: "per epoch", of: (point) => point.facts.seconds / point.facts.epochs, wants: (group) => group.points.some((point) => point.facts.epochs > 0) },
  { title: "per iteration", of: (point) => point.facts.seconds / point.facts.iterations, wants: () => true },
];

/// Who diverges is not first, however fast.
const cameToItsEnd = ({ status }) => status === "done" || status === "target";

/// {series, seconds, times (against the baseline's)} or nothing.
function winnerAt(group, at, cost) {
  let winner = null;
  for (const series of group.indices()) {
    const point = group.point(series, at);
    const seconds = point && cameToItsEnd(point) && cost.of(point);
    if (isKnown(seconds) && (!winner || seconds < winner.seconds)) winner = { series, seconds };
  }
  if (!winner) return null;
  const baseline = group.baseline === null ? null : group.point(group.baseline, at);
  return { ...winner, times: baseline ? cost.of(baseline) / winner.seconds : null };
}

function winnerCell(group, at, winner, greatest) {
  if (!winner) return element("td", { class: "cell none" }, group.indices().some((series) => group.point(series, at)) ? "nobody" : "not tried");
  const strength = greatest > 1 && winner.times > 1 ? Math.log(winner.times) / Math.log(greatest) : 0;
  const speed = winner.series === group.baseline ? "the baseline" : isKnown(winner.times) ? `${timesText(winner.times)} faster` : "";
  return element("td", { class: "cell", style: `--color:var(--${colorName(winner.series)});--strength:${Math.round(10 + 40 * strength)}%` },
    element("button", { type: "button", "aria-pressed": String(group.keyOf(0, at) === group.keyOf(0, group.at)), onclick: () => group.goTo(at),
      title: `Look at ${group.placeText(at)}` },
      element("span", { class: "winner" }, sign(winner.series), ` ${group.series[winner.series]}`),
      element("span", { class: "seconds" }, secondsText(winner.seconds)), element("span", { class: "times" }, speed)));
}

function winnersSummary(group, cells, what) {
  const won = cells.filter(({ winner }) => winner);
  const lines = group.indices().map((series) => {
    const of = won.filter(({ winner }) => winner.series === series);
    const best = Math.max(...of.map(({ winner }) => winner.times ?? 0));
    return { series, times: of.length, best };
  }).filter(({ times }) => times > 0).sort((a, b) => b.times - a.times);
  const baseline = group.baseline === null ? "" : group.series[group.baseline];
  return element("ul", { class: "summary" }, ...lines.map(({ series, times, best }) => element("li", {}, sign(series), " ",
    element("strong", {}, group.series[series]), ` is ${group.hasTarget ? "first" : "fastest"} on ${times} of ${counted(cells.length, what)}` +
    (best > 1 && series !== group.baseline ? `, up to ${timesText(best)} as fast as ${baseline}` : ""))));
}

function winners(group, name) {
  if (group.axes.length === 0 || group.series.length < 2) return null;
  const usable = costs.filter((cost) => cost.wants(group));
  let cost = usable[0];
  // Bandwidth by latency, where a sweep has both.
  const called = (name) => group.axes.findIndex(({ key }) => key === `network.${name}`);
  let across = Math.max(0, called("bandwidth"));
  const other = group.axes.findIndex((_, axis) => axis !== across);
  let down = other < 0 ? null : called("latency") >= 0 && called("latency") !== across ? called("latency") : other;
  const summary = element("div");
  const map = element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Who is first" });

  const draw = () => {
    const columns = group.axes[across].values;
    const rows = down === null ? [""] : group.axes[down].values;
    const cells = rows.flatMap((_, row) => columns.map((_, column) => {
      const at = group.at.map((old, k) => (k === across ? column : k === down ? row : old));
      return { row, at, winner: winnerAt(group, at, cost) };
    }));
    const what = [across, down ?? across].every((axis) => group.axes[axis].key.startsWith("network.")) ? "network" : "cell";
    const greatest = Math.max(1, ...cells.map(({ winner }) => winner?.times ?? 1));
    summary.replaceChildren(winnersSummary(group, cells, what));
    const focused = [...map.querySelectorAll("button")].indexOf(document.activeElement);
    map.replaceChildren(element("table", { class: "heat" },
      element("caption", { class: "unseen" }, `Who is first: ${group.labels[across]} across${down === null ? "" : `, ${group.labels[down]} down`}`),
      element("thead", {}, element("tr", {}, element("td", { class: "corner" }, `${down === null ? "" : `${group.labels[down]} ↓  `}${group.labels[across]} →`),
        ...columns.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...rows.map((text, row) => element("tr", {}, element("th", { scope: "row" }, text),
        ...cells.filter((cell) => cell.row === row).map(({ at, winner }) => winnerCell(group, at, winner, greatest)))))));
    if (focused >= 0) map.querySelectorAll("button")[focused]?.focus();
  };

  const controls = element("div", { class: "controls" });
  if (usable.length > 1) controls.append(choice("Least time", usable.map(({ title }) => title), 0, (k) => { cost = usable[k]; draw(); }));
  if (group.axes.length > 2) {
    // The two stay different: who takes the other's axis gives its own.
    const chooser = element("span", { class: "controls" });
    const choose = () => chooser.replaceChildren(
      choice("across", group.labels, across, (k) => { if (k === down) down = across; across = k; choose(); group.refresh(); }),
      choice("down", group.labels, down, (k) => { if (k === across) across = down; down = k; choose(); group.refresh(); }));
    choose();
    controls.append(chooser, placeChooser(group, () => [across, down]));
  }
  group.follow(draw);
  const gain = group.baseline === null ? ", and that time." :
    `, that time, and how many times faster it is than ${group.series[group.baseline]}. The stronger the color, the greater the gain.`;
  const reserve = group.hasTarget ? "" : " This sweep has no target loss: who is fastest need not learn most.";
  return section(`${name}-winners`, group.hasTarget ? "Who is first" : "Who is fastest",
    `In every cell: the variant with the least time${gain}${reserve} Press a cell to look at that place below.`,
    controls, summary, map);
}
