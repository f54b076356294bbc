// A promise whose reactions run when the wrapper asks for it.
//
// The contract's functions are synchronous and the engine runs its own job queue only for asynchronous ones. The bundler
// turns `async` functions into generators over this class.

const queue = [];

export function drain() {
  for (let job = queue.shift(); job; job = queue.shift()) job();
}

export class Promise {
  #state = "pending";
  #value;
  #waiting = [];

  constructor(executor) {
    if (typeof executor !== "function") throw new TypeError("a promise needs a function");
    const { resolve, reject } = this.#settlers();
    try {
      executor(resolve, reject);
    } catch (error) {
      reject(error);
    }
  }

  then(fulfilled, rejected) {
    return new Promise((resolve, reject) => {
      const react = () => {
        const handler = this.#state === "fulfilled" ? fulfilled : rejected;
        if (typeof handler !== "function") {
          return this.#state === "fulfilled" ? resolve(this.#value) : reject(this.#value);
        }
        try {
          resolve(handler(this.#value));
        } catch (error) {
          reject(error);
        }
      };
      if (this.#state === "pending") this.#waiting.push(react);
      else queue.push(react);
    });
  }

  catch(rejected) {
    return this.then(undefined, rejected);
  }

  finally(action) {
    return this.then(
      (value) => Promise.resolve(action()).then(() => value),
      (error) => Promise.resolve(action()).then(() => Promise.reject(error)),
    );
  }

  #settlers() {
    let settled = false;
    const once = (act) => (value) => {
      if (!settled) {
        settled = true;
        act(value);
      }
    };
    return { resolve: once((value) => this.#resolve(value)), reject: once((error) => this.#end("rejected", error)) };
  }

  #resolve(value) {
    let then;
    try {
      if (value === this) throw new TypeError("a promise cannot resolve to itself");
      const mayHaveThen = (typeof value === "object" && value !== null) || typeof value === "function";
      then = mayHaveThen ? value.then : undefined;
    } catch (error) {
      return this.#end("rejected", error);
    }
    if (typeof then !== "function") return this.#end("fulfilled", value);
    const { resolve, reject } = this.#settlers();
    queue.push(() => {
      try {
        then.call(value, resolve, reject);
      } catch (error) {
        reject(error);
      }
    });
  }

  #end(state, value) {
    this.#state = state;
    this.#value = value;
    queue.push(...this.#waiting.splice(0));
  }

  static resolve(value) {
    return value instanceof Promise ? value : new Promise((resolve) => resolve(value));
  }

  static reject(error) {
    return new Promise((_, reject) => reject(error));
  }

  static withResolvers() {
    const parts = {};
    parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
    return parts;
  }

  static all(values) {
    return collect(values, (item, keep, _, reject) => item.then(keep, reject));
  }

  static allSettled(values) {
    return collect(values, (item, keep) =>
      item.then(
        (value) => keep({ status: "fulfilled", value }),
        (reason) => keep({ status: "rejected", reason }),
      ),
    );
  }

  static race(values) {
    return new Promise((resolve, reject) => {
      for (const value of values) Promise.resolve(value).then(resolve, reject);
    });
  }

  static any(values) {
    const errors = collect(values, (item, keep, resolve) => item.then((value) => resolve({ value }), keep));
    return errors.then((result) => {
      if (Array.isArray(result)) throw new AggregateError(result, "all promises were rejected");
      return result.value;
    });
  }
}

globalThis.Promise = Promise;
globalThis.queueMicrotask = (job) => void queue.push(job);

function collect(values, watch) {
  return new Promise((resolve, reject) => {
    const results = [];
    let left = 1;
    const done = () => --left === 0 && resolve(results);
    let index = 0;
    for (const value of values) {
      const place = index++;
      left += 1;
      const keep = (result) => {
        results[place] = result;
        done();
      };
      watch(Promise.resolve(value), keep, resolve, reject);
    }
    done();
  });
}
