/** Shows the mistakes of one check. */
export function mountMistakes(): void {
  const choice = document.getElementById("by-check");
  if (!(choice instanceof HTMLSelectElement)) return;
  const groups = Array.from(document.querySelectorAll<HTMLElement>("#mistakes .group"));
  choice.addEventListener("change", () => {
    for (const group of groups) {
      const checks = (group.dataset.checks ?? "").split(" ");
      group.hidden = choice.value !== "" && !checks.includes(choice.value);
    }
  });
}
