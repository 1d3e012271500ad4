// One figure: a title, a chart by Chart.js, and its numbers as a table for those who want to read them.

const plots = new Set();
Chart.defaults.animation = false;
Chart.defaults.font.family = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
Chart.defaults.maintainAspectRatio = false;

/// A line that is no series has its name written where it begins: curves end near a target, and begin far
/// from it. Lines that begin together have it farther on.
Chart.register({ id: "writtenNames", afterDatasetsDraw: (chart) => {
  const { ctx, chartArea: { left, top, bottom } } = chart;
  for (const [k, { written, writtenAt = 0 }] of chart.data.datasets.entries()) {
    const { data } = chart.getDatasetMeta(k);
    const begin = data[Math.floor(writtenAt * (data.length - 1))];
    if (!written || !begin || begin.y < top || begin.y > bottom) continue;
    ctx.save();
    ctx.font = `11px ${Chart.defaults.font.family}`;
    ctx.fillStyle = ink("muted");
    // Lines that pass below the name do not cross it out.
    const place = [written, Math.max(left, begin.x) + 6, begin.y < top + 16 ? begin.y + 13 : begin.y - 5];
    Object.assign(ctx, { strokeStyle: ink("surface"), lineWidth: 4, lineJoin: "round" });
    ctx.strokeText(...place);
    ctx.fillText(...place);
    ctx.restore();
  }
} });

/// Who is at or below the edge of a logarithmic axis stands on it, with this mark over the marker.
Chart.register({ id: "belowEdge", afterDatasetsDraw: (chart) => {
  const { ctx } = chart;
  for (const [k, { data, borderColor }] of chart.data.datasets.entries())
    for (const [place, { x, y }] of chart.getDatasetMeta(k).data.entries()) {
      if (!data[place]?.isBelow) continue;
      ctx.save();
      ctx.font = `bold 13px ${Chart.defaults.font.family}`;
      ctx.fillStyle = borderColor;
      ctx.textAlign = "center";
      ctx.fillText("≤", x, y - 9);
      ctx.restore();
    }
} });

const rowsInTable = 400;
const markersOnLine = 10;
/// Chart.js draws what has a greater order first. Bands are below the grounds.
const [groundOrder, bandOrder] = [1, 2];
/// How far, in pixels, beyond the ends of the axes is drawn: markers on the edge are whole.
const wholeMarkers = { left: 1, top: 1, right: 1, bottom: 8 };

class Plot {
  /// `controls` stand beside the title.
  constructor(name, title, ...controls) {
    this.name = name;
    this.keptZoom = new Kept(`${name}.zoom`, "");
    this.hint = element("p", { class: "hint", id: `${name}-keys` });
    this.canvas = element("canvas", { role: "img", tabindex: "0", "aria-describedby": this.hint.id });
    this.heading = element("h4", {}, title);
    this.whole = element("button", { type: "button", hidden: true, onclick: () => { this.canvas.focus(); this.zoomTo(null); } }, "Reset zoom");
    this.controls = element("div", { class: "controls" }, this.whole, ...controls);
    this.numbers = folded("Numbers", () => this.numbersTable());
    this.nothing = element("p", { class: "nothing", hidden: true }, "Nothing to draw here.");
    this.said = element("p", { class: "unseen", role: "status" });
    this.exports = exportButtons(this, title);
    this.mouseHint = element("p", { class: "mouse", "aria-hidden": "true" }, "Zoom: drag, or Ctrl + wheel");
    this.area = element("div", { class: "canvas" }, this.canvas, this.nothing, this.hint);
    this.figure = element("figure", { class: "plot", id: name },
      element("figcaption", {}, this.heading, this.controls), this.area, this.said, element("div", { class: "foot" }, this.numbers, this.mouseHint, this.exports));
    letZoom(this);
    letRead(this);
    plots.add(this);
  }

