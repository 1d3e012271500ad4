// A series is told by its color, its dashes and its marker together: none of them alone has to be seen.

const dashes = [[], [7, 4], [3, 3], [10, 4, 2, 4], [5, 2]];
const markers = [
  { style: "circle", sign: "●" }, { style: "triangle", sign: "▲" }, { style: "rect", sign: "■" }, { style: "rectRot", sign: "◆" },
  { style: "circle", sign: "○", hollow: true }, { style: "triangle", sign: "△", hollow: true },
  { style: "rect", sign: "□", hollow: true }, { style: "rectRot", sign: "◇", hollow: true }];
const colors = 8;

const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const colorName = (series) => `series-${series % colors}`;

function lineStyle(series) {
  const marker = markers[series % markers.length];
  const color = ink(colorName(series));
  return {
    borderColor: color, borderWidth: 2, borderDash: dashes[(series + Math.floor(series / colors)) % dashes.length],
    pointStyle: marker.style, pointBackgroundColor: marker.hollow ? ink("surface") : color, pointBorderColor: color, pointBorderWidth: 1.5,
  };
}

/// The marker of a series, as a sign of text in its color.
const sign = (series) => element("span", { class: "sign", style: `color:var(--${colorName(series)})`, "aria-hidden": "true" },
  markers[series % markers.length].sign);

function lineSample(series) {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 34 12");
  svg.setAttribute("width", "34");
  svg.setAttribute("height", "12");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(namespace, "path");
  line.setAttribute("d", "M0 6H34");
  line.setAttribute("style", `stroke:var(--${colorName(series)});stroke-width:2`);
  line.setAttribute("stroke-dasharray", dashes[(series + Math.floor(series / colors)) % dashes.length].join(" "));
  svg.append(line);
  return svg;
}

/// A button per series of the group, pressed while the series is shown.
function legend(group) {
  const buttons = group.series.map((name, series) => element("button", {
    type: "button", class: "series", onclick: () => {
      if (!group.hidden.delete(series)) group.hidden.add(series);
      group.refresh();
    },
  }, lineSample(series), sign(series), element("span", {}, name)));
  group.follow(() => { for (const [series, button] of buttons.entries()) button.setAttribute("aria-pressed", String(!group.hidden.has(series))); });
  return element("ul", { class: "legend", "aria-label": "Series, each shown while pressed" }, ...buttons.map((button) => element("li", {}, button)));
}
