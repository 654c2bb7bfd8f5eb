// What is kept in this browser (IndexedDB), and which tab may write it.

import { changeTo } from "./changes";
import type { Source, Work } from "./types";

const DATABASE = "backgrade";
const WORK = "work";

/** The key of a day: the site's own address keeps the courses of one origin apart. */
export const keyOf = (day: string): string => `${new URL(".", location.href).pathname}${day}`;

/** The kept work of one day. Every write is one transaction; the newest one wins. */
export class Store {
  private database: IDBDatabase | null = null;

  constructor(private readonly key: string) {}

  /** Open the database. Throws if this browser keeps nothing. */
  async open(): Promise<void> {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(WORK);
    this.database = await done(request);
  }

  /** Return the work of the day, if there is any. Where it cannot be read, nothing is written over it afterwards. */
  async read(): Promise<Work | undefined> {
    try {
      const found = (await done(this.objects("readonly").get(this.key))) as Work | undefined;
      return found === undefined ? undefined : brought(found);
    } catch (error) {
      this.database = null;
      throw error;
    }
  }

  /** Return the kept work of all days whose key begins like this, by key. */
  async readAll(start: string): Promise<Map<string, Work>> {
    const range = IDBKeyRange.bound(start, `${start}\uffff`);
    const [keys, values] = await Promise.all([
      done(this.objects("readonly").getAllKeys(range)),
      done(this.objects("readonly").getAll(range)),
    ]);
    return new Map(keys.map((key, index) => [String(key), values[index] as Work]));
  }

  /** Keep the work. It is on its way when this returns, so that a page that is left at once has kept it. */
  write(work: Work): Promise<void> {
    const objects = this.objects("readwrite");
    const request = done(objects.put(work, this.key));
    objects.transaction.commit();
    return request.then(() => undefined);
  }

  private objects(mode: IDBTransactionMode): IDBObjectStore {
    if (this.database === null) throw new Error("the database is not open");
    return this.database.transaction(WORK, mode).objectStore(WORK);
  }
}

/** Bring work of an earlier version up to date, which kept the whole cells before each reset. */
function brought(found: Work): Work {
  const undo = (found.undo ?? []).map((one) =>
    one.every((each) => "cell" in each) ? one : changeTo(one as unknown as Source[], found.cells),
  );
  return { ...found, undo, redo: found.redo ?? [] };
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's storage failed"));
  });
}

/** The right to write a day: one tab has it. `lost` is called when another tab takes it. */
export async function hold(key: string, lost: () => void, steal = false): Promise<boolean> {
  if (!("locks" in navigator)) return true;
  return new Promise((resolve) => {
    navigator.locks
      .request(`backgrade ${key}`, steal ? { steal } : { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : new Promise(() => {}); // held until the page is closed
      })
      .catch(() => lost());
  });
}
