// Python in a worker: gets the runtime, the grader and the course, shuts every door, then answers the page.

type Begin = { script: string; packages: string; course: string; numpy: string; day: string };
type Question = { op: string; args: unknown[] };
type Pyodide = {
  FS: { mkdirTree(path: string): void; writeFile(path: string, data: Uint8Array): void };
  globals: { get(name: string): (...args: unknown[]) => unknown };
  runPython(source: string): unknown;
};

const SITE_PACKAGES = "/lib/backgrade";
const COURSE = "/course";
const PACE = 100; // milliseconds between two words about how much has arrived
const tell = (message: unknown): void => self.postMessage(message);

let loaded = 0;
let told = 0;
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
      if (performance.now() - told > PACE) {
        told = performance.now();
        tell({ kind: "progress", loaded });
      }
      controller.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(counting), { headers: answer.headers });
}

const BLOCK = 512; // bytes; a file's header is one, and its data are whole ones

/** Fetch an archive, a tar packed by gzip, and return its files by name; the browser unpacks it while Python starts. */
async function files(address: string): Promise<Map<string, Uint8Array>> {
  const packed = (await counted(address)).body as ReadableStream<Uint8Array<ArrayBuffer>>;
  const data = new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  const text = new TextDecoder();
  const found = new Map<string, Uint8Array>();
  for (let at = 0; data[at]; ) {
    const field = (from: number, length: number): string =>
      text.decode(data.subarray(at + from, at + from + length)).split("\0", 1)[0] as string;
    const [name, size, folder] = [field(0, 100), parseInt(field(124, 12), 8), field(345, 155)];
    at += BLOCK;
    found.set(folder === "" ? name : `${folder}/${name}`, data.subarray(at, at + size));
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
}

function write({ FS }: Pyodide, within: string, content: Map<string, Uint8Array>): void {
  const folders = new Set([...content.keys()].map((name) => name.slice(0, Math.max(0, name.lastIndexOf("/")))));
  for (const folder of folders) FS.mkdirTree(`${within}/${folder}`);
  for (const [name, data] of content) FS.writeFile(`${within}/${name}`, data);
}

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
  "webkitRequestFileSystem",
  "webkitRequestFileSystemSync",
  "webkitResolveLocalFileSystemURL",
  "webkitResolveLocalFileSystemSyncURL",
  // of the navigator; a page's right to write its day is a lock, which any script of the origin can take
  "locks",
  "storage",
  "storageBuckets",
  "serviceWorker",
];

function shut(): void {
  for (const start of [self, navigator]) {
    for (let owner: object | null = start; owner !== null; owner = Object.getPrototypeOf(owner) as object | null) {
      for (const name of DOORS) {
        if (Object.prototype.hasOwnProperty.call(owner, name)) {
          Object.defineProperty(owner, name, { value: undefined, writable: false, configurable: false });
        }
      }
    }
  }
}

async function begin({ script, packages, course, numpy, day }: Begin): Promise<(question: Question) => unknown> {
  self.fetch = counted as typeof fetch;
  const others = Promise.all([files(packages), files(course), numpy === "" ? new Map() : files(numpy)]);
  const { loadPyodide } = (await import(script)) as { loadPyodide: (options: object) => Promise<Pyodide> };
  const python = await loadPyodide({ env: { PYTHONHASHSEED: "0", HOME: "/home" }, checkAPIVersion: false });
  const [ofPackages, ofCourse, ofNumpy] = await others;
  write(python, SITE_PACKAGES, ofPackages);
  write(python, SITE_PACKAGES, ofNumpy);
  write(python, COURSE, ofCourse);
  shut();
  python.runPython(`import sys; sys.path.insert(0, ${JSON.stringify(SITE_PACKAGES)})
from grader.site.door import open_door`);
  const open = python.globals.get("open_door");
  const answer = open(COURSE, day, (place: string) => tell({ kind: "beat", place }));
  return ({ op, args }) => {
    const told = (answer as (question: string) => string)(JSON.stringify([op, args]));
    try {
      return JSON.parse(told);
    } catch {
      throw new Error("out of memory"); // the text is broken where there was no room for it
    }
  };
}

let answer: ((question: Question) => unknown) | null = null;

self.onmessage = async ({ data }: MessageEvent<Begin | Question>) => {
  try {
    if ("script" in data) {
      answer = await begin(data);
      tell({ kind: "ready" });
    } else if (answer !== null) {
      tell({ kind: "answer", value: answer(data) });
      answer({ op: "tidy", args: [] }); // while the answer is read
    }
  } catch (error) {
    tell({ kind: "failed", text: error instanceof Error ? error.message : String(error) });
  }
};
