// A heat map: numbers as colors, rows by columns, with a scale beside it and the numbers as a table.

// Of viridis: it grows evenly in lightness, and those who do not tell colors apart read it, too.
const heatStops = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

function heatColor(share) {
  const at = Math.min(1, Math.max(0, share)) * (heatStops.length - 1);
  const below = Math.min(heatStops.length - 2, Math.floor(at));
  const mixed = heatStops[below].map((value, k) => Math.round(value + (heatStops[below + 1][k] - value) * (at - below)));
  return `rgb(${mixed.join(",")})`;
}

/// Indices along an axis that get a mark, the first and the last among them if there is room.
function markedAlong(count, room) {
  const most = Math.max(2, Math.floor(room));
  if (count <= most) return Array.from({ length: count }, (_, k) => k);
  const step = [1, 2, 5].flatMap((digit) => [1, 10, 100, 1000].map((ten) => digit * ten)).sort((a, b) => a - b).find((size) => Math.ceil(count / size) <= most);
  return Array.from({ length: Math.ceil(count / step) }, (_, k) => k * step);
}

class HeatMap {
  constructor(name, title, ...controls) {
    this.canvas = element("canvas", { role: "img", tabindex: "0", onmousemove: (event) => this.point(event), onclick: (event) => this.point(event),
      onmouseleave: () => this.mark(null), onblur: () => this.mark(null), onkeydown: (event) => this.step(event) });
    this.heading = element("h4", {}, title);
    this.readout = element("p", { class: "readout", role: "status" });
    this.numbers = folded("Numbers", () => this.map.table());
    this.figure = element("figure", { class: "plot heatmap", id: name },
      element("figcaption", {}, this.heading, element("div", { class: "controls" }, ...controls)), element("div", { class: "canvas" }, this.canvas), this.readout,
      element("div", { class: "foot" }, this.numbers, exportButtons(this, title)));
    this.marked = null;
    plots.add(this);
    this.observer = new ResizeObserver(() => this.redraw());
    this.observer.observe(this.canvas.parentElement);
  }

  /// It is not shown any more.
  forget() {
    plots.delete(this);
    this.observer.disconnect();
  }

  /// `rows`, `columns`: {label, count, text(index) beside the axis, marks: the indices with a text, of rows that choose them}; `value(row, column)`: a number, or null for
  /// nothing; `scale`: {label, log, text(value)}; `describe(row, column)`: a cell in words; `table()`; `records()`:
  /// the numbers as rows of a CSV file, below a row of their names.
  draw(map) {
    this.map = map;
    const values = [];
    this.hasBelowScale = false;
    for (let row = 0; row < map.rows.count; ++row)
      for (let column = 0; column < map.columns.count; ++column) {
        const value = map.value(row, column);
        if (!isKnown(value)) continue;
        if (!map.scale.log || value > 0) values.push(value);
        else this.hasBelowScale = true;  // zero: a logarithmic scale has no place for it
      }
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    const least = map.scale.log ? values.reduce((a, b) => Math.min(a, b), most) : 0;
    this.ends = [least, most];
    this.canvas.setAttribute("aria-label", `${this.heading.textContent}: ${map.rows.label} by ${map.columns.label}, ${map.scale.text(least)} to ${map.scale.text(most)}; the arrow keys go through the cells`);
    this.mark(null);
    this.redraw();
    this.numbers.outdate();
  }

  share(value) {
    const [least, most] = this.ends;
    if (most <= least) return value >= most && most > 0 ? 1 : 0;
    return this.map.scale.log ? (value > 0 ? Math.log(value / least) / Math.log(most / least) : 0) : value / most;
  }

  redraw() {
    const { width, height } = this.canvas.parentElement.getBoundingClientRect();
    if (!this.map || width === 0) return;
    const [pen, density] = clearedCanvas(this.canvas, width, height);
    Object.assign(this, this.paint(pen, width, height, density));
    if (this.marked) {
      const [row, column] = this.marked;
      const { area, cell } = this;
      pen.strokeStyle = ink("text");
      pen.lineWidth = 2;
      pen.strokeRect(area.left + column * cell.width - 1, area.top + row * cell.height - 1, Math.max(3, cell.width) + 1, Math.max(3, cell.height) + 1);
    }
  }

