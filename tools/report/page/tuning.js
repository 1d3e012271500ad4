// What was tuned before a sweep compared: which values, on which seeds, what was tried, and what was chosen.

/// "1,000,001 to 1,000,003" if they follow each other.
function seedsText(seeds) {
  if (seeds.length === 0) return "seeds that are not known any more";
  const numbers = seeds.map((seed) => numberText(seed, 12));
  const inARow = seeds.at(-1) - seeds[0] === seeds.length - 1;
  return `seed${seeds.length > 1 ? "s" : ""} ${inARow && seeds.length > 2 ? `${numbers[0]} to ${numbers.at(-1)}` : listText(numbers)}`;
}

/// What decided between the candidates of a place: the time to the target if one of them reached it.
const decidedByTime = (group, { candidates }) => group.hasTarget && candidates.some(({ reached }) => reached > 0);

/// "2.31 s (2 of 3 seeds)"
function scoreText(byTime, { tried, ended, loss, reached, seconds }) {
  const [count, text] = byTime ? [reached, secondsText(seconds)] : [ended, numberText(loss, 5)];
  if (count === 0) return byTime && ended > 0 ? "target not reached" : "did not end well";
  return text + (count < tried ? ` (${count} of ${counted(tried, "seed")})` : "");
}

const valuesText = (values) => values.map((value) => value ?? unknown).join(", ");

function tuningSection(group, name) {
  const tuning = group.raw.tuning;
  if (!tuning) return null;
  const isAtEdge = (values) => values.some((value, k) => tuning.grid[k].edges[tuning.grid[k].values.indexOf(value)]);
  const said = tuning.grid.map(({ key, values }) => `${key} was tuned: every ${group.dimensions[0].label} got, at every place, the best of ${listText(values)}`);
  const rule = group.hasTarget ? "The best candidate reached the target loss with the most seeds, and of these in the least mean time; if none reached it, the least mean loss decided."
    : "The best candidate came to its end with the most seeds, and of these with the least mean loss.";
  const known = tuning.places.some(({ candidates }) => candidates.length > 0);
  const with_ = known ? ` Tried with ${seedsText(tuning.seeds)}, which no result has.` : " What was tried is not in the folder any more (tuning/sweep.json).";

  // Who is how often at an edge.
  const edges = new Map();
  for (const { variant, chosen } of tuning.places) if (chosen && isAtEdge(chosen)) edges.set(variant, (edges.get(variant) ?? 0) + 1);
  const warnings = [...edges].map(([variant, times]) => element("li", {}, `${variant || group.name}: the choice is at the edge of the grid${times > 1 ? ` at ${times} places` : ""}, so the best value may lie beyond.`));

  const columns = [];
  for (const { candidates } of tuning.places)
    for (const { values } of candidates) if (!columns.some((one) => valuesText(one) === valuesText(values))) columns.push(values);
  const cellOf = (place, values) => {
    const candidate = place.candidates.find((one) => valuesText(one.values) === valuesText(values));
    if (!candidate) return unknown;
    const text = scoreText(decidedByTime(group, place), candidate);
    return place.chosen && valuesText(place.chosen) === valuesText(values) ? element("strong", {}, `✓ ${text}`) : text;
  };
  const unlike = tuning.axes.map((_, axis) => new Set(tuning.places.map(({ at }) => at[axis])).size > 1);
  const names = tuning.grid.map(({ key }) => shortName(key)).join(", ");
  const tried = table("What was tried", [{ text: group.dimensions[0].label }, ...tuning.axes.filter((_, axis) => unlike[axis]).map((key) => ({ text: shortName(key) })), { text: `chosen ${names}`, number: true },
    ...columns.map((values) => ({ text: `${names} ${valuesText(values)}`, number: true }))],
  tuning.places.map((place) => [place.variant || group.name, ...place.at.filter((_, axis) => unlike[axis]), place.chosen ? valuesText(place.chosen) + (isAtEdge(place.chosen) ? " (edge)" : "") : unknown, ...columns.map((values) => cellOf(place, values))]));
  tried.classList.add("tried");
  const measured = known ? element("p", { class: "note" }, `In the table: the mean ${tuning.places.some((place) => decidedByTime(group, place)) ? "time to the target" : "loss at the end"} of each candidate; ✓ marks the chosen one.`) : "";
  return section(`${name}-tuning`, "Tuning", `${said.join("; ")}. ${rule}${with_}`,
    ...(warnings.length > 0 ? [element("ul", { class: "unlike" }, ...warnings)] : []), measured, tried);
}
