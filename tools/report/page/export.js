// A chart or a heat map to be taken along: its numbers as CSV, its picture as PNG.

const pictureSize = { width: 1200, height: 675 };

function download(name, blob) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/// "Loss against seconds" is in loss-against-seconds.csv.
const fileName = (plot, ending) => `${plot.heading.textContent.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}.${ending}`;

const csvCell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/// Rows of cells: of a chart one per point, of bars one per label, of a heat map one per cell.
function recordsOf(plot) {
  if (plot.map) return plot.map.records();
  const rows = [];
  if (plot.drawn) {
    const { x, y, lines } = plot.drawn;
    const smoothed = lines.some(({ raw }) => raw);
    const banded = lines.some(({ band }) => band);
    rows.push(["series", x.label, ...(smoothed ? [y.label, `${y.label}, smoothed`] : [y.label]), ...(banded ? ["low (95 %)", "high (95 %)"] : [])]);
    for (const { name, series, points, raw, band } of lines) {
      if (series === null) continue;
      for (const [k, [a, b]] of points.entries())
        rows.push([name, x.values ? valueText(x, a) : a, ...(smoothed ? [raw ? raw[k][1] : b, b] : [b]), ...(banded ? band?.[k].slice(1) ?? ["", ""] : [])]);
    }
  } else {
    const { labels, datasets } = plot.config.data;
    rows.push([plot.config.options.scales.x.title.text, ...datasets.map(({ label }) => label)]);
    for (const [k, label] of labels.entries()) rows.push([label, ...datasets.map(({ data }) => data[k])]);
  }
  return rows;
}

const csvOf = (plot) => recordsOf(plot).map((row) => row.map(csvCell).join(",") + "\r\n").join("");

const downloadCsv = (plot) => download(fileName(plot, "csv"), new Blob([csvOf(plot)], { type: "text/csv;charset=utf-8" }));

function exportButtons(plot, title) {
  return element("div", { class: "exports" },
    element("button", { type: "button", "aria-label": `${title}: numbers as CSV`, onclick: () => downloadCsv(plot) }, "CSV"),
    element("button", { type: "button", "aria-label": `${title}: picture as PNG`, onclick: () => (plot.map ? downloadHeatMap(plot) : downloadPicture(plot)) }, "PNG"));
}

const pictureDensity = 2;
const savePicture = (plot, canvas, then = () => {}) => canvas.toBlob((blob) => {
  then();
  download(fileName(plot, "png"), blob);
});

/// Drawn anew, in one size whatever the window has, with its title.
function downloadHeatMap(plot) {
  const { width, height } = pictureSize;
  const canvas = element("canvas", { width: pictureDensity * width, height: pictureDensity * height });
  const pen = canvas.getContext("2d");
  pen.scale(pictureDensity, pictureDensity);
  pen.fillStyle = ink("surface");
  pen.fillRect(0, 0, width, height);
  pen.font = `bold 18px ${Chart.defaults.font.family}`;
  pen.fillStyle = ink("text");
  pen.textAlign = "center";
  pen.fillText(plot.heading.textContent, width / 2, 32);
  const [side, top] = [16, 52];
  pen.translate(side, top);
  plot.paint(pen, width - 2 * side, height - top - side, pictureDensity);
  savePicture(plot, canvas);
}

/// The same of a chart, with its legend, too.
function downloadPicture(plot) {
  const { type, data, options } = plot.config;
  const canvas = element("canvas", pictureSize);
  const paper = { id: "paper", beforeDraw: ({ ctx }) => {
    ctx.save();
    ctx.fillStyle = ink("surface");
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.restore();
  } };
  const chart = new Chart(canvas, { type, plugins: [paper], data: { ...data, datasets: data.datasets.map((dataset) => ({ ...dataset })) },
    options: { ...options, responsive: false, events: [], devicePixelRatio: pictureDensity, layout: { padding: 16 }, plugins: { ...options.plugins, tooltip: { enabled: false },
      title: { display: true, text: plot.heading.textContent, color: ink("text"), font: { size: 18 } },
      legend: { display: true, position: "bottom", labels: { color: ink("text"), usePointStyle: true, filter: ({ datasetIndex }) => ![", not smoothed", ", 95 % interval"].some((end) => data.datasets[datasetIndex].label.endsWith(end)) } } } } });
  savePicture(plot, canvas, () => chart.destroy());
}
