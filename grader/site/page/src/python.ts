// Python behind the page: one worker, one question at a time. One that does not answer any more is ended.

import type { Day } from "./types";

export type Progress = { loaded: number; total: number };
type Question = { op: string; args: unknown[]; resolve: (value: unknown) => void; reject: (error: Error) => void };
type Message =
  | { kind: "progress"; loaded: number }
  | { kind: "ready" }
  | { kind: "beat"; place: string }
  | { kind: "answer"; value: unknown }
  | { kind: "failed"; text: string };

const PATIENCE = 5; // seconds after those of a cell, without a beat: the code is in one long step, or the worker is gone
const LONGEST = 120_000; // milliseconds of one question

/** Python was ended: by the reader, because it did not answer any more, or because it died. */
export class Ended extends Error {
  constructor(
    readonly why: "stopped" | "silent" | "long" | "died" | "crashed",
    readonly place: string,
    text = "",
  ) {
    super(text);
  }
}

export class Python {
  private worker: Worker | null = null;
  private ready: Promise<void> = Promise.resolve();
  private readonly questions: Question[] = [];
  private asked: Question | null = null;
  private place = "";
  private silence = 0;
  private longest = 0;
  private source: Promise<string> | null = null;

  /** `heard` is told of the start, and `changed` of whether something is being done. */
  constructor(
    private readonly day: Day,
    private readonly heard: (progress: Progress | null, failure: string | null) => void,
    private readonly changed: () => void,
  ) {}

  /** True while something is done that the reader has asked for. */
  get busy(): boolean {
    return [this.asked, ...this.questions].some((each) => each !== null && each.op !== "prepare");
  }

  /** Start Python; what is asked meanwhile waits. */
  start(): void {
    this.ready = this.started();
    this.ready.then(
      () => {
        void this.prepare();
        this.next();
      },
      (error: Error) => this.heard(null, error.message),
    );
  }

  /** Get ready for the first check step by step, while the page is read. */
  private async prepare(): Promise<void> {
    try {
      while (!this.busy && (await this.ask<boolean>("prepare")));
    } catch {
      // a check does it
    }
  }

  private async started(): Promise<void> {
    this.source ??= fetch(this.day.worker).then((answer) => answer.text());
    // From a blob, so that the page's policy holds in the worker too.
    const address = URL.createObjectURL(new Blob([await this.source], { type: "text/javascript" }));
    const worker = new Worker(address, { type: "module" });
    this.worker = worker;
    const { runtime, name } = this.day;
    const whole = (path: string): string => new URL(path, document.baseURI).href;
    await new Promise<void>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.kind === "progress") this.heard({ loaded: data.loaded, total: runtime.bytes }, null);
        else if (data.kind === "ready") resolve();
        else if (data.kind === "failed" && this.asked === null) reject(new Error(data.text));
        else this.hear(data);
      };
      worker.onerror = (event) => {
        reject(new Error(event.message));
        this.end("died", event.message);
      };
      worker.postMessage({
        script: whole(runtime.script),
        packages: whole(runtime.packages),
        course: whole(runtime.course),
        numpy: runtime.numpy === "" ? "" : whole(runtime.numpy),
        day: name,
      });
    });
    URL.revokeObjectURL(address);
    this.heard(null, null);
  }

  /** Ask a question; rejects with Ended if Python has to be ended. */
  ask<T>(op: string, ...args: unknown[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.questions.push({ op, args, resolve: resolve as (value: unknown) => void, reject });
      this.changed();
      this.ready.then(
        () => this.next(),
        (error: Error) => {
          for (const question of this.questions.splice(0)) question.reject(new Ended("died", "", error.message));
          this.changed();
        },
      );
    });
  }

  private next(): void {
    if (this.asked !== null || this.worker === null) return;
    this.asked = this.questions.shift() ?? null;
    if (this.asked === null) return;
    this.place = "";
    this.longest = window.setTimeout(() => this.end("long"), LONGEST);
    this.listen();
    this.worker.postMessage({ op: this.asked.op, args: this.asked.args });
  }

  private listen(): void {
    window.clearTimeout(this.silence);
    this.silence = window.setTimeout(() => this.end("silent"), (this.day.seconds + PATIENCE) * 1000);
  }

  private hear(message: Message): void {
    if (message.kind === "beat") {
      this.place = message.place;
      this.listen();
      return;
    }
    const asked = this.forget();
    if (message.kind === "answer") asked?.resolve(message.value);
    else if (message.kind === "failed") {
      asked?.reject(new Ended("crashed", this.place, message.text));
      if (asked?.op !== "prepare") this.restart();
    }
    this.changed();
    this.next();
  }

  /** End what is being done, at the reader's wish; what waits is not done either. */
  stop(): void {
    for (const question of this.questions.splice(0)) question.reject(new Ended("stopped", ""));
    this.end("stopped");
  }

  private end(why: Ended["why"], text = ""): void {
    const asked = this.forget();
    this.restart();
    asked?.reject(new Ended(why, this.place, text));
    this.changed();
  }

  /** Begin anew: what was defined is gone. */
  restart(): void {
    this.worker?.terminate();
    this.worker = null;
    this.start();
  }

  private forget(): Question | null {
    window.clearTimeout(this.silence);
    window.clearTimeout(this.longest);
    const asked = this.asked;
    this.asked = null;
    return asked;
  }
}
