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

/// A button per series, pressed while it is shown. `changed()` is called when one is hidden or comes back.
function legend(names, hidden, changed) {
  const buttons = names.map((name, series) => {
    const button = element("button", {
      type: "button", class: "series", "aria-pressed": String(!hidden.has(series)), onclick: () => {
        if (!hidden.delete(series)) hidden.add(series);
        button.setAttribute("aria-pressed", String(!hidden.has(series)));
        changed();
      },
    }, lineSample(series), sign(series), element("span", {}, name));
    return button;
  });
  return element("ul", { class: "legend", "aria-label": "Series: press to hide or show" }, ...buttons.map((button) => element("li", {}, button)));
}
