// A visit to a day's page in Firefox, over WebDriver BiDi: node firefox.mjs PUPPETEER FIREFOX ADDRESS < what to do.
// Reads {notebook, doors} as JSON, prints what was seen as JSON.
const [library, executablePath, address] = process.argv.slice(2);
const { default: puppeteer } = await import(library);
const text = await new Response(process.stdin).text();
const { notebook, doors } = JSON.parse(text);

const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
const page = await browser.newPage();
const seen = { asked: [], errors: [] };
page.setDefaultTimeout(60_000);
page.on("pageerror", (error) => seen.errors.push(String(error)));
page.on("request", (request) => seen.asked.push(request.url()));

const has = (text, where = "body") =>
  page.waitForFunction(
    (text, where) => document.querySelector(where)?.textContent.includes(text),
    {},
    text,
    where,
  );
const inner = (where) => page.$eval(where, (element) => element.innerText);
const press = (name) =>
  page.evaluate((name) => {
    const found = [...document.querySelectorAll("button")].filter(
      (each) => (each.getAttribute("aria-label") ?? each.textContent).trim() === name && !each.hidden,
    );
    found[0].click();
  }, name);
const type = async (source) => {
  await page.focus(".cell .cm-content");
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.evaluate((source) => document.execCommand("insertText", false, source), source);
};
/** Run the first cell with this source, and return its output. */
const run = async (source) => {
  await type(source);
  await page.$eval(".cell:has(.cm-content) .output", (element) => element.replaceChildren());
  await press("Run code cell 1");
  await page.waitForFunction(() => {
    const output = document.querySelector(".cell:has(.cm-content) .output");
    return output.children.length && !output.querySelector(".waiting");
  });
  return inner(".cell:has(.cm-content) .output");
};

try {
  await page.goto(`${address}day2.html`);
  seen.editable = await page.$eval(".cm-content", (element) => element.isContentEditable);
  await has("Python is ready.");
  seen.sum = await run("a = 41\nprint(a + 1)");
  seen.loop = await run("total = 0\nwhile True:\n    total += 1");
  seen.after = await run("print(a + 2)");
  seen.doors = await run(doors);
  await page.evaluate((text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], "mine.ipynb"));
    const input = document.getElementById("file");
    input.files = files.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }, notebook);
  await has("mine.ipynb is open", "#status");
  await press("Check all");
  await page.waitForFunction(() => {
    const results = document.getElementById("results");
    return results.children.length && !results.querySelector(".waiting");
  });
  seen.told = await inner("#results");
  seen.pictures = await page.$$eval("#results iframe", (all) => all.length);
  await page.reload();
  seen.kept = await inner(".cell .cm-content");
} catch (error) {
  seen.errors.push(String(error));
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));
