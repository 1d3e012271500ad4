// How the runs ended: tiles for one, a table for many.

const statusText = { done: "done", target: "target loss reached", plateau: "plateau", diverged: "diverged", interrupted: "interrupted", lost: "a peer was lost",
  refused: "refused", unfinished: "not finished", running: "running" };

const perPeer = (facts, bytes) => (isKnown(facts.peers) && isKnown(bytes) ? bytes / facts.peers : null);

/// "the test data (16,281 samples)", or nothing if the record does not say.
const dataText = (which, samples) => (which ? `the ${which} data${isKnown(samples) ? ` (${counted(samples, "sample")})` : ""}` : "");
function lossOf(facts) { return isKnown(facts.loss_samples) ? dataText("training", facts.loss_samples) : ""; }
function accuracyOf(facts) { return isKnown(facts.accuracy) ? dataText(facts.accuracy_of, facts.accuracy_samples) : ""; }

/// What took no time, or no bytes, is not said of a run.
const spent = (value, text) => (value > 0 ? text(value) : unknown);

/// True if the model that was evaluated is the hub's. Records that do not say whose it is are of runs without a hub.
const isOfHub = (facts) => facts.evaluated === "hub's model";

/// When the rounds of a hub end, and how many answers came after that. Null: the hub waits for all.
const roundDeadlineText = (deadline) => {
  if (deadline === null || typeof deadline !== "object") return unknown;
  const late = isKnown(deadline.late_answers) ? `, ${counted(deadline.late_answers, "answer")} came too late` : "";
  return `after ${secondsMark(deadline.seconds)}${deadline.clock ? ` of the ${deadline.clock} clock` : ""}${late}`;
};

const isHubPort = (port) => port !== null && typeof port === "object";
const busyText = (share) => (isKnown(share) ? `busy ${numberText(100 * share, 3)} % of the time` : "not limited");

/// What went through the port of the hub: a sentence.
function hubPortText(port) {
  return `Peer 0 is the hub: through its port went ${megabytesText(port.bytes_to_workers)} to the workers (${busyText(port.share_to_workers)}) and ${megabytesText(port.bytes_from_workers)} from them (${busyText(port.share_from_workers)}).`;
}

/// The larger of the two shares: the ways do not delay each other.
const hubPortShare = ({ hub_port: port }) => (isHubPort(port) && isKnown(port.share_to_workers ?? port.share_from_workers) ? Math.max(port.share_to_workers ?? 0, port.share_from_workers ?? 0) : null);

function factsOf(point) {
  const facts = point.facts;
  const virtual = facts.virtual ? " (virtual)" : "";
  const of = (name, data) => (data ? `${name} of ${data}` : name);
  const on = (name, data) => (data ? `${name} on ${data}` : name);
  const loss = lossText(point);
  return [
    ...(loss ? [["lost", loss, "alarm"]] : []),
    ["status", statusText[point.status] ?? point.status, point.status === "lost" ? "alarm" : null],
    ["algorithm", facts.algorithm ?? unknown],
    ["compressor", facts.compressor || "none"],
    ["topology", `${facts.topology ?? unknown}, ${counted(facts.peers, "peer")}`],
    ["iterations", numberText(facts.iterations, 9) + (isKnown(facts.iterations_planned) ? ` of ${numberText(facts.iterations_planned, 9)}` : "")],
    [isOfHub(facts) ? on("loss of the hub's model", lossOf(facts)) : of("loss", lossOf(facts)), numberText(facts.loss, 6)],
    [of("accuracy", accuracyOf(facts)), shareText(facts.accuracy)],
    [isOfHub(facts) ? "consensus distance, from the hub's model" : "consensus distance", facts.peers > 1 ? numberText(facts.consensus_distance) : unknown],
    ["time", spent(facts.seconds, secondsText) + (facts.seconds > 0 ? virtual : "")],
    ["time to target", secondsText(facts.seconds_to_target) + (isKnown(facts.seconds_to_target) ? virtual : "")],
    ["sent per peer", spent(perPeer(facts, facts.bytes_sent), megabytesText)],
    ["bits per parameter and gradient", numberText(facts.bits_per_parameter_and_gradient, 3)],
    ["computing", shareText(facts.computing_share)],
    ["samples per second", numberText(facts.samples_per_second, 4)],
    ...(isHubPort(facts.hub_port) ? [
      ["hub's port, to the workers", `${megabytesText(facts.hub_port.bytes_to_workers)}, ${busyText(facts.hub_port.share_to_workers)}`],
      ["hub's port, from the workers", `${megabytesText(facts.hub_port.bytes_from_workers)}, ${busyText(facts.hub_port.share_from_workers)}`]] : []),
    ["a round ends", roundDeadlineText(facts.round_deadline ?? null)],
  ].filter(([, text]) => text !== unknown);
}

