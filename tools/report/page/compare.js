// What is compared with what: which dimension is the color, which values are shown, and in which settings the
// series differ.

/// What the loss is a function of. Runs that differ in one of these minimise different functions.
const definesTheLoss = (key) => (key.startsWith("model.") && key !== "model.init") || ["data.source", "data.scale"].includes(key);

const evaluatedText = { "mean model": "the mean model", "hub's model": "the hub's model", "own models": "each peer's own" };

const valuesOf = (all, key) => [...new Set(all.map((settings) => settings.get(key) ?? "not set"))];

/// "a, b and c"; of many the first three.
function listText(texts) {
  const said = texts.length > 4 ? [...texts.slice(0, 3), `${texts.length - 3} more`] : texts;
  return said.length < 2 ? said.join("") : `${said.slice(0, -1).join(", ")} and ${said.at(-1)}`;
}

/// Sentences about runs side by side whose numbers mean different things.
function unlikeness(group) {
  const points = group.pointsHere();
  const all = points.filter(({ run_file }) => run_file).map((point) => group.settingsOf(point));
  const differing = keysThatDiffer(all);
  const withValues = (keys) => keys.map((key) => `${key} is ${listText(valuesOf(all, key))}`).join("; ");
  const functions = differing.filter(definesTheLoss);
  const sentences = [];
  if (functions.length > 0) sentences.push(`These runs minimise different losses, so a lower loss is not a better one: ${withValues(functions)}.`);
  if (differing.includes("data.partition")) sentences.push(`Their peers hold different parts of the data: ${withValues(["data.partition"])}.`);
  const models = [...new Set(points.map(({ facts }) => facts.evaluated).filter(Boolean))];
  if (models.length > 1) sentences.push(`Their losses are of different models: ${listText(models.map((model) => evaluatedText[model] ?? model))}.`);
  const judges = [...new Set(points.map(({ facts }) => accuracyOf(facts)).filter(Boolean))];
  if (judges.length > 1) sentences.push(`Their accuracies are of different data: ${listText(judges)}.`);
  const targets = [...new Set(points.map(({ facts }) => facts.target_loss).filter(isKnown))];
  if (targets.length > 1) sentences.push(`Their target losses differ: ${listText(targets.map((target) => numberText(target, 6)))}.`);
  return sentences;
}

/// Every setting in which the series at this place differ, a column per series.
function differences(group) {
  // Seeds are no difference: of the repetitions one stands for all.
  const points = group.shown().flatMap((series) => (group.isRepeated ? group.pointsAt(series).slice(0, 1) : group.pointsAt(series))).filter(({ run_file }) => run_file);
  const all = points.map((point) => group.settingsOf(point));
  const keys = keysThatDiffer(all);
  if (keys.length === 0) return element("p", { class: "note" }, "No setting differs between what is drawn.");
  const name = (point) => element("span", {}, sign(point.series), ` ${group.kind === "runs" ? group.nameOf(point) : group.series[point.series]}`);
  return table("Settings that differ", [{ text: "setting" }, ...points.map((point) => ({ text: name(point) }))],
    keys.map((key) => [key, ...all.map((settings) => settings.get(key) ?? unknown)]));
}

/// A checkbox per value of each dimension; the last one that is on stays on.
function filters(group, rebuild) {
  const fieldset = (dimension) => {
    const shown = group.keptShown(dimension).of(dimension.values);
    const boxes = dimension.values.map((text) => toggle(text, shown.has(text), (on) => {
      if (on) shown.add(text);
      else shown.delete(text);
      group.keptShown(dimension).keep(shown, dimension.values);
      lockLast();
      rebuild();
    }));
    const lockLast = () => { for (const [k, box] of boxes.entries()) box.firstChild.disabled = shown.size === 1 && shown.has(dimension.values[k]); };
    lockLast();
    return element("fieldset", { class: "filter" }, element("legend", {}, dimension.label), ...boxes);
  };
  return element("div", { class: "filters" }, ...group.dimensions.filter(({ values }) => values.length > 1).map(fieldset));
}

/// Stands above all that `rebuild` makes anew, so that the focus stays where it is.
function compare(group, name, rebuild) {
  if (group.dimensions.every(({ values }) => values.length < 2)) return null;
  const usable = group.dimensions.filter(({ values }, k) => values.length > 1 || k === group.dimensions.indexOf(group.color));
  const color = group.keptOption("color", usable, ({ key }) => key, usualColor(group.dimensions));
  const said = element("ul", { class: "unlike", "aria-live": "polite" });
  const settings = folded("Settings that differ", () => differences(group));
  const hiding = folded("Filter", () => filters(group, rebuild));
  const controls = element("div", { class: "controls" });
  if (usable.length > 1) controls.append(choice("Color by", usable.map(({ label }) => label), color.index, (k) => { color.option = usable[k]; rebuild(); }));
  const passing = element("span", { class: "note" });
  controls.append(passing);
  const refresh = () => {
    const sentences = unlikeness(group);
    said.replaceChildren(...sentences.map((text) => element("li", {}, text)));
    said.hidden = sentences.length === 0;
    const [here, all] = [group.points.length, group.raw.points.length];
    passing.textContent = here < all ? `${numberText(here, 9)} of ${numberText(all, 9)} ${group.kind === "sweep" ? "points" : "runs"} pass the filter.` : "";
    settings.outdate();
  };
  settings.open = group.kind === "runs";
  const whole = section(`${name}-compare`, "What is compared", "", controls, said, hiding, settings);
  return { whole, refresh };
}
