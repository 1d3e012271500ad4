// How the runs ended: tiles for one, a table for many.

const statusText = { done: "done", target: "target loss reached", diverged: "diverged", interrupted: "interrupted", lost: "a peer was lost",
  refused: "refused", unfinished: "not finished", running: "running" };

const perPeer = (facts, bytes) => (isKnown(facts.peers) && isKnown(bytes) ? bytes / facts.peers : null);

function factsOf(point) {
  const facts = point.facts;
  const virtual = facts.virtual ? " (virtual)" : "";
  return [
    ["status", statusText[point.status] ?? point.status],
    ["algorithm", facts.algorithm ?? unknown],
    ["compressor", facts.compressor || "none"],
    ["topology", `${facts.topology ?? unknown}, ${counted(facts.peers, "peer")}`],
    ["iterations", numberText(facts.iterations, 9) + (isKnown(facts.iterations_planned) ? ` of ${numberText(facts.iterations_planned, 9)}` : "")],
    ["loss", numberText(facts.loss, 6)],
    [facts.accuracy_of ? `accuracy (${facts.accuracy_of} data)` : "accuracy", shareText(facts.accuracy)],
    ["consensus distance", numberText(facts.consensus_distance)],
    ["time", secondsText(facts.seconds) + virtual],
    ["time to target", secondsText(facts.seconds_to_target) + (isKnown(facts.seconds_to_target) ? virtual : "")],
    ["sent per peer", megabytesText(perPeer(facts, facts.bytes_sent))],
  ].filter(([, text]) => text !== unknown);
}

function tiles(group) {
  const list = element("dl", { class: "tiles" });
  group.follow(() => list.replaceChildren(...factsOf(group.points[0]).map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text)))));
  return list;
}

function pointsTable(group) {
  const columns = [{ text: group.kind === "sweep" ? "variant" : "run" }, ...group.labels.map((text) => ({ text, number: true })), { text: "status" },
    ...["iterations", "loss", "time", ...(group.hasTarget ? ["time to target", "sent to target"] : []), "sent per peer"].map((text) => ({ text, number: true }))];
  return table(group.kind === "sweep" ? "All points" : "All runs", columns, group.points.map((point) => {
    const { facts } = point;
    return [element("span", {}, sign(point.series), ` ${group.series[point.series]}`), ...point.at.map((value, k) => group.axes[k].values[value]),
      statusText[point.status] ?? point.status, numberText(facts.iterations, 9), numberText(facts.loss, 6), secondsText(facts.seconds),
      ...(group.hasTarget ? [secondsText(facts.seconds_to_target), megabytesText(facts.bytes_to_target)] : []),
      megabytesText(perPeer(facts, facts.bytes_sent))];
  }));
}

/// What failed and why, each sentence once.
function notes(group) {
  const list = element("ul", { class: "notes" });
  group.follow(() => {
    const said = new Set(group.points.flatMap((point) => {
      const note = point.note || (typeof point.facts.reason === "string" ? point.facts.reason : "");
      return [note, point.defect].filter(Boolean).map((sentence) => `${group.series[point.series]}: ${sentence}`);
    }));
    list.hidden = said.size === 0;
    list.replaceChildren(...[...said].map((text) => element("li", {}, text)));
  });
  return list;
}

function overview(group) {
  const what = group.kind === "sweep" ? "Sweep" : group.points.length === 1 ? "Run" : "Runs";
  const alone = group.data.groups.length === 1;  // then the title of the page says so
  const parts = [element("h2", { class: alone ? "unseen" : null }, `${what}: ${group.name}`)];
  if (group.kind === "runs") {
    const one = group.points.length === 1;
    parts.push(one ? tiles(group) : pointsTable(group));
  } else {
    const axes = group.axes.map(({ values }, k) => `${values.length} values of ${group.labels[k]}`);
    const missing = isKnown(group.points_in_total) && group.points_in_total > group.points.length ? `, ${group.points_in_total} in total` : "";
    parts.push(element("p", { class: "note" }, [counted(group.series.length, "variant"), ...axes].join(" by ") +
      `: ${counted(group.points.length, "point")}${missing}, ${group.driver === "simulator" ? "simulated in virtual time" : "with real processes"}.`));
    parts.push(folded("All points in a table", () => pointsTable(group)));
  }
  parts.push(notes(group));
  return element("div", { class: "overview" }, ...parts);
}