  /// `x`, `y`: {label, log, text(value), mark(value) beside the axis if that is another text, values:
  /// [[number, text],..] where the ticks are to be those, most: what no value can exceed, though an interval may,
  /// hasFloor: whether what is zero or less stands on the edge of a logarithmic axis rather than nowhere,
  /// cutsGround: whether a logarithmic axis ends where the others do, as far as the ground may go down,
  /// categories: whether they are names without an order, tight: whether the lines end where the axis does}.
  /// `lines`: {name, series, points: [[x, y],..], raw: the points before they were smoothed, if they were, band:
  /// [[x, low, high],..] if there are intervals, isGround: whether it is drawn below the others}, series null for a
  /// line that is none (the target), whose name is written at `nameAt`, 0 for its begin and 1 for its end. `marks`: {x,
  /// what}: what happened to peers meanwhile.
  draw({ x, y, lines, marks = [] }) {
    this.drawn = { x, y, lines, marks };
    this.zoom = x.categories ? null : this.zoomIn(x);
    this.whole.hidden = this.zoom === null;
    this.hint.textContent = `Keys: ← → read the values${x.categories ? "" : ", + − zoom, Shift ← → move, Esc shows all. A drag or Ctrl + wheel zooms, too"}.`;
    this.mouseHint.hidden = Boolean(x.categories);
    this.floor = y.log && y.hasFloor ? floorOf(lines) : null;
    const drawn = lines.filter(({ series }) => series !== null);
    const datasets = lines.flatMap((line) => this.datasetsOf(line, x.categories && line.series !== null ? (drawn.indexOf(line) + 0.5) / drawn.length - 0.5 : 0));
    const empty = datasets.every(({ data }) => data.length === 0);
    this.nothing.hidden = !empty;
    this.canvas.hidden = this.exports.hidden = empty;
    const title = this.heading.textContent;
    this.canvas.setAttribute("aria-label", `${title}${title.includes("against") ? "" : ` against ${x.label}`}: ${lines.map((line) => line.name).join(", ")}`);
    const options = this.options(x, y);
    const drawnAlong = (key) => datasets.flatMap(({ data }) => data.map((point) => point[key]));
    if (x.tight && !x.log) options.scales.x.max = 1.02 * Math.max(0, mostOf(drawnAlong("x")));
    if (x.categories) Object.assign(options.scales.x, { min: -0.5, max: x.values.length - 0.5 });
    else if (x.values) Object.assign(options.scales.x, withRoom(drawnAlong("x"), x.log));
    if (y.log) Object.assign(options.scales.y, withRoom(drawnAlong("y"), true));
    if (this.floor !== null) options.scales.y.min = this.floor;
    const methods = datasets.filter(({ isGround, data }) => !isGround && data.length > 0);
    if (y.log && y.cutsGround && methods.length > 0) options.scales.y.min = withRoom(methods.flatMap(({ data }) => data.map((point) => point.y)), true).min;
    if (isKnown(y.most) && mostOf(drawnAlong("y").filter(isKnown)) > y.most) options.scales.y.max = y.most;
    if (this.zoom) Object.assign(options.scales.x, { min: this.zoom[0], max: this.zoom[1] });
    this.show({ type: "line", data: { datasets, marks }, options });
    this.numbers.outdate();
  }

  /// What Chart.js draws of one line. Names without an order are joined by no line; dots of several series at
  /// one name stand beside each other, `aside` (-0.5 to 0.5) of the room that it has.
  datasetsOf({ name, series, points, raw, band, nameAt, isGround }, aside) {
    const { x, y } = this.drawn;
    const visible = (value, log) => isKnown(value) && (!log || value > 0);
    const isBelow = (value) => this.floor !== null && isKnown(value) && value <= this.floor;
    const dataOf = (of) => this.inZoom(of.filter(([a, b]) => visible(a, x.log) && (visible(b, y.log) || isBelow(b))))
      .map(([a, b]) => ({ x: a + 0.6 * aside, y: isBelow(b) ? this.floor : b, ends: ends.get(a), ...(isBelow(b) ? { isBelow: true } : {}) }));
    const ends = new Map((band ?? []).map(([a, low, high]) => [a, [low, high]]));
    const data = dataOf(points);
    // A bound holds for all of the room that the names have.
    if (series === null && x.categories && data.length > 1) [data[0].x, data.at(-1).x] = [-0.5, x.values.length - 0.5];
    if (series === null) return [{ label: name, data, parsing: false, aid: true, written: name, writtenAt: nameAt, borderColor: ink("muted"), borderWidth: 1, borderDash: [3, 3], pointRadius: 0, pointHitRadius: 0 }];
    const every = Math.max(1, Math.floor(data.length / markersOnLine));
    const style = lineStyle(series);
    const main = { label: name, data, parsing: false, tension: 0, ...style, showLine: !x.categories, pointHitRadius: 10, pointHoverRadius: 6, ...(this.floor === null ? {} : { clip: wholeMarkers }), order: isGround ? groundOrder : 0, isGround,
      pointRadius: x.categories ? 6 : data.map((_, k) => (k % every === 0 || k === data.length - 1 ? 4 : 0)) };
    const around = band ? this.bandDatasets(name, style.borderColor, points, band, aside).map((dataset) => ({ ...dataset, isGround })) : [];
    if (!raw) return [main, ...around];
    return [main, ...around, { label: `${name}, not smoothed`, data: dataOf(raw), parsing: false, aid: true, borderColor: faded(style.borderColor), borderWidth: 1, pointRadius: 0, pointHitRadius: 0, order: groundOrder, isGround }];
  }

