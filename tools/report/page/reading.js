// Reading a chart: at the pointer, or at the arrow keys, the value of every line.

const linesInTooltip = 12;
/// How far beyond its end a line is still read, in pixels.
const reach = 14;

/// The place in `elements`, which go from left to right, that is nearest to `x`.
function nearest(elements, x) {
  let [low, high] = [0, elements.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (elements[middle].x <= x) low = middle;
    else high = middle;
  }
  return Math.abs(elements[high].x - x) < Math.abs(elements[low].x - x) ? high : low;
}

/// A mode of interaction of Chart.js: of every line the point that is nearest along x. Of many lines, those
/// that are nearest to the pointer.
Chart.Interaction.modes.eachLine = (chart, event) => {
  const items = [];
  for (const { index: datasetIndex, data } of chart.getSortedVisibleDatasetMetas()) {
    if (chart.data.datasets[datasetIndex].aid || data.length === 0) continue;
    // Dots that stand aside of their name are all read at that name.
    const room = chart.data.datasets[datasetIndex].showLine === false ? chart.scales.x.getPixelForValue(0.5) - chart.scales.x.getPixelForValue(0) : reach;
    const index = nearest(data, event.x);
    if (event.x < data[0].x - room || event.x > data.at(-1).x + room) continue;
    if (room !== reach && Math.abs(data[index].x - event.x) > room) continue;
    items.push({ element: data[index], datasetIndex, index });
  }
  const away = ({ element }) => Math.abs(element.y - event.y);
  chart.linesRead = items.length;
  return items.sort((a, b) => away(a) - away(b)).slice(0, linesInTooltip).sort((a, b) => a.element.y - b.element.y);
};

function tooltipOf(x, y) {
  const whereOf = (item) => (x.categories ? Math.round(item.parsed.x) : item.parsed.x);
  return {
    usePointStyle: true, boxPadding: 4, caretSize: 0, position: "nearest",
    itemSort: (a, b) => a.element.y - b.element.y,
    callbacks: {
      title: ([item]) => (item ? `${x.label}: ${valueText(x, whereOf(item))}` : ""),
      // Lines have their evaluations at other seconds each: whose is not where the title says, says where.
      label: (item) => {
        const first = item.chart.tooltip.dataPoints?.[0] ?? item;
        const elsewhere = !x.categories && Math.abs(item.element.x - first.element.x) >= 3;
        return ` ${item.dataset.label}: ${item.raw.isBelow ? "≤ " : ""}${y.text(item.parsed.y)}${intervalText(item.raw.ends, y.text)}${elsewhere ? ` (at ${x.text(item.parsed.x)})` : ""}`;
      },
      footer: (items) => (items.length > 0 && items[0].chart.linesRead > items.length ? `and ${items[0].chart.linesRead - items.length} more` : ""),
    },
  };
}

function letRead(plot) {
  const { canvas } = plot;
  /// Reads at the next place that has a point, in the direction `step`.
  const read = (step) => {
    const { chart } = plot;
    const { left, right, top, bottom } = chart.chartArea;
    const places = [...new Set(chart.getSortedVisibleDatasetMetas().filter(({ index }) => !chart.data.datasets[index].aid).flatMap(({ data }) => data.map(({ x }) => Math.round(x))))]
      .filter((x) => x >= left - 1 && x <= right + 1).sort((a, b) => a - b);
    if (places.length === 0) return;
    const before = plot.readAt ?? (step > 0 ? -Infinity : Infinity);
    plot.readAt = (step > 0 ? places.find((x) => x > before + 0.5) : places.findLast((x) => x < before - 0.5)) ?? (step > 0 ? places.at(-1) : places[0]);
    const event = { x: plot.readAt, y: (top + bottom) / 2, type: "mousemove", native: null };
    const options = { ...chart.options.interaction, axis: "x" };
    const items = Chart.Interaction.modes[options.mode](chart, event, options, false);
    chart.setActiveElements(items);
    chart.tooltip.setActiveElements(items, event);
    chart.render();
    plot.said.textContent = [...chart.tooltip.title, ...chart.tooltip.body.flatMap(({ lines }) => lines)].join("; ");
  };
  canvas.addEventListener("keydown", (event) => {
    if (!plot.chart || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    read(event.key === "ArrowRight" ? 1 : -1);
  });
  canvas.addEventListener("blur", () => {
    plot.readAt = null;
    plot.chart?.setActiveElements([]);
    plot.chart?.tooltip.setActiveElements([], { x: 0, y: 0 });
    plot.chart?.render();
  });
}
