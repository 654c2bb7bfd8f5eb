// Python in a worker: gets the runtime, the grader and the course, shuts every door, then answers the page.

type Begin = { script: string; packages: string; course: string; day: string };
type Question = { op: string; args: unknown[] };
type Pyodide = {
  unpackArchive(buffer: ArrayBuffer, format: string, options: { extractDir: string }): void;
  globals: { get(name: string): (...args: unknown[]) => unknown };
  runPython(source: string): unknown;
};

const SITE_PACKAGES = "/lib/backgrade";
const COURSE = "/course";
const tell = (message: unknown): void => self.postMessage(message);

let loaded = 0;
const fetched = self.fetch.bind(self);

/** Fetch, and tell how much has arrived. */
async function counted(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetched(input, init);
  if (!answer.ok) throw new Error(`${String(input)}: ${answer.status}`);
  if (answer.body === null) return answer;
  if (answer.url.endsWith(".wasm")) {
    // As it is, so that the browser can keep what it compiles of it.
    loaded += Number(answer.headers.get("content-length") ?? 0);
    tell({ kind: "progress", loaded });
    return answer;
  }
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      tell({ kind: "progress", loaded });
      controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(counting), { headers: answer.headers });
}

const bytes = async (address: string): Promise<ArrayBuffer> => (await counted(address)).arrayBuffer();

/** What a page may do with the network and with what it keeps; Python needs none of it any more. */
const DOORS = [
  "fetch",
  "XMLHttpRequest",
  "WebSocket",
  "WebSocketStream",
  "WebTransport",
  "EventSource",
  "importScripts",
  "Worker",
  "SharedWorker",
  "BroadcastChannel",
  "RTCPeerConnection",
  "indexedDB",
  "caches",
];

function shut(): void {
  for (const name of DOORS) {
    for (let owner: object | null = self; owner !== null; owner = Object.getPrototypeOf(owner) as object | null) {
      if (Object.prototype.hasOwnProperty.call(owner, name)) {
        Object.defineProperty(owner, name, { value: undefined, writable: false, configurable: false });
      }
    }
  }
}

async function begin({ script, packages, course, day }: Begin): Promise<(question: Question) => unknown> {
  self.fetch = counted as typeof fetch;
  const others = Promise.all([bytes(packages), bytes(course)]);
  const { loadPyodide } = (await import(script)) as { loadPyodide: (options: object) => Promise<Pyodide> };
  const python = await loadPyodide({ env: { PYTHONHASHSEED: "0", HOME: "/home" }, checkAPIVersion: false });
  const [ofPackages, ofCourse] = await others;
  python.unpackArchive(ofPackages, "zip", { extractDir: SITE_PACKAGES });
  python.unpackArchive(ofCourse, "zip", { extractDir: COURSE });
  shut();
  python.runPython(`import sys; sys.path.insert(0, ${JSON.stringify(SITE_PACKAGES)})
from grader.site.door import open_door`);
  const open = python.globals.get("open_door");
  const answer = open(COURSE, day, (place: string) => tell({ kind: "beat", place }));
  return ({ op, args }) => JSON.parse((answer as (question: string) => string)(JSON.stringify([op, args])));
}

let answer: ((question: Question) => unknown) | null = null;

self.onmessage = async ({ data }: MessageEvent<Begin | Question>) => {
  try {
    if ("script" in data) {
      answer = await begin(data);
      tell({ kind: "ready" });
    } else if (answer !== null) {
      tell({ kind: "answer", value: answer(data) });
    }
  } catch (error) {
    tell({ kind: "failed", text: error instanceof Error ? error.message : String(error) });
  }
};