  /// The 95 % intervals about a line: an area. About dots of names without an order: a bar each.
  bandDatasets(name, color, points, band, aside) {
    const { x, y } = this.drawn;
    // No logarithmic axis shows an end at or below zero.
    const floor = this.floor !== null ? this.floor : y.log ? leastOf(points.map(([, b]) => b).filter((b) => b > 0)) / 2 : -Infinity;
    const known = this.inZoom(band.filter(([a, low, high]) => isKnown(low) && high > floor && (!x.log || a > 0)));
    const aid = { label: `${name}, 95 % interval`, parsing: false, aid: true, pointRadius: 0, pointHitRadius: 0, order: bandOrder };
    const low = known.map(([a, least]) => ({ x: a + 0.6 * aside, y: Math.max(least, floor) }));
    const high = known.map(([a, , most]) => ({ x: a + 0.6 * aside, y: most }));
    if (x.categories) return low.map((end, k) => ({ ...aid, data: [end, high[k]], borderColor: color, borderWidth: 2 }));
    return [{ ...aid, data: low, borderWidth: 0 }, { ...aid, data: high, borderWidth: 0, fill: "-1", backgroundColor: thin(color) }];
  }

  options(x, y) {
    const scale = (axis) => ({
      type: axis.log ? "logarithmic" : "linear",
      title: { display: true, text: axis.label + (axis.log ? " (log)" : ""), color: ink("text") },
      grid: { color: ink("grid"), borderColor: ink("grid"), tickColor: ink("grid") },
      ticks: { color: ink("muted"), maxRotation: 40, autoSkip: !axis.categories, autoSkipPadding: 12, includeBounds: false, callback: axis.values
        ? (value) => (axis.values.find(([number]) => number === value) ?? ["", ""])[1]
        : function (value) { return axis.log && !isMarked(value, this) ? null : (axis.mark ?? axis.text)(value); } },
      ...(axis.values ? { afterBuildTicks: (built) => { built.ticks = axis.values.map(([value]) => ({ value })); } } : {}),
    });
    return {
      scales: { x: scale(x), y: scale(y) },
      interaction: { mode: "eachLine", intersect: false },
      plugins: { legend: { display: false }, tooltip: tooltipOf(x, y) },
    };
  }

  show(config) {
    this.config = config;
    if (this.chart) {
      this.chart.data = config.data;
      this.chart.options = config.options;
      this.chart.update("none");
    } else {
      this.chart = new Chart(this.canvas, config);
    }
  }

  /// After the colors have changed, or what is zoomed into.
  redraw() {
    if (this.drawn) this.draw(this.drawn);
  }

  /// When it is taken off the page.
  forget() {
    this.chart?.destroy();
    plots.delete(this);
  }

  numbersTable() {
    const { x, y, lines } = this.drawn;
    const xs = [...new Set(lines.flatMap(({ points }) => points.map(([a]) => a)))].filter(isKnown).sort((a, b) => a - b);
    const every = Math.ceil(xs.length / rowsInTable);
    const kept = xs.filter((_, k) => k % every === 0 || k === xs.length - 1);
    const found = lines.map(({ points }) => new Map(points));
    const ends = lines.map(({ band }) => new Map((band ?? []).map(([a, low, high]) => [a, [low, high]])));
    return table(`${this.heading.textContent}, in numbers`,
      [{ text: x.label, number: true }, ...lines.map(({ name }) => ({ text: name, number: true }))],
      kept.map((value) => [valueText(x, value), ...found.map((of, k) => (of.has(value) ? y.text(of.get(value)) + intervalText(ends[k].get(value), y.text) : ""))]));
  }

  /// The part of the x-axis that is looked at, [least, most], or null for all of it.
  zoomIn(x) {
    const [label, least, most] = this.keptZoom.text.split("~");
    return label === x.label && Number(least) < Number(most) && (!x.log || Number(least) > 0) ? [Number(least), Number(most)] : null;
  }

  zoomTo(range) {
    if (!this.drawn || this.drawn.x.categories) return;
    this.keptZoom.text = range ? [this.drawn.x.label, ...range.map((end) => Number(end.toPrecision(6)))].join("~") : "";
    this.redraw();
  }

  /// The points in sight, and one beyond each end, so that the line goes on to the edge.
  inZoom(points) {
    if (!this.zoom) return points;
    const [least, most] = this.zoom;
    return points.filter(([x], k) => x >= least && x <= most || (x < least && points[k + 1]?.[0] > least) || (x > most && points[k - 1]?.[0] < most));
  }
}
