/** Small helpers that make elements. Every text goes in as text, never as markup. */

type Child = Node | string;
type Attributes = Record<string, string | number | boolean | null | undefined>;

const SVG = "http://www.w3.org/2000/svg";

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children);
}

/** Make an HTML element; an attribute that is false, null or undefined is left out, true is an empty one. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** Make an SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/** Set an attribute only if it changes. */
export function setAttribute(element: Element, name: string, value: Attributes[string]): void {
  if (value === false || value === null || value === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Set an element's text only if it changes, so that nothing is announced or painted twice. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** A text whose parts between backticks are code, as nodes. */
export function marked(text: string): Child[] {
  const parts = text.split(/`([^`\n]{1,200})`/);
  return parts.map((part, index) => (index % 2 ? el("code", {}, part) : part)).filter((part) => part !== "");
}

/** The same text without the backticks, for names that only a screen reader reads. */
export function unmarked(text: string): string {
  return text.replace(/`([^`\n]{1,200})`/g, "$1");
}

/** A button with a name; `run` is called when it is pressed. */
export function button(name: string, run: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = el("button", { type: "button", ...attributes }, name);
  element.addEventListener("click", run);
  return element;
}

let last = 0;

/** An id that no other element of the page has. */
export function freshId(name: string): string {
  last += 1;
  return `player-${name}-${last}`;
}
