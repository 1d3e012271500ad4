"""The course of a run's loss as a picture: an SVG without fonts or scripts of its own."""

import json
import subprocess

width, height = 640, 260
left, right, top, bottom = 56, 12, 12, 40


def of(program, run_file, folder):
    """Simulates the run file in the folder. Returns the points (iteration, loss)."""
    (folder / "run.toml").write_text(run_file)
    subprocess.run([program, "simulate", "run.toml", "--quiet", "--overwrite", "--output", "course"], cwd=folder,
                   check=True, stderr=subprocess.DEVNULL)
    lines = (folder / "course/metrics.jsonl").read_text().splitlines()
    points = [(record["iteration"], record["loss"]) for record in map(json.loads, lines)]
    return [point for point in points if point[1] is not None]


def ticks(most):
    """Three to eight round numbers from 0 to `most`: multiples of 1, 2 or 5 times a power of ten."""
    power = -9
    while most / 10.0 ** power > 40:
        power += 1
    step = next(factor * 10.0 ** power for factor in (1, 2, 5) if most / (factor * 10.0 ** power) <= 8)
    return [round(k * step, 9) for k in range(int(most / step) + 1)]


def picture(name, points, baseline):
    most_x = max(x for x, _ in points)
    most_y = 1.05 * max(y for _, y in points + baseline)

    def place(x, y):
        return (left + (width - left - right) * x / most_x, top + (height - top - bottom) * (1 - y / most_y))

    def line(curve, color, thickness):
        spots = " ".join("%.1f,%.1f" % place(x, y) for x, y in curve if x <= most_x)
        return f'<polyline points="{spots}" fill="none" stroke="{color}" stroke-width="{thickness}"/>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             f'font-size="12" fill="#333" role="img" aria-label="loss of {name} against iterations">']
    for y in ticks(most_y):
        across, down = place(0, y)
        parts.append(f'<line x1="{across:.1f}" y1="{down:.1f}" x2="{width - right}" y2="{down:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{down + 4:.1f}" text-anchor="end">{y:g}</text>')
    for x in ticks(most_x):
        across, down = place(x, 0)
        parts.append(f'<text x="{across:.1f}" y="{down + 16:.1f}" text-anchor="middle">{x:g}</text>')
    parts.append(f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">iterations</text>')
    parts.append(f'<text x="14" y="{height / 2 - 10}" text-anchor="middle" transform="rotate(-90 14 {height / 2 - 10})">'
                 "loss</text>")
    parts += [line(baseline, "#aaa", 1.5), line(points, "#d9480f", 2), "</svg>"]
    return "\n".join(parts) + "\n"
