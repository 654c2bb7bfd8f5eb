// The site's files are kept for times without a network, and a new release of them is offered.

import { make } from "./dom";

/** Keep the site's files, where the browser has a place for them; offer a new release with `offer`. */
export async function keepSite(offer: (text: string, action: HTMLElement) => void): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  let registration: ServiceWorkerRegistration;
  try {
    registration = await navigator.serviceWorker.register("sw.js");
  } catch {
    return; // a private window: the page works without
  }
  const offered = (waiting: ServiceWorker | null): void => {
    if (waiting === null || navigator.serviceWorker.controller === null) return;
    const load = make("button", { type: "button", click: () => waiting.postMessage("now") }, "Load it");
    offer("There is a new version of the course. Your work stays as it is.", load);
  };
  offered(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const next = registration.installing;
    next?.addEventListener("statechange", () => {
      if (next.state === "installed") offered(next);
    });
  });
  const before = navigator.serviceWorker.controller;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (before !== null) location.reload();
  });
}
