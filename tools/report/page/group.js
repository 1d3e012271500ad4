// A group of points: the runs, or a sweep with its axes. Its sections look at the same place, the values
// chosen on the axes, and hide the same series.

class Group {
  constructor(data, place) {
    this.hidden = new Set();
    this.changed = new Set();
    this.take(data, place);
    this.at = this.startingPlace();
  }

  /// The data of group `place`, also later again, while a run goes on.
  take(data, place) {
    this.data = data;
    Object.assign(this, data.groups[place]);
    this.byPlace = new Map(this.points.map((point) => [this.keyOf(point.series, point.at), point]));
    this.hasTarget = this.points.some((point) => isKnown(point.facts.target_loss));
    this.labels = this.axes.map(({ key }) => {
      // "topology.kind" is the topology, "network.bandwidth" the bandwidth.
      const short = (name) => name.replace(/\.kind$/, "").split(".").pop().replaceAll("_", " ");
      return this.axes.filter((axis) => short(axis.key) === short(key)).length > 1 ? key : short(key);
    });
  }

  keyOf(series, at) { return `${series}:${at.join(",")}`; }
  point(series, at = this.at) { return this.byPlace.get(this.keyOf(series, at)); }
  placeText(at = this.at) { return at.map((value, k) => `${this.labels[k]} ${this.axes[k].values[value]}`).join(", "); }
  indices() { return this.series.map((_, series) => series); }
  shown() { return this.indices().filter((series) => !this.hidden.has(series)); }

  /// In the middle of every axis, where most is tried.
  startingPlace() {
    const middle = this.axes.map(({ values }) => Math.floor((values.length - 1) / 2));
    return this.indices().some((series) => this.point(series, middle)) ? middle : this.points[0].at;
  }

  /// Calls `refresh` whenever the place, the hidden series or the data are others.
  follow(refresh) { this.changed.add(refresh); refresh(); }
  refresh() { for (const refresh of this.changed) refresh(); }
  goTo(at) { this.at = at; this.refresh(); }

  /// The places that differ from the present one on these axes only.
  placesAlong(...along) {
    let places = [this.at];
    for (const axis of along)
      places = places.flatMap((at) => this.axes[axis].values.map((_, value) => at.map((old, k) => (k === axis ? value : old))));
    return places;
  }

  learned(point) { return this.data.learned[point.learned] ?? {}; }
}

/// Selects for the values on the axes, all but those in `without()`.
function placeChooser(group, without = () => []) {
  const bar = element("div", { class: "controls place" });
  group.follow(() => {
    if (bar.contains(document.activeElement)) {  // which select has the focus must not be lost
      for (const [k, select] of [...bar.querySelectorAll("select")].entries()) select.selectedIndex = group.at[bar.axes[k]];
      return;
    }
    bar.axes = group.axes.map((_, axis) => axis).filter((axis) => !without().includes(axis));
    bar.replaceChildren(...bar.axes.map((axis) => choice(group.labels[axis], group.axes[axis].values, group.at[axis],
      (value) => group.goTo(group.at.map((old, k) => (k === axis ? value : old))))));
  });
  return bar;
}

function section(name, title, note, ...content) {
  return element("section", { id: name, "aria-label": title }, element("h3", {}, title), ...(note ? [element("p", { class: "note" }, note)] : []), ...content);
}
