// A chart to be taken along: its numbers as CSV, its picture as PNG.

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

/// A row per point. Of bars, a row per label.
function csvOf(plot) {
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
  return rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");
}

const downloadCsv = (plot) => download(fileName(plot, "csv"), new Blob([csvOf(plot)], { type: "text/csv;charset=utf-8" }));

/// Drawn anew, in one size whatever the window has, with its title and its legend.
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
    options: { ...options, responsive: false, events: [], devicePixelRatio: 2, layout: { padding: 16 }, plugins: { ...options.plugins, tooltip: { enabled: false },
      title: { display: true, text: plot.heading.textContent, color: ink("text"), font: { size: 18 } },
      legend: { display: true, position: "bottom", labels: { color: ink("text"), usePointStyle: true, filter: ({ datasetIndex }) => ![", not smoothed", ", 95 % interval"].some((end) => data.datasets[datasetIndex].label.endsWith(end)) } } } } });
  canvas.toBlob((blob) => {
    chart.destroy();
    download(fileName(plot, "png"), blob);
  });
}
