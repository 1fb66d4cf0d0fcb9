/** A WebAssembly module that the worker loads when it is needed. */
import type { PliantError } from '../wasm.ts';

/** The JavaScript of a module, as wasm-bindgen writes it. */
interface Glue {
  default(from: { module_or_path: Promise<Response> }): Promise<{ readonly memory: WebAssembly.Memory }>;
}

/** A module that is loaded at its first use. */
export class LazyModule<G extends Glue> {
  readonly #name: string;
  readonly #glue: () => Promise<G>;
  readonly #address: () => Promise<{ default: string }>;
  #started: Promise<G> | undefined;
  #memory: WebAssembly.Memory | undefined;

  constructor(name: string, glue: () => Promise<G>, address: () => Promise<{ default: string }>) {
    this.#name = name;
    this.#glue = glue;
    this.#address = address;
  }

  /** Memory of the instance, in bytes. */
  get bytes(): number {
    return this.#memory?.buffer.byteLength ?? 0;
  }

  /** The result of `call`, or the text of its error. */
  async use<R extends object>(call: (module: G) => R): Promise<R | { error: string }> {
    const module = await this.#module();
    try {
      return call(module);
    } catch (thrown) {
      if (typeof thrown === 'string') return { error: thrown };
      // The module ran out of memory. Its instance must not be used again.
      this.#started = undefined;
      return { error: `the ${this.#name} failed: ${thrown instanceof Error ? thrown.message : thrown}` };
    }
  }

  async #module(): Promise<G> {
    this.#started ??= this.#start();
    try {
      return await this.#started;
    } catch (thrown) {
      // The next use tries again.
      this.#started = undefined;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const error: PliantError = {
        code: 'network',
        message: `The ${this.#name} cannot be loaded: ${reason}`,
        hint: 'Check the connection and try again',
      };
      throw error;
    }
  }

  async #start(): Promise<G> {
    const [glue, { default: url }] = await Promise.all([this.#glue(), this.#address()]);
    this.#memory = (await glue.default({ module_or_path: found(url) })).memory;
    return glue;
  }
}

async function found(url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response;
}
