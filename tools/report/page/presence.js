// Who was there when: what happened to the peers of a run, and when.

/// {sign beside words, words after "peer 3", whether the peer is away from then on}
const happenings = {
  lost: { sign: "✕", text: "was lost", isAway: true },
  returned: { sign: "▲", text: "came back" },
  joined: { sign: "✚", text: "joined, as a new process" },
  restarted: { sign: "●", text: "was killed, and came back from its checkpoint" },
  "took over": { sign: "◆", text: "took over from the hub" },
  "program restarted": { sign: "■", text: "had its program started anew" },
};

/// Of so many peers a lane is drawn, each on a line of its own.
const mostLanes = 24;
/// More marks than this would hide the curves.
const mostMarks = 40;

/// What happened to the peers of a point, as far as this page knows the words.
const eventsOf = (point) => (Array.isArray(point.events) ? point.events : []).filter(({ what, peer }) => Object.hasOwn(happenings, what) && isKnown(peer));

/// Between which two evaluations of its run an event was: their index, and a share. The seconds say it, or else the
/// iteration; null if neither is known.
function placeOf(event, learned, point) {
  const [at, times] = isKnown(event.seconds) ? [event.seconds, point.seconds] : [event.iteration, learned.iteration];
  if (!isKnown(at) || !Array.isArray(times) || times.length === 0) return null;
  const after = times.findIndex((time) => time >= at);
  if (after < 0) return times.length - 1;
  if (after === 0) return 0;
  return after - 1 + (at - times[after - 1]) / (times[after] - times[after - 1]);
}

function numberAt(place, numbers) {
  const before = Math.floor(place);
  const [one, next] = [numbers?.[before], numbers?.[before + 1]];
  if (!isKnown(one)) return null;
  return isKnown(next) ? one + (place - before) * (next - one) : one;
}

/// The second of an event, read between two evaluations if its record does not say it.
function secondOf(event, group, point) {
  if (isKnown(event.seconds)) return event.seconds;
  const place = placeOf(event, group.learned(point), point);
  return place === null ? null : numberAt(place, point.seconds);
}

/// {x, what, series}: where the events of the points are on this axis of a chart of curves.
function marksOn(group, points, axis) {
  if (group.isRepeated) return [];
  const marks = points.flatMap((point) => eventsOf(point).map((event) => {
    const place = placeOf(event, group.learned(point), point);
    return { x: place === null ? null : numberAt(place, axis.of(group.learned(point), point)), what: event.what, series: point.series };
  })).filter(({ x }) => isKnown(x));
  return marks.length <= mostMarks ? marks : marks.filter(({ what }) => what === "lost").slice(0, mostMarks);
}

const markOutlines = {
  lost: (pen, x, y, r) => { pen.moveTo(x - r, y - r); pen.lineTo(x + r, y + r); pen.moveTo(x + r, y - r); pen.lineTo(x - r, y + r); },
  returned: (pen, x, y, r) => { pen.moveTo(x, y - r); pen.lineTo(x + r, y + r); pen.lineTo(x - r, y + r); pen.closePath(); },
  joined: (pen, x, y, r) => { pen.moveTo(x - r, y); pen.lineTo(x + r, y); pen.moveTo(x, y - r); pen.lineTo(x, y + r); },
  restarted: (pen, x, y, r) => { pen.arc(x, y, r, 0, 2 * Math.PI); pen.closePath(); },
  "took over": (pen, x, y, r) => { pen.moveTo(x, y - r); pen.lineTo(x + r, y); pen.lineTo(x, y + r); pen.lineTo(x - r, y); pen.closePath(); },
  "program restarted": (pen, x, y, r) => { pen.rect(x - r, y - r, 2 * r, 2 * r); },
};

const inkOf = (what) => ink(happenings[what].isAway ? "alarm" : "text");

function drawMark(pen, what, x, y) {
  pen.save();
  Object.assign(pen, { strokeStyle: inkOf(what), fillStyle: inkOf(what), lineWidth: 2.5 });
  pen.beginPath();
  markOutlines[what](pen, x, y, 4);
  if (what !== "lost" && what !== "joined") pen.fill();
  pen.stroke();
  pen.restore();
}

