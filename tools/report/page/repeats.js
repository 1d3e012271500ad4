// Repetitions: what runs with several seeds say together.

/// {mean, low, high, count} of numbers: low and high are the ends of the 95 % interval, null of a single one.
/// `quantiles` of Student's t: that of n numbers is in quantiles[n - 2]. Nothing of no numbers.
function estimateMean(numbers, quantiles) {
  const count = numbers.length;
  if (count === 0) return null;
  const mean = numbers.reduce((a, b) => a + b) / count;
  if (count === 1) return { mean, low: null, high: null, count };
  const deviation = Math.sqrt(numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (count - 1));
  const half = (quantiles[count - 2] * deviation) / Math.sqrt(count);
  return { mean, low: mean - half, high: mean + half, count };
}

/// The same of ratios: their geometric mean, and the interval of the mean of their logarithms.
function estimateRatio(ratios, quantiles) {
  const found = estimateMean(ratios.map(Math.log), quantiles);
  const back = (logarithm) => (logarithm === null ? null : Math.exp(logarithm));
  return found && { mean: back(found.mean), low: back(found.low), high: back(found.high), count: found.count };
}

/// What the repetitions of a series at a place say of `of(point)`, as far as they came to their end and know it:
/// half a run has a loss, too.
function estimateAt(group, series, at, of, isRatio = false) {
  const numbers = group.pointsAt(series, at).filter(cameToItsEnd).map(of).filter(isKnown);
  return isRatio ? estimateRatio(numbers.filter((ratio) => ratio > 0), group.quantiles) : estimateMean(numbers, group.quantiles);
}

/// " (2.5 to 2.7)": the 95 % interval behind a number, if there is one.
const intervalText = (ends, text) => (ends && isKnown(ends[0]) ? ` (${text(ends[0])} to ${text(ends[1])})` : "");

/// The points of two series at a place, those of one seed beside each other, that came to their end.
function pairsAt(group, one, other, at) {
  return group.pointsAt(one, at).map((point) => [point, group.pointsAt(other, at).find(({ seed }) => seed === point.seed)])
    .filter(([point, twin]) => twin && cameToItsEnd(point) && cameToItsEnd(twin));
}

/// By how many times `other` costs more than `one` at a place, over the seeds that both have.
function costRatio(group, one, other, at, cost) {
  const ratios = pairsAt(group, one, other, at).map(([own, twin]) => cost.of(twin) / cost.of(own));
  return estimateRatio(ratios.filter((ratio) => isKnown(ratio) && ratio > 0), group.quantiles);
}

/// By how much more `other` costs than `one` at a place, over the seeds that both have.
function costDifference(group, one, other, at, cost) {
  const costs = pairsAt(group, one, other, at).map((pair) => pair.map(cost.of)).filter((pair) => pair.every(isKnown));
  return estimateMean(costs.map(([own, twin]) => twin - own), group.quantiles);
}

/// The mean curve of runs with its 95 % band, at the iterations that all of them have: {points: [[x, y],..], band:
/// [[x, low, high],..]}. `curves` are {iterations: [..], points: [[x, y],..]} each. Runs that end at different
/// iterations, and are long, are thinned differently.
function meanCurve(curves, quantiles) {
  const byIteration = curves.map(({ iterations, points }) => new Map(points.map((point, k) => [iterations[k], point])));
  const [points, band] = [[], []];
  for (const iteration of byIteration[0].keys()) {
    const found = byIteration.map((curve) => curve.get(iteration));
    if (!found.every((point) => point && isKnown(point[1]))) continue;
    const x = found.reduce((sum, [one]) => sum + one, 0) / found.length;
    const { mean, low, high } = estimateMean(found.map(([, y]) => y), quantiles);
    points.push([x, mean]);
    band.push([x, low, high]);
  }
  return { points, band };
}
