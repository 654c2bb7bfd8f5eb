import { axisX, axisY, barX, plot, rectY, ruleX, ruleY, text } from "@observablehq/plot";
import type { Data } from "./data";

const WIDEST = 860;
const LONGEST_NAME = 26; // characters of a check's id beside its bar

/** Draws both charts, and draws them again when their width changes. */
export function drawCharts(data: Data): void {
  keepDrawn("points-chart", (width) => pointsChart(data, width));
  keepDrawn("checks-chart", (width) => checksChart(data, width));
}

function keepDrawn(id: string, draw: (width: number) => Element | null): void {
  const place = document.getElementById(id);
  if (!place) return;
  let drawn = 0;
  const redraw = (): void => {
    const width = Math.min(WIDEST, Math.floor(place.clientWidth));
    if (!width || width === drawn) return;
    drawn = width;
    const chart = draw(width);
    place.replaceChildren(...(chart ? [chart] : []));
  };
  new ResizeObserver(redraw).observe(place);
  redraw();
}

function pointsChart(data: Data, width: number): Element | null {
  if (!data.bins.length) return null;
  const bins = data.bins.map(([from, to, count]) => ({ from, to, count }));
  const ticks = width < 500 ? bins.filter((_, at) => at % 2 === 0).map((one) => one.from) : bins.map((one) => one.from);
  const chart = plot({
    width,
    height: 260,
    marginLeft: 44,
    marginBottom: 40,
    x: { label: "Points", domain: [0, data.most] },
    y: { label: "Students", grid: true },
    marks: [
      axisX([...ticks, data.most], { labelAnchor: "center", labelArrow: "none" }),
      axisY({ labelArrow: "none", tickFormat: (value: number) => (Number.isInteger(value) ? `${value}` : "") }),
      rectY(bins, { x1: "from", x2: "to", y: "count", insetLeft: 1, insetRight: 1, className: "bins" } as object),
      text(bins.filter((one) => one.count), {
        x: (one: { from: number; to: number }) => (one.from + one.to) / 2,
        y: "count",
        text: (one: { count: number }) => `${one.count}`,
        dy: -7,
      }),
      ruleY([0]),
    ],
  });
  return finished(chart, "Histogram of the points. The numbers are in the table below.");
}

interface Part {
  check: string;
  outcome: string;
  from: number;
  to: number;
  count: number;
  words: string;
}

function checksChart(data: Data, width: number): Element | null {
  if (!data.checks.length) return null;
  const parts: Part[] = [];
  for (const [check, counts] of data.checks) {
    let from = 0;
    counts.forEach((count, at) => {
      const [outcome, words] = data.outcomes[at];
      if (count) parts.push({ check, outcome, from, to: from + count, count, words });
      from += count;
    });
  }
  const total = Math.max(...parts.map((one) => one.to));
  const names = data.checks.map(([check]) => check);
  const longest = Math.min(LONGEST_NAME, Math.max(...names.map((name) => name.length)));
  const marginLeft = Math.min(longest * 7.5 + 16, width * 0.42);
  const room = Math.max(4, Math.floor((marginLeft - 16) / 7.5));
  const fits = (one: Part): boolean => ((width - marginLeft - 20) * one.count) / total > 9 * `${one.count}`.length + 4;
  const middle = (one: Part): number => (one.from + one.to) / 2;
  const chart = plot({
    width,
    height: 56 + names.length * 30,
    marginLeft,
    marginBottom: 40,
    x: { label: "Students", domain: [0, total] },
    y: { label: null, domain: names, padding: 0.25 },
    marks: [
      axisX({ labelAnchor: "center", labelArrow: "none", tickFormat: (value: number) => (Number.isInteger(value) ? `${value}` : "") }),
      axisY({ tickSize: 0, tickFormat: (name: string) => (name.length > room ? `${name.slice(0, room - 1)}…` : name) }),
      ...data.outcomes.map(([outcome]) =>
        barX(
          parts.filter((one) => one.outcome === outcome),
          { x1: "from", x2: "to", y: "check", className: outcome, title: (one: Part) => `${one.check}: ${one.count} ${one.words}` } as object,
        ),
      ),
      ...data.outcomes.map(([outcome]) =>
        text(
          parts.filter((one) => one.outcome === outcome && fits(one)),
          { x: middle, y: "check", text: (one: Part) => `${one.count}`, className: `on-${outcome}` } as object,
        ),
      ),
      ruleX([0]),
    ],
  });
  return finished(chart, "Bars of each check's outcomes. The numbers are in the table below.");
}

/** Names a chart for screen readers, and takes away its own style element, which the page's policy would refuse. */
function finished(chart: Element, name: string): Element {
  for (const style of chart.querySelectorAll("style")) style.remove();
  for (const part of chart.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label"); // parts of one image
  chart.classList.add("plot");
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", name);
  return chart;
}