  /// Draws the map, its axes and its scale. Returns where the cells are.
  paint(pen, width, height, density) {
    pen.font = `12px ${Chart.defaults.font.family}`;
    const { rows, columns, value, scale } = this.map;
    const widest = Math.max(...(rows.marks ?? markedAlong(rows.count, 8)).map((row) => pen.measureText(rows.text(row)).width), 0);
    const scaleText = [0, 0.5, 1].map((share) => scale.text(this.valueAt(share)));
    if (this.hasBelowScale) scaleText[0] = `≤ ${scaleText[0]}`;
    const besides = Math.max(...scaleText.map((text) => pen.measureText(text).width));
    const area = { left: widest + 34, top: 6, right: width - besides - 40, bottom: height - 42 };
    const cell = { width: (area.right - area.left) / columns.count, height: (area.bottom - area.top) / rows.count };
    pen.fillStyle = ink("grid");
    pen.fillRect(area.left, area.top, area.right - area.left, area.bottom - area.top);
    const gap = Math.min(cell.width, cell.height) > 6 ? 1 : 0;
    for (let row = 0; row < rows.count; ++row)
      for (let column = 0; column < columns.count; ++column) {
        const here = value(row, column);
        if (!isKnown(here)) continue;
        pen.fillStyle = heatColor(this.share(here));
        // To whole pixels, else a hairline of the ground shows between the cells.
        const [x, y] = [area.left + column * cell.width, area.top + row * cell.height];
        const [x0, y0, x1, y1] = [x, y, x + cell.width, y + cell.height].map((at) => Math.round(at * density) / density);
        pen.fillRect(x0, y0, Math.max(x1 - x0 - gap, 1 / density), Math.max(y1 - y0 - gap, 1 / density));
      }
    this.drawAxes(pen, area, cell);
    this.drawScale(pen, area, width, scaleText);
    return { area, cell };
  }

  valueAt(share) {
    const [least, most] = this.ends;
    return this.map.scale.log && least > 0 ? least * (most / least) ** share : most * share;
  }

  drawAxes(pen, area, cell) {
    const { rows, columns } = this.map;
    pen.fillStyle = ink("muted");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const row of rows.marks ?? markedAlong(rows.count, (area.bottom - area.top) / 18)) pen.fillText(rows.text(row), area.left - 6, area.top + (row + 0.5) * cell.height);
    pen.textBaseline = "top";
    pen.textAlign = "center";
    const widest = pen.measureText(columns.text(columns.count - 1)).width + 14;
    for (const column of markedAlong(columns.count, (area.right - area.left) / widest)) pen.fillText(columns.text(column), area.left + (column + 0.5) * cell.width, area.bottom + 5);
    pen.fillStyle = ink("text");
    pen.fillText(columns.label, (area.left + area.right) / 2, area.bottom + 23);
    pen.save();
    pen.translate(6, (area.top + area.bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(rows.label, 0, 0);
    pen.restore();
  }

  drawScale(pen, area, width, texts) {
    const left = area.right + 14;
    const steps = 64;
    const height = (area.bottom - area.top) / steps;
    for (let step = 0; step < steps; ++step) {
      pen.fillStyle = heatColor(1 - step / (steps - 1));
      pen.fillRect(left, area.top + step * height, 12, height + 0.5);
    }
    pen.fillStyle = ink("muted");
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (const [k, text] of texts.entries()) pen.fillText(text, left + 17, area.bottom - 6 - (k / 2) * (area.bottom - area.top - 12));
    pen.fillStyle = ink("text");
    pen.textAlign = "right";
    pen.textBaseline = "top";
    pen.fillText(this.map.scale.label, width - 2, area.bottom + 23);
  }

  point(event) {
    if (!this.area) return;
    const { left, top } = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - top - this.area.top) / this.cell.height);
    const column = Math.floor((event.clientX - left - this.area.left) / this.cell.width);
    const inside = row >= 0 && column >= 0 && row < this.map.rows.count && column < this.map.columns.count;
    this.mark(inside ? [row, column] : null);
  }

  step(event) {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!by || !this.map) return;
    event.preventDefault();
    const { rows, columns } = this.map;
    const [row, column] = this.marked ?? [0, 0];
    this.mark(this.marked ? [Math.min(rows.count - 1, Math.max(0, row + by[0])), Math.min(columns.count - 1, Math.max(0, column + by[1]))] : [0, 0]);
  }

  mark(cell) {
    if (String(cell) === String(this.marked) && this.readout.textContent !== "") return;
    this.marked = cell;
    this.readout.textContent = cell && this.map ? this.map.describe(...cell) : "Point at a cell, or go to one with the arrow keys.";
    this.redraw();
  }
}
