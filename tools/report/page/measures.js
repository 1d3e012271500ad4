// What a run came to, in one number: how long it took, what it sent, what it learned.

/// How much sooner a point is there than `other`: at the target if there is one, else through an epoch.
function speedUp(group, point, other) {
  const cost = costs.find(({ wants }) => wants(group));
  return other && cameToItsEnd(other) ? quotient(cost.of(other), cost.of(point)) : null;
}

const anyKnows = (key) => (group) => group.points.some(({ facts }) => isKnown(facts[key]));

/// What has no value for a run that came to its end says so in `missing`.
const measures = [
  { label: "Time to the target", figure: "seconds_to_target", missing: "not reached", isTime: true, text: secondsText, wants: (group) => group.hasTarget, of: (group, point) => point.facts.seconds_to_target },
  { label: "Time per epoch", isTime: true, text: secondsText, wants: (group) => group.points.some((point) => point.facts.epochs > 0), of: (group, point) => quotient(point.facts.seconds, point.facts.epochs) },
  { label: "Time per iteration", isTime: true, text: secondsText, wants: () => true, of: (group, point) => quotient(point.facts.seconds, point.facts.iterations) },
  { label: "Speed-up over the baseline", isRatio: true, text: timesText, wants: (group) => isKnown(group.raw.baseline),
    of: (group, point) => speedUp(group, point, group.baselineOf(point)) },
  { label: "Speed-up over the first value", isRatio: true, alongAnAxis: true, text: timesText, wants: (group) => group.axes.length > 0,
    of: (group, point, axis) => speedUp(group, point, group.twin(point, point.at.map((value, k) => (k === axis ? 0 : value)))) },
  { label: "MB per peer to the target", figure: "bytes_to_target", missing: "not reached", scale: 1e-6, text: (value) => `${numberText(value, 3)} MB`, wants: (group) => group.hasTarget, of: (group, point) => quotient(point.facts.bytes_to_target, 1e6) },
  { label: "Loss at the end", figure: "loss", text: (value) => numberText(value, 6), wants: () => true, of: (group, point) => point.facts.loss },
  { label: "Accuracy at the end", figure: "accuracy", scale: 100, linear: true, most: 100, text: (value) => `${numberText(value, 4)} %`, wants: anyKnows("accuracy"), of: (group, point) => (isKnown(point.facts.accuracy) ? 100 * point.facts.accuracy : null) },
];

/// 0 bytes in 0 seconds are no measure of anything; a difference of zero is one.
const isMeasured = (measure, value) => isKnown(value) && (value !== 0 || Boolean(measure.isDifference));

/// How figures that only claims are about are shown; any other is a number under its own name.
const claimedFigures = {
  seconds: { label: "Time", isTime: true, text: secondsText },
  bytes_sent: { label: "MB sent by all peers", scale: 1e-6, text: (value) => `${numberText(value, 4)} MB` },
  messages_sent: { label: "Messages sent by all peers" },
  computing_share: { label: "Share of the time in gradients", scale: 100, linear: true, most: 100, text: (value) => `${numberText(value, 3)} %` },
  spectral_gap: { label: "Spectral gap", linear: true },
};

const inWords = (figure) => (figure[0].toUpperCase() + figure.slice(1)).replaceAll("_", " ");

/// The measure that a claim is about, with what it takes from the figure; null if this page cannot show it.
function measureOfClaim(group, { figure, minus }) {
  if (typeof figure !== "string" || figure === "") return null;
  const known = measures.find((measure) => measure.figure === figure);
  const whole = known ?? { label: inWords(figure), text: (value) => numberText(value, 6), figure, wants: anyKnows(figure), of: (_, point) => scaled(point), ...claimedFigures[figure] };
  const scale = whole.scale ?? 1;
  const scaled = (point) => (isKnown(point?.facts[figure]) ? scale * point.facts[figure] : null);
  if (!isKnown(minus) && typeof minus !== "string") return whole;
  const series = group.raw.series.indexOf(minus);
  if (series < 0 && !isKnown(minus)) return null;
  const taken = (point) => (isKnown(minus) ? scale * minus : scaled(group.besides(series, point)));
  return { ...whole, most: undefined, isDifference: true, axis: `${whole.label}, difference`, label: `${whole.label} minus ${isKnown(minus) ? whole.text(scale * minus) : `that of ${minus}`}`,
    of: (_, point) => { const less = taken(point); return isKnown(scaled(point)) && isKnown(less) ? scaled(point) - less : null; } };
}

/// {claim, measure}: the first claim with a figure, and what it is about; null if the sweep has none.
function firstClaim(group) {
  const claim = group.claims.find(({ figure }) => typeof figure === "string");
  const measure = claim ? measureOfClaim(group, claim) : null;
  return measure && { claim, measure };
}

/// The series that the others are compared with, or that the first claim takes from them. Its line is drawn below the
/// others': where all end together, they are what is looked for.
function groundsOf(group) {
  const { raw, color, dimensions } = group;
  return new Set(color === dimensions[0] ? [raw.baseline, raw.series.indexOf(firstClaim(group)?.claim.minus)] : []);
}

/// The numbers that the first claim holds the measure against, if it is about this one.
function boundsOf(group, measure) {
  const first = firstClaim(group);
  if (first?.measure.label !== measure.label || !Array.isArray(first.claim.bounds)) return [];
  return first.claim.bounds.filter(isKnown).map((bound) => (measure.scale ?? 1) * bound);
}

/// All measures, and those of the claims that are none of them.
function measuresOf(group) {
  const all = new Map(measures.map((measure) => [measure.label, measure]));
  for (const claim of group.claims) {
    const measure = measureOfClaim(group, claim);
    if (measure && !all.has(measure.label)) all.set(measure.label, measure);
  }
  return [...all.values()];
}

/// What is shown at first: what the first claim is about, else the first measure of all.
const firstMeasure = (group, usable) => usable.find(({ label }) => label === firstClaim(group)?.measure.label) ?? usable[0];

/// A sentence over a figure that shows what the first claim is about.
function claimNote(group, measure) {
  const first = firstClaim(group);
  return first?.measure.label === measure.label ? `What the first claim is about: ${first.claim.says}.` : "";
}

/// The measures that have something to say of this group.
const usableMeasures = (group) => measuresOf(group).filter((measure) => measure.wants(group) && (measure.alongAnAxis || group.points.some((point) => isMeasured(measure, measure.of(group, point)))));
