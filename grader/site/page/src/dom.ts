// Elements, made without a line of HTML: a text stays a text.

type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

/** Make an element. A function is a listener, `true` an attribute without a value. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Find the one element that must be there. */
export function find<T extends HTMLElement>(selector: string, within: ParentNode = document): T {
  const found = within.querySelector<T>(selector);
  if (found === null) throw new Error(`${selector} is not in the page`);
  return found;
}

/** Read the data that stand in the page. */
export function data<T>(id: string): T {
  return JSON.parse(find(`#${id}`).textContent ?? "") as T;
}

/** A text whose parts between backticks are code, as nodes. */
export function marked(text: string): (Node | string)[] {
  return text.split(/`([^`\n]{1,200})`/).map((part, index) => (index % 2 === 1 ? make("code", {}, part) : part));
}