/// Events stand above the curves, each with a line down through them.
Chart.register({ id: "eventMarks", afterDatasetsDraw: (chart) => {
  const { ctx, data: { marks = [] }, scales, chartArea: { left, right, top, bottom } } = chart;
  for (const { x, what } of marks) {
    const at = scales.x.getPixelForValue(x);
    if (!(at >= left - 1 && at <= right + 1)) continue;
    ctx.save();
    Object.assign(ctx, { strokeStyle: inkOf(what), lineWidth: 1 });
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    ctx.moveTo(at, top + 12);
    ctx.lineTo(at, bottom);
    ctx.stroke();
    ctx.restore();
    drawMark(ctx, what, at, top + 6);
  }
} });

/// "peers 1, 2 and 5"
const peersText = (peers) => `${peers.length === 1 ? "peer" : "peers"} ${listText(peers.map(String))}`;

/// Who was lost, and what became of them: a sentence without its end; "" if nobody was.
function lossText(point) {
  const events = eventsOf(point);
  const lost = [...new Set(events.filter(({ what }) => what === "lost").map(({ peer }) => peer))].sort((a, b) => a - b);
  if (lost.length === 0) return "";
  const last = (peer) => events.findLast((event) => event.peer === peer && ["lost", "returned", "joined"].includes(event.what)).what;
  const [back, anew] = ["returned", "joined"].map((what) => lost.filter((peer) => last(peer) === what));
  const rest = [back.length > 0 ? `${back.length === lost.length ? "" : `${listText(back.map(String))} `}came back` : "",
    anew.length > 0 ? `${anew.length === lost.length ? "" : `${listText(anew.map(String))} `}joined again` : ""].filter(Boolean).join(", ");
  return peersText(lost) + (rest ? `; ${rest}` : "");
}

/// The stretches of time in which a peer was away: [[from, to],..].
function absences(events, end) {
  const away = [];
  let since = events[0].what === "joined" ? 0 : null;
  for (const { what, at } of events) {
    if (what === "lost") since ??= at;
    else if (since !== null && (what === "returned" || what === "joined")) {
      away.push([since, at]);
      since = null;
    }
  }
  return since === null ? away : [...away, [since, end]];
}

/// A line per peer to which something happened, from the start of the run to its end.
class Lanes {
  constructor(name, title) {
    this.heading = element("h4", {}, title);
    this.canvas = element("canvas", { role: "img" });
    this.area = element("div", { class: "canvas" }, this.canvas);
    this.key = element("p", { class: "note" });
    this.numbers = folded("Numbers", () => this.map.table());
    this.figure = element("figure", { class: "plot wide", id: name }, element("figcaption", {}, this.heading), this.area, this.key,
      element("div", { class: "foot" }, this.numbers, exportButtons(this, title)));
    plots.add(this);
    this.observer = new ResizeObserver(() => this.redraw());
    this.observer.observe(this.area);
  }

  forget() {
    plots.delete(this);
    this.observer.disconnect();
  }

  /// `lanes`: {peer, events: {what, at, iteration}, in the order of time}; `end`: of the run, in seconds.
  draw(lanes, end) {
    Object.assign(this, { lanes, end });
    const all = lanes.flatMap(({ peer, events }) => events.map((event) => ({ ...event, peer }))).sort((a, b) => a.at - b.at);
    const words = ({ peer, what }) => `peer ${peer} ${happenings[what].text}`;
    this.map = {
      records: () => [["seconds", "peer", "what", "iteration"], ...all.map(({ at, peer, what, iteration }) => [at, peer, what, iteration])],
      table: () => table("What happened to the peers", [{ text: "when", number: true }, { text: "what" }, { text: "iteration", number: true }],
        all.map((event) => [secondsText(event.at), words(event), numberText(event.iteration, 9)])),
    };
    this.area.style.height = `${lanes.length * 26 + 52}px`;
    this.canvas.setAttribute("aria-label", `${this.heading.textContent}: ${all.map((event) => `${secondsMark(event.at)}: ${words(event)}`).join("; ")}`);
    this.key.replaceChildren(...[...new Set(all.map(({ what }) => what))].map((what) => element("span", { class: "happening" }, element("span", { class: happenings[what].isAway ? "alarm" : null }, happenings[what].sign), ` ${happenings[what].text}`)));
    this.numbers.outdate();
    this.redraw();
  }

  redraw() {
    const { width, height } = this.area.getBoundingClientRect();
    if (!this.lanes || width === 0) return;
    this.paint(clearedCanvas(this.canvas, width, height)[0], width, height);
  }

