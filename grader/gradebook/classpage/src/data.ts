/** The numbers of the charts, as pages.py writes them. */
export interface Data {
  most: number;
  /** Each range of points: from, to, students. */
  bins: [number, number, number][];
  /** Each outcome that occurs, and its words; the best comes first. */
  outcomes: [string, string][];
  /** Each check, with its number of students for each outcome. */
  checks: [string, number[]][];
}

export function readData(): Data {
  const element = document.getElementById("class-data");
  return JSON.parse(element?.textContent ?? "{}") as Data;
}
