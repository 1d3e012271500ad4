// A series is told by its color, its dashes and its marker together: none of them alone has to be seen.

const dashes = [[], [7, 4], [3, 3], [10, 4, 2, 4], [5, 2]];
const markers = [
  { style: "circle", sign: "●" }, { style: "triangle", sign: "▲" }, { style: "rect", sign: "■" }, { style: "rectRot", sign: "◆" },
  { style: "circle", sign: "○", hollow: true }, { style: "triangle", sign: "△", hollow: true },
  { style: "rect", sign: "□", hollow: true }, { style: "rectRot", sign: "◇", hollow: true }];
const colors = 8;

const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const colorName = (series) => `series-${series % colors}`;
/// Once all colors are taken, each comes with another marker.
const markerOf = (series) => markers[(series + 3 * Math.floor(series / colors)) % markers.length];

function lineStyle(series) {
  const marker = markerOf(series);
  const color = ink(colorName(series));
  return {
    borderColor: color, borderWidth: 2, borderDash: dashes[(series + Math.floor(series / colors)) % dashes.length],
    pointStyle: marker.style, pointBackgroundColor: marker.hollow ? ink("surface") : color, pointBorderColor: color, pointBorderWidth: 1.5,
  };
}

/// The color, so that what lies over it is read first.
const faded = (color) => (/^#[0-9a-f]{6}$/i.test(color) ? `${color}55` : color);

/// The color of an area, through which lines and other areas are seen.
const thin = (color) => (/^#[0-9a-f]{6}$/i.test(color) ? `${color}2e` : color);

/// The marker of a series, as a sign of text in its color.
const sign = (series) => element("span", { class: "sign", style: `color:var(--${colorName(series)})`, "aria-hidden": "true" },
  markerOf(series).sign);

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

/// A button per series of the group, pressed while the series is drawn. Of many, the list scrolls.
function legend(group) {
  const series = group.indices();
  const buttons = series.map((one) => element("button", {
    type: "button", class: "series", onclick: () => {
      const drawn = new Set(group.shown());
      if (!drawn.delete(one)) drawn.add(one);
      group.drawOnly(drawn);
    },
  }, lineSample(one), sign(one), element("span", {}, group.series[one])));
  const list = element("ul", { class: `legend${series.length > 16 ? " many" : ""}`, "aria-label": `Series (${group.color.label}), each drawn while pressed` }, ...buttons.map((button) => element("li", {}, button)));
  const said = element("p", { class: "note" });
  const every = element("span", { class: "controls" },
    element("button", { type: "button", onclick: () => group.drawOnly(new Set(series)) }, "Draw all"),
    element("button", { type: "button", onclick: () => group.drawOnly(new Set()) }, "Draw none"));
  group.follow(() => {
    for (const [k, button] of buttons.entries()) button.setAttribute("aria-pressed", String(!group.hidden.has(series[k])));
    said.textContent = `${numberText(group.shown().length, 9)} of ${numberText(series.length, 9)} are drawn: press a name to draw it, or not.`;
    said.hidden = group.hidden.size === 0;
  });
  // One series alone needs no name beside its line: the page is about it.
  return element("div", { class: "legends", hidden: series.length < 2 }, list, ...(series.length > 8 ? [every] : []), said);
}
