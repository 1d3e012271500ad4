// Zooming into the x-axis of a plot: a drag over the part to be seen, or keys.

const shortestDrag = 8;

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

  plot.canvas.addEventListener("keydown", (event) => {
    if (!canZoom() || event.ctrlKey || event.altKey || event.metaKey) return;
    const { left, right } = plot.chart.chartArea;
    const width = right - left;
    // In pixels, so that a step is as long on a logarithmic axis.
    const see = (begin, end) => plot.zoomTo([begin, end].map((end) => plot.chart.scales.x.getValueForPixel(end)));
    if (event.key === "+" || event.key === "=") see(left + width / 4, right - width / 4);
    else if (event.key === "-" && plot.zoom) see(left - width / 2, right + width / 2);
    else if (event.key === "ArrowLeft" && event.shiftKey && plot.zoom) see(left - width / 4, right - width / 4);
    else if (event.key === "ArrowRight" && event.shiftKey && plot.zoom) see(left + width / 4, right + width / 4);
    else if (event.key === "Escape" || event.key === "0") from === null ? plot.zoomTo(null) : stop();
    else return;
    event.preventDefault();
  });
}
