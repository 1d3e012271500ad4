// Where an axis ends, and what is marked on it.

const valueText = (axis, value) => (axis.values ? (axis.values.find(([number]) => number === value) ?? ["", axis.text(value)])[1] : axis.text(value));
const leastOf = (numbers) => numbers.reduce((a, b) => Math.min(a, b), Infinity);
const mostOf = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);

/// The ends of an axis that leaves room for the markers at both.
function withRoom(numbers, log) {
  if (numbers.length === 0) return {};
  const [least, most] = [leastOf(numbers), mostOf(numbers)];
  const share = 0.05;
  if (log) {
    const room = Math.max(1.1, (most / least) ** share);
    const [min, max] = [least / room, most * room];
    // Between values that are close, there may be no round number for the axis to mark.
    return marksBetween(min, max).length > 1 ? { min, max } : { min: roundBelow(min), max: roundAbove(max) };
  }
  const room = share * (most - least) || 1;
  return { min: least - room, max: most + room };
}

/// Where a logarithmic axis begins on which lines have values that it has no place for; null if they have none, or
/// nothing else.
function floorOf(lines) {
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value)).filter(isKnown);
  const positive = values.filter((value) => value > 0);
  return positive.length > 0 && positive.length < values.length ? roundBelow(leastOf(positive) / 2) : null;
}

const roundMarks = (value) => [0.5, 1, 2, 5, 10, 20].map((mark) => mark * 10 ** Math.floor(Math.log10(value)));
const roundBelow = (value) => roundMarks(value).filter((mark) => mark <= value).at(-1);
const roundAbove = (value) => roundMarks(value).find((mark) => mark >= value);
const marksBetween = (min, max) => {
  const marks = [];
  for (let mark = roundAbove(min); mark <= max; mark = roundAbove(1.01 * mark)) marks.push(mark);
  return marks;
};

/// On a logarithmic axis 1, 2 and 5 of every decade are marked; if it is too short for three of them, more
/// digits.
function isMarked(value, { min, max }) {
  const mantissa = Number(value.toExponential(3).split("e")[0]);
  return (marksBetween(min, max).length < 3 ? [1, 2, 3, 4, 5, 6, 8] : [1, 2, 5]).includes(mantissa);
}
