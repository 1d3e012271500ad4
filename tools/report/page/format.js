// Numbers as people read them; a dash for what is not known.

const unknown = "–";
const isKnown = (value) => typeof value === "number" && Number.isFinite(value);

/// Nothing if one of the two is not known: in a division, null would count as 0.
const quotient = (dividend, divisor) => (isKnown(dividend) && isKnown(divisor) ? dividend / divisor : null);

/// A format is dear to make, and a page writes thousands of numbers.
const formats = new Map();
function withDigits(digits) {
  if (!formats.has(digits)) formats.set(digits, new Intl.NumberFormat("en", { maximumSignificantDigits: digits }));
  return formats.get(digits);
}

function numberText(value, digits = 4) {
  if (!isKnown(value)) return unknown;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e9) return value.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, "e").replace("e+", "e");
  return withDigits(Math.max(digits, Math.min(9, Math.ceil(Math.log10(size))))).format(value);
}

/// `digits(number)` spells what is in a unit: three digits, so that columns line up.
function secondsText(seconds, digits = (number) => (number < 999.5 ? number.toPrecision(3) : number.toFixed(0))) {
  if (!isKnown(seconds)) return unknown;
  if (seconds === 0) return "0 s";
  if (seconds < 1e-3) return `${digits(seconds * 1e6)} µs`;
  if (seconds < 1) return `${digits(seconds * 1e3)} ms`;
  if (seconds < 120) return `${digits(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, "0")} min`;
}

/// Beside an axis, where the digits behind say nothing.
const secondsMark = (seconds) => secondsText(seconds, (number) => numberText(number, 3));
const megabytesText = (bytes) => (isKnown(bytes) ? `${numberText(bytes / 1e6, 3)} MB` : unknown);
const shareText = (share) => (isKnown(share) ? `${numberText(100 * share, 3)} %` : unknown);
/// Of shares below each other, with equally many digits.
const alignedShareText = (share) => (share > 0 && share < 0.9995 ? `${(100 * share).toPrecision(3)} %` : shareText(share));
const timesText = (factor) => (isKnown(factor) ? `${factor < 100 ? factor.toFixed(1) : numberText(factor, 3)}×` : unknown);
const counted = (count, singular) => `${numberText(count, 9)} ${singular}${count === 1 ? "" : "s"}`;