function tiles(group) {
  const list = element("dl", { class: "tiles" });
  group.follow(() => list.replaceChildren(...factsOf(group.points[0]).map(([name, text, kind = null]) => element("div", { class: kind }, element("dt", {}, name), element("dd", {}, text)))));
  return list;
}

const pointColumns = [
  { text: "status", of: (facts, point) => statusText[point.status] ?? point.status },
  { text: "lost", isAlarm: true, of: (facts, point) => lossText(point) || unknown },
  { text: "iterations", number: true, of: (facts) => numberText(facts.iterations, 9) },
  { text: "loss", number: true, of: (facts) => numberText(facts.loss, 6) },
  { text: "accuracy", number: true, of: (facts) => shareText(facts.accuracy) },
  { text: "time", number: true, isTime: true, of: (facts) => spent(facts.seconds, secondsText) },
  { text: "time to target", number: true, isTime: true, of: (facts) => secondsText(facts.seconds_to_target) },
  { text: "sent to target", number: true, of: (facts) => spent(facts.bytes_to_target, megabytesText) },
  { text: "sent per peer", number: true, of: (facts) => spent(perPeer(facts, facts.bytes_sent), megabytesText) },
  { text: "bits per parameter and gradient", number: true, of: (facts) => numberText(facts.bits_per_parameter_and_gradient, 3) },
  { text: "computing", number: true, of: (facts) => shareText(facts.computing_share) },
  { text: "answers too late", number: true, of: (facts) => numberText(facts.round_deadline?.late_answers, 9) },
  { text: "hub's port busy", number: true, of: (facts) => shareText(hubPortShare(facts)) },
];

/// "9 points, loss 0.405 to 0.417": what a group of rows has in common.
function rangeText(points, kind) {
  const losses = points.map(({ facts }) => facts.loss).filter(isKnown);
  const times = points.map(({ facts }) => facts.seconds_to_target).filter(isKnown);
  const range = (values, text) => (values.length === 0 ? [] : [leastOf(values) === mostOf(values) ? text(leastOf(values)) : `${text(leastOf(values))} to ${text(mostOf(values))}`]);
  return [counted(points.length, kind === "sweep" ? "point" : "run"), ...range(losses, (value) => numberText(value, 6)).map((text) => `loss ${text}`),
    ...range(times, secondsText).map((text) => `time to target ${text}`)].join(", ");
}

/// All points, in groups of an equal value of `dimension` if there is one. Columns in which nothing is known
/// are left out.
function pointsTable(group, dimension = null) {
  const columns = pointColumns.filter(({ of }) => group.points.some((point) => of(point.facts, point) !== unknown));
  const named = group.dimensions.filter((one) => group.kind === "sweep" ? one === group.color || one.values.length > 1 : one.key === "run");
  const seeds = group.isRepeated ? [{ text: "seed", number: true, of: (facts, point) => String(point.seed) }] : [];
  // The head of a sweep says so for all its points.
  const areVirtual = group.kind === "runs" && group.points.every(({ facts }) => facts.virtual);
  const head = [...named.map(({ label, numbers }) => ({ text: label, number: Boolean(numbers) })), ...seeds,
    ...columns.map((column) => (column.isTime && areVirtual ? { ...column, text: `${column.text} (virtual)` } : column))];
  const textOf = ({ of, isTime }, point) => {
    const text = of(point.facts, point);
    return text + (isTime && text !== unknown && point.facts.virtual && group.kind === "runs" && !areVirtual ? " (virtual)" : "");
  };
  const row = (point) => [...named.map((one, k) => (k === 0 ? element("span", {}, sign(point.series), ` ${one.values[one.of(point.origin)]}`) : one.values[one.of(point.origin)])),
    ...[...seeds, ...columns].map((column) => (column.isAlarm && textOf(column, point) !== unknown ? element("span", { class: "alarm" }, textOf(column, point)) : textOf(column, point)))];
  const caption = group.kind === "sweep" ? "All points" : "All runs";
  if (!dimension) return table(caption, head, group.points.map(row));
  return table(caption, head, dimension.values.flatMap((text, value) => {
    const points = group.points.filter((point) => dimension.of(point.origin) === value);
    return points.length === 0 ? [] : [{ heading: `${dimension.label} ${text}: ${rangeText(points, group.kind)}` }, ...points.map(row)];
  }));
}