  paint(pen, width, height) {
    pen.font = `12px ${Chart.defaults.font.family}`;
    const names = this.lanes.map(({ peer }) => `peer ${peer}`);
    const left = Math.max(...names.map((name) => pen.measureText(name).width)) + 12;
    const [right, bottom] = [width - 12, height - 44];
    const step = Math.min(40, bottom / this.lanes.length);
    const xOf = (at) => left + (right - left) * Math.min(1, at / this.end);
    for (const [k, { events }] of this.lanes.entries()) {
      const y = (k + 0.5) * step;
      Object.assign(pen, { fillStyle: ink("text"), textAlign: "right", textBaseline: "middle" });
      pen.fillText(names[k], left - 8, y);
      pen.fillStyle = ink("series-2");
      pen.fillRect(left, y - 5, right - left, 10);
      for (const [from, to] of absences(events, this.end)) {
        pen.fillStyle = ink("surface");
        pen.fillRect(xOf(from), y - 6, xOf(to) - xOf(from), 12);
        pen.fillStyle = ink("alarm");
        pen.fillRect(xOf(from), y - 1, xOf(to) - xOf(from), 2);
      }
      for (const { what, at } of events) {
        pen.fillStyle = ink("surface");
        pen.fillRect(xOf(at) - 7, y - 7, 14, 14);
        drawMark(pen, what, xOf(at), y);
      }
    }
    this.paintAxis(pen, xOf, bottom);
  }

  paintAxis(pen, xOf, bottom) {
    const rough = this.end / 6;
    const gap = roundAbove(rough);
    Object.assign(pen, { fillStyle: ink("muted"), textBaseline: "top", textAlign: "center" });
    for (let k = 0; k * gap <= this.end; ++k) {
      pen.fillRect(xOf(k * gap), bottom, 1, 5);
      pen.fillText(secondsMark(k * gap), xOf(k * gap), bottom + 8);
    }
    pen.fillStyle = ink("text");
    pen.fillText("seconds", (xOf(0) + xOf(this.end)) / 2, bottom + 26);
  }
}

/// The peers to which something happened at a known time, with what happened.
function lanesOf(group, point) {
  const timed = eventsOf(point).map((event) => ({ ...event, at: secondOf(event, group, point) })).filter(({ at }) => isKnown(at)).sort((a, b) => a.at - b.at);
  return [...new Set(timed.map(({ peer }) => peer))].sort((a, b) => a - b).map((peer) => ({ peer, events: timed.filter((event) => event.peer === peer) }));
}

function presenceSection(group, name) {
  const eventful = () => group.points.filter((point) => eventsOf(point).length > 0);
  if (eventful().length === 0 && !group.data.live) return null;
  const which = element("div", { class: "controls" });
  const lanes = new Lanes(`${name}-lanes`, "Who was there when");
  const note = element("p", { class: "note" });
  const whole = section(`${name}-presence`, "Peers that came and went", "", which, note, lanes.figure);
  const kept = group.kept("presence.of", "");
  const draw = () => {
    const points = eventful();
    whole.hidden = points.length === 0;
    if (points.length === 0) return;
    const names = points.map((point) => group.nameOf(point) + (group.axes.length > 0 ? `, ${group.placeText(point.at)}` : ""));
    const chosen = Math.max(0, names.indexOf(kept.text));
    which.replaceChildren(...(names.length > 1 ? [choice("Run", names, chosen, (k) => { kept.text = names[k]; draw(); })] : []));
    const point = points[chosen];
    const all = lanesOf(group, point);
    const end = Math.max(point.facts.seconds ?? 0, ...all.flatMap(({ events }) => events.map(({ at }) => at)));
    const calm = (point.facts.peers ?? all.length) - all.length;
    note.textContent = [all.length > mostLanes ? `The first ${mostLanes} of ${counted(all.length, "peer")} to which something happened.` : "",
      calm > 0 ? `The other ${calm === 1 ? "peer was" : `${numberText(calm, 9)} peers were`} there all the time.` : "",
      all.length === 0 ? `Lost: ${lossText(point)}; the record does not say when.` : ""].filter(Boolean).join(" ");
    lanes.figure.hidden = all.length === 0 || !(end > 0);
    if (!lanes.figure.hidden) lanes.draw(all.slice(0, mostLanes), end);
  };
  group.follow(draw);
  return whole;
}
