/** Sorts the students' table by a click on a column's head, and finds students by a part of a line. */
export function mountTable(): void {
  const table = document.getElementById("student-table");
  const body = table?.querySelector("tbody");
  if (!(table instanceof HTMLTableElement) || !body) return;
  const rows = Array.from(body.rows);
  mountFind(rows);
  Array.from(table.tHead?.rows[0]?.cells ?? []).forEach((head, column) => mountSort(head, column, body, rows));
}

function mountFind(rows: HTMLTableRowElement[]): void {
  const field = document.getElementById("find");
  const said = document.getElementById("found");
  if (!(field instanceof HTMLInputElement) || !said) return;
  const texts = rows.map((row) => (row.textContent ?? "").toLowerCase());
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let found = 0;
    rows.forEach((row, at) => {
      row.hidden = !texts[at].includes(wanted);
      if (!row.hidden) found += 1;
    });
    said.textContent = wanted ? `${found} of ${rows.length}` : "";
  });
}

function mountSort(head: HTMLTableCellElement, column: number, body: HTMLElement, rows: HTMLTableRowElement[]): void {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...Array.from(head.childNodes));
  head.append(button);
  button.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of Array.from(head.parentElement?.children ?? [])) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sorted = rows
      .map((row) => ({ row, key: row.cells[column].textContent ?? "" }))
      .sort((one, other) => compared(one.key, other.key) * (down ? -1 : 1));
    body.append(...sorted.map((one) => one.row));
  });
}

/** Numbers by their size, and before texts; an empty cell comes first. */
function compared(one: string, other: string): number {
  const numbers = [one, other].map((text) => (text === "" ? -Infinity : Number(text)));
  if (numbers.some(Number.isNaN)) return one.localeCompare(other);
  return numbers[0] === numbers[1] ? 0 : numbers[0] - numbers[1];
}
