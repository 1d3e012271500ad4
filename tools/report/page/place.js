// Where a run ran and what it was told: its topology and its run file.

function topologyCard(picture, facts) {
  const lines = [
    ["peers", numberText(picture.peers, 9)], ["links", numberText(picture.links, 9)],
    ["degree", picture.degree ? [...new Set(picture.degree)].join(" to ") : unknown], ["diameter", numberText(picture.diameter)],
    ["hub", picture.hub ?? unknown], ["weights", picture.weights ?? unknown], ["spectral gap", numberText(facts.spectral_gap)],
  ].filter(([, text]) => text !== unknown);
  const parts = [element("h4", {}, picture.title)];
  if (picture.svg) parts.push(element("img", { class: "topology", src: `data:image/svg+xml,${encodeURIComponent(picture.svg)}`,
    alt: `The topology ${picture.title}: ${counted(picture.peers, "peer")}, ${counted(picture.links, "link")}${picture.hub ? `, with a hub, ${picture.hub}` : ""}` }));
  if (picture.why) parts.push(element("p", { class: "note" }, picture.why));
  parts.push(element("dl", { class: "facts" }, ...lines.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])));
  if (!isKnown(facts.spectral_gap) && lines.length > 0)
    parts.push(element("p", { class: "note" }, picture.hub
      ? "It has no spectral gap, and its weights are not read: the hub adds up what the workers say." : "It has no spectral gap of its own: its links change, are one-way, or pairs average."));
  return element("div", { class: "card" }, ...parts);
}

function runFile(group, point) {
  const text = point.run_file.map((line) => group.data.lines[line]).join("\n") + "\n";
  const file = element("pre", { tabindex: "0", "aria-label": "run.toml" }, text);
  const copy = element("button", { type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {  // not allowed: the user can, with the keyboard
      getSelection().selectAllChildren(file);
      copy.textContent = "Selected: press Ctrl-C";
    }
  } }, "Copy");
  return element("div", { class: "runfile" }, copy, file);
}

function placeSection(group, name) {
  const inside = element("div", { class: "cards" });
  const files = element("div");
  const where = element("div", { class: "where" }, inside, files);
  group.follow(() => {
    const points = group.shown().flatMap((series) => group.pointsAt(series)).filter((point) => point.run_file);
    // Of a seed of its own each, many runs have the same topology.
    const drawn = new Map(points.filter((point) => isKnown(point.picture)).map((point) => [`${JSON.stringify(group.data.pictures[point.picture])} ${point.facts.spectral_gap}`, point]));
    where.classList.toggle("several", drawn.size > 1);
    inside.replaceChildren(...[...drawn.values()].map((point) => topologyCard(group.data.pictures[point.picture], point.facts)));
    // Of seeds that differ in nothing else, one stands for all.
    const told = group.isRepeated ? points.filter((point) => point === group.point(point.series)) : points;
    const seeds = (point) => { const count = group.pointsAt(point.series).length; return count > 1 ? `, one of ${count} seeds` : ""; };
    const open = [...files.querySelectorAll("details")].map((details) => details.open);
    files.replaceChildren(...told.map((point) => folded(`${group.kind === "runs" || group.isRepeated ? group.nameOf(point) : group.series[point.series]}${group.isRepeated ? seeds(point) : ""}: run.toml`, () => runFile(group, point))));
    for (const [k, details] of [...files.querySelectorAll("details")].entries()) details.open = open[k] ?? told.length === 1;
  });
  return section(`${name}-place`, "Topology and run files", "", placeChooser(group), where);
}
