import { drawCharts } from "./charts";
import { readData } from "./data";
import { mountMistakes } from "./mistakes";
import { mountTable } from "./table";

for (const tool of document.querySelectorAll<HTMLElement>(".tool, .legend")) tool.hidden = false;
for (const table of document.querySelectorAll<HTMLDetailsElement>("details.numbers")) table.open = false;
drawCharts(readData());
mountMistakes();
mountTable();
document.documentElement.dataset.player = "ready"; // tests wait for it