/// The table, with a choice of what its rows are grouped by.
function groupedTable(group) {
  const offered = [null, ...group.dimensions.filter(({ values }) => values.length > 1 && values.length < group.raw.points.length)];
  const kept = group.keptOption("group", offered, (dimension) => dimension?.key ?? "nothing");
  const holder = element("div");
  const fill = () => holder.replaceChildren(pointsTable(group, kept.option));
  fill();
  return element("div", {}, ...(offered.length > 1 ? [element("div", { class: "controls" },
    choice("Group by", offered.map((dimension) => dimension?.label ?? "nothing"), kept.index, (k) => { kept.option = offered[k]; fill(); }))] : []), holder);
}

/// What failed and why, each sentence once.
function notes(group) {
  const list = element("ul", { class: "notes" });
  group.follow(() => {
    const said = new Set(group.points.flatMap((point) => {
      const note = point.note || (typeof point.facts.reason === "string" ? point.facts.reason : "");
      return [note, point.defect].filter(Boolean).map((sentence) => `${group.nameOf(point)}: ${sentence}`);
    }));
    list.hidden = said.size === 0;
    list.replaceChildren(...[...said].map((text) => element("li", {}, text)));
  });
  return list;
}

/// Of a claim about many places, so many lines are in sight.
const linesInSight = 6;

/// The lines, all but the first of many folded away. All are in the page from the start, so that a search finds them.
function foldedLines(lines) {
  if (lines.length <= linesInSight) return lines;
  return [...lines.slice(0, linesInSight), element("details", { class: "further" }, element("summary", {}, `${lines.length - linesInSight} more`), ...lines.slice(linesInSight))];
}

// On paper nothing can be unfolded.
let foldedBefore = [];
addEventListener("beforeprint", () => {
  foldedBefore = [...document.querySelectorAll("details.further:not([open])")];
  for (const details of foldedBefore) details.open = true;
});
addEventListener("afterprint", () => { for (const details of foldedBefore) details.open = false; });

/// What a sweep claims, whether it holds, and what was measured. A record of other hands may have anything.
function claims(group) {
  const list = group.claims;
  const mark = ({ holds }) => (holds === true ? "holds" : holds === false ? "does not hold" : "not tried");
  const measured = (claim) => (Array.isArray(claim.measured) ? claim.measured : []);
  const about = ({ of }) => (typeof of === "string" && of !== "" ? `${of}: ` : "");
  return list.length === 0 ? [] : [element("ul", { class: "claims", "aria-label": "Claims" }, ...list.map((claim) => element("li", { class: claim.holds === true ? "holds" : claim.holds === false ? "fails" : null },
    element("strong", {}, mark(claim)), ` ${claim.says}`, ...foldedLines(measured(claim).map((text) => element("div", { class: "measured" }, about(claim) + text))))))];
}

/// What of a paper a sweep says it does not show.
function notReproduced({ not_reproduced: list }) {
  if (!Array.isArray(list) || list.length === 0) return [];
  return [element("h3", {}, "Did not reproduce"), element("ul", { class: "failed", "aria-label": "Did not reproduce" }, ...list.map((text) => element("li", {}, String(text))))];
}

/// The title of a sweep, and the name of its folder.
const headingOf = ({ title, name }) => (typeof title === "string" ? `${title} (${name})` : name);

function overview(group) {
  const what = group.kind === "sweep" ? "Sweep" : group.raw.points.length === 1 ? "Run" : "Runs";
  const alone = group.data.groups.length === 1;  // then the title of the page says so
  const titled = typeof group.raw.title === "string";
  const parts = [element("h2", { class: alone && !titled ? "unseen" : null }, titled ? headingOf(group.raw) : `${what}: ${group.name}`)];
  if (group.kind === "runs") {
    parts.push(group.raw.points.length === 1 ? tiles(group) : groupedTable(group));
  } else {
    const several = group.dimensions.filter(({ values }, k) => k > 0 && values.length > 1);
    const sizes = [...(group.raw.series.length > 1 || several.length === 0 ? [counted(group.raw.series.length, "variant")] : []), ...several.map(({ label, values }) => `${values.length} values of ${label}`)];
    const tried = group.raw.points.length;
    const missing = isKnown(group.points_in_total) && group.points_in_total > tried ? `, ${group.points_in_total} in total` : "";
    parts.push(element("p", { class: "note" }, `${sizes.join(" by ")}${group.isRepeated ? `, each with ${group.raw.repeats} seeds` : ""}: ${counted(tried, "point")}${missing}, ${group.driver === "simulator" ? "simulated in virtual time" : "with real processes"}.`));
    for (const text of Array.isArray(group.raw.about) ? group.raw.about : []) parts.push(element("p", { class: "about" }, String(text)));
    parts.push(...claims(group), ...notReproduced(group.raw));
    parts.push(folded("All points in a table", () => groupedTable(group)));
  }
  parts.push(notes(group));
  return element("div", { class: "overview" }, ...parts);
}
