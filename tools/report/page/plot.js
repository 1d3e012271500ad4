// One figure: a title, a chart by Chart.js, and its numbers as a table for those who want to read them.

const plots = new Set();
Chart.defaults.animation = false;
Chart.defaults.font.family = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
Chart.defaults.maintainAspectRatio = false;

const rowsInTable = 400;

class Plot {
  /// `controls` stand beside the title.
  constructor(name, title, ...controls) {
    this.canvas = element("canvas", { role: "img" });
    this.heading = element("h4", {}, title);
    this.controls = element("div", { class: "controls" }, ...controls);
    this.numbers = folded("Numbers", () => this.numbersTable());
    this.nothing = element("p", { class: "nothing", hidden: true }, "Nothing to draw here.");
    this.figure = element("figure", { class: "plot", id: name },
      element("figcaption", {}, this.heading, this.controls), element("div", { class: "canvas" }, this.canvas, this.nothing), this.numbers);
    plots.add(this);
  }

  /// `x`, `y`: {label, log, text(value), mark(value) beside the axis if that is another text, values:
  /// [[number, text],..] where the ticks are to be those, tight: whether the lines end where the axis does}.
  /// `lines`: {name, series, points: [[x, y],..]}, series null for a line that is none (the target).
  draw({ x, y, lines }) {
    this.drawn = { x, y, lines };
    const visible = (value, log) => isKnown(value) && (!log || value > 0);
    const datasets = lines.map(({ name, series, points }) => {
      const data = points.filter(([a, b]) => visible(a, x.log) && visible(b, y.log)).map(([a, b]) => ({ x: a, y: b }));
      const every = Math.max(1, Math.floor(data.length / 10));
      const style = series === null ? { borderColor: ink("muted"), borderWidth: 1, borderDash: [3, 3] } : lineStyle(series);
      return { label: name, data, parsing: false, tension: 0, ...style,
        pointRadius: data.map((_, k) => (series !== null && (k % every === 0 || k === data.length - 1) ? 4 : 0)), pointHitRadius: 10, pointHoverRadius: 6 };
    });
    const empty = datasets.every(({ data }) => data.length === 0);
    this.nothing.hidden = !empty;
    this.canvas.hidden = empty;
    const title = this.heading.textContent;
    this.canvas.setAttribute("aria-label", `${title}${title.includes("against") ? "" : ` against ${x.label}`}: ${lines.map((line) => line.name).join(", ")}`);
    const options = this.options(x, y);
    const drawnAlong = (key) => datasets.flatMap(({ data }) => data.map((point) => point[key]));
    if (x.tight && !x.log) options.scales.x.max = 1.02 * drawnAlong("x").reduce((a, b) => Math.max(a, b), 0);
    if (x.values) Object.assign(options.scales.x, withRoom(drawnAlong("x"), x.log));
    if (y.log) Object.assign(options.scales.y, withRoom(drawnAlong("y"), true));
    this.show({ type: "line", data: { datasets }, options });
    this.numbers.outdate();
  }

  options(x, y) {
    const scale = (axis) => ({
      type: axis.log ? "logarithmic" : "linear",
      title: { display: true, text: axis.label + (axis.log ? " (log)" : ""), color: ink("text") },
      grid: { color: ink("grid"), borderColor: ink("grid"), tickColor: ink("grid") },
      ticks: { color: ink("muted"), maxRotation: 40, autoSkipPadding: 12, includeBounds: false, callback: axis.values
        ? (value) => (axis.values.find(([number]) => number === value) ?? ["", ""])[1]
        : (value) => (axis.log && !isRound(value, axis) ? null : (axis.mark ?? axis.text)(value)) },
      ...(axis.values ? { afterBuildTicks: (built) => { built.ticks = axis.values.map(([value]) => ({ value })); } } : {}),
    });
    return {
      scales: { x: scale(x), y: scale(y) },
      interaction: { mode: "nearest", intersect: false },
      plugins: { legend: { display: false }, tooltip: { callbacks: {
        title: ([item]) => item.dataset.label,
        label: (item) => [`${x.label}: ${valueText(x, item.parsed.x)}`, `${y.label}: ${y.text(item.parsed.y)}`] } } },
    };
  }

  show(config) {
    if (this.chart) {
      this.chart.data = config.data;
      this.chart.options = config.options;
      this.chart.update("none");
    } else {
      this.chart = new Chart(this.canvas, config);
    }
  }

  /// After the colors have changed.
  redraw() {
    if (this.drawn) this.draw(this.drawn);
  }

  numbersTable() {
    const { x, y, lines } = this.drawn;
    const xs = [...new Set(lines.flatMap(({ points }) => points.map(([a]) => a)))].filter(isKnown).sort((a, b) => a - b);
    const every = Math.ceil(xs.length / rowsInTable);
    const kept = xs.filter((_, k) => k % every === 0 || k === xs.length - 1);
    const found = lines.map(({ points }) => new Map(points));
    return table(`${this.heading.textContent}, in numbers`,
      [{ text: x.label, number: true }, ...lines.map(({ name }) => ({ text: name, number: true }))],
      kept.map((value) => [valueText(x, value), ...found.map((of) => (of.has(value) ? y.text(of.get(value)) : ""))]));
  }
}

const valueText = (axis, value) => (axis.values ? (axis.values.find(([number]) => number === value) ?? ["", axis.text(value)])[1] : axis.text(value));

/// The ends of an axis that leaves room for the markers at both.
function withRoom(numbers, log) {
  if (numbers.length === 0) return {};
  const [least, most] = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))];
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

const roundMarks = (value) => [0.5, 1, 2, 5, 10, 20].map((mark) => mark * 10 ** Math.floor(Math.log10(value)));
const roundBelow = (value) => roundMarks(value).filter((mark) => mark <= value).at(-1);
const roundAbove = (value) => roundMarks(value).find((mark) => mark >= value);
const marksBetween = (min, max) => {
  const marks = [];
  for (let mark = roundAbove(min); mark <= max; mark = roundAbove(1.01 * mark)) marks.push(mark);
  return marks;
};

/// On a logarithmic axis 1, 2 and 5 of every decade are marked.
function isRound(value) {
  const mantissa = Number(value.toExponential(3).split("e")[0]);
  return mantissa === 1 || mantissa === 2 || mantissa === 5;
}
