// Zooming into the x-axis of a plot: a drag over the part to be seen, the wheel with Ctrl, or keys. The wheel alone
// scrolls the page, as it does everywhere else.

const shortestDrag = 8;

/// How much of what is seen a wheel's step of 100 pixels leaves.
const wheelZoom = 0.8;
const pixelsOfWheel = ({ deltaY, deltaMode }) => Math.max(-300, Math.min(300, deltaY * [1, 33, 300][deltaMode]));

function letZoom(plot) {
  const band = element("div", { class: "selection", hidden: true });
  plot.area.append(band);
  let from = null;
  const along = (event) => {
    const { left, right } = plot.chart.chartArea;
    return Math.min(right, Math.max(left, event.clientX - plot.canvas.getBoundingClientRect().left));
  };
  const canZoom = () => plot.drawn && !plot.drawn.x.categories && plot.chart;
  const stop = () => {
    from = null;
    band.hidden = true;
  };
  plot.canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !canZoom()) return;
    from = along(event);
    plot.canvas.setPointerCapture(event.pointerId);
  });
  plot.canvas.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const { top, bottom } = plot.chart.chartArea;
    const to = along(event);
    band.hidden = Math.abs(to - from) < shortestDrag;
    Object.assign(band.style, { left: `${Math.min(from, to)}px`, width: `${Math.abs(to - from)}px`, top: `${top}px`, height: `${bottom - top}px` });
  });
  plot.canvas.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const ends = [from, along(event)].sort((a, b) => a - b);
    stop();
    if (ends[1] - ends[0] >= shortestDrag) plot.zoomTo(ends.map((end) => plot.chart.scales.x.getValueForPixel(end)));
  });
  plot.canvas.addEventListener("pointercancel", stop);  // the finger scrolls the page
  plot.canvas.addEventListener("dblclick", () => plot.zoomTo(null));

  // In pixels, so that a step is as long on a logarithmic axis.
  const see = (begin, end) => plot.zoomTo([begin, end].map((pixel) => plot.chart.scales.x.getValueForPixel(pixel)));

  /// The same, but not beyond what there is: then all is seen.
  const seeWithin = (begin, end) => {
    const there = plot.drawn.lines.flatMap(({ points }) => points.map(([x]) => x)).filter((x) => isKnown(x) && (!plot.drawn.x.log || x > 0));
    const [least, most] = [leastOf(there), mostOf(there)];
    const [from, to] = [begin, end].map((pixel) => plot.chart.scales.x.getValueForPixel(pixel));
    plot.zoomTo(from <= least && to >= most ? null : [Math.max(from, least), Math.min(to, most)]);
  };

  // A pinch on a trackpad arrives as a wheel with Ctrl, too.
  plot.canvas.addEventListener("wheel", (event) => {
    if (!(event.ctrlKey || event.metaKey) || !canZoom()) return;
    event.preventDefault();  // else the browser zooms the whole page
    const { left, right } = plot.chart.chartArea;
    const at = along(event);
    const factor = wheelZoom ** (-pixelsOfWheel(event) / 100);
    if (factor > 1 && !plot.zoom) return;
    seeWithin(at - (at - left) * factor, at + (right - at) * factor);
  }, { passive: false });

  plot.canvas.addEventListener("keydown", (event) => {
    if (!canZoom() || event.ctrlKey || event.altKey || event.metaKey) return;
    const { left, right } = plot.chart.chartArea;
    const width = right - left;
    if (event.key === "+" || event.key === "=") see(left + width / 4, right - width / 4);
    else if (event.key === "-" && plot.zoom) seeWithin(left - width / 2, right + width / 2);
    else if (event.key === "ArrowLeft" && event.shiftKey && plot.zoom) see(left - width / 4, right - width / 4);
    else if (event.key === "ArrowRight" && event.shiftKey && plot.zoom) see(left + width / 4, right + width / 4);
    else if (event.key === "Escape" || event.key === "0") from === null ? plot.zoomTo(null) : stop();
    else return;
    event.preventDefault();
  });
}
