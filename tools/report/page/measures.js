// What a run came to, in one number: how long it took, what it sent, what it learned.

/// How much sooner a point is there than `other`: at the target if there is one, else through an epoch.
function speedUp(group, point, other) {
  const cost = costs.find(({ wants }) => wants(group));
  return other && cameToItsEnd(other) ? cost.of(other) / cost.of(point) : null;
}

const anyKnows = (key) => (group) => group.points.some(({ facts }) => isKnown(facts[key]));

const measures = [
  { label: "Time to the target", isTime: true, text: secondsText, wants: (group) => group.hasTarget, of: (group, point) => point.facts.seconds_to_target },
  { label: "Time per epoch", isTime: true, text: secondsText, wants: (group) => group.points.some((point) => point.facts.epochs > 0), of: (group, point) => point.facts.seconds / point.facts.epochs },
  { label: "Time per iteration", isTime: true, text: secondsText, wants: () => true, of: (group, point) => point.facts.seconds / point.facts.iterations },
  { label: "Speed-up over the baseline", isRatio: true, text: timesText, wants: (group) => isKnown(group.raw.baseline),
    of: (group, point) => speedUp(group, point, group.baselineOf(point)) },
  { label: "Speed-up over the first value", isRatio: true, alongAnAxis: true, text: timesText, wants: (group) => group.axes.length > 0,
    of: (group, point, axis) => speedUp(group, point, group.twin(point, point.at.map((value, k) => (k === axis ? 0 : value)))) },
  { label: "MB per peer to the target", text: (value) => `${numberText(value, 3)} MB`, wants: (group) => group.hasTarget, of: (group, point) => point.facts.bytes_to_target / 1e6 },
  { label: "Loss at the end", text: (value) => numberText(value, 6), wants: () => true, of: (group, point) => point.facts.loss },
  { label: "Accuracy at the end", linear: true, most: 100, text: (value) => `${numberText(value, 4)} %`, wants: anyKnows("accuracy"), of: (group, point) => (isKnown(point.facts.accuracy) ? 100 * point.facts.accuracy : null) },
];

/// A number above zero, or nothing: 0 bytes in 0 seconds are no measure of anything.
const isMeasured = (value) => isKnown(value) && value !== 0;

/// The measures that have something to say of this group.
const usableMeasures = (group) => measures.filter((measure) => measure.wants(group) && (measure.alongAnAxis || group.points.some((point) => isMeasured(measure.of(group, point)))));
