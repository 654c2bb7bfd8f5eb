// The service worker: the site's own files, kept by a hash of them all, so that a page opens without a network.

// Written before this script, when the site is made; files that only some pages need are kept when one has `used` them.
declare const SITE: { version: string; files: string[]; used: string[] };
declare const self: ServiceWorkerGlobalScope;

const CACHE = `backgrade ${self.registration.scope} `;

self.addEventListener("install", (event) => {
  // The server is asked about each file: the browser may still keep one of the release before.
  const files = SITE.files.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE + SITE.version).then((cache) => cache.addAll(files)));
});

self.addEventListener("activate", (event) => {
  const drop = async (): Promise<void> => {
    for (const name of await caches.keys()) {
      if (name.startsWith(CACHE) && name !== CACHE + SITE.version) await caches.delete(name);
    }
  };
  event.waitUntil(drop());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(self.registration.scope)) return;
  const answer = async (): Promise<Response> => {
    const cache = await caches.open(CACHE + SITE.version);
    const known = await cache.match(event.request, { ignoreSearch: true });
    if (known !== undefined) return known;
    const found = await fetch(event.request);
    if (found.ok && SITE.used.some((file) => event.request.url === self.registration.scope + file)) {
      await cache.put(event.request, found.clone());
    }
    return found;
  };
  event.respondWith(answer());
});

// A new release waits until the reader wants it.
self.addEventListener("message", (event) => {
  if (event.data === "now") void self.skipWaiting();
});

export {};
