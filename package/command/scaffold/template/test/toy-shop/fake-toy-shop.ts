import type { Carrier, Clock } from '../../../../../http.ts';
import type { CloudTinyGadget, NewTinyGadget, TinyGadgetChange } from '../../src/toy-shop/toy-shop-client.ts';
import { toyShopStates as states } from '../../src/toy-shop/toy-shop-client.ts';

type Request = Parameters<Carrier['request']>[0];
type Reply = Awaited<ReturnType<Carrier['request']>>;

interface Stored extends Required<NewTinyGadget> {
  readonly isOnlineAtMs: number;
}

/** How long the cloud takes to create a tiny gadget. */
const creationMs = 20_000;

/** Toy Shop in memory: its HTTP API, and failures that a test can cause. Its time is the test's. */
export class FakeToyShop {
  readonly url = 'http://toy-shop.test';
  readonly token = 'a-token-of-toy-shop';
  /** The `dispatcher` in the options of its client. */
  readonly carrier: Carrier = { request: (request) => this.#carry(request) };
  readonly #clock: Clock;
  readonly #stored = new Map<string, Stored>();
  #failure: string | undefined;
  #isHanging = false;
  #losesAnswer = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** All tiny gadgets, as they were requested. */
  externals(): readonly Stored[] {
    return [...this.#stored.values()];
  }

  /** Creates a tiny gadget of another owner. */
  makeForeign(name: string): void {
    this.#put({ name, size: 9, password: 'a-password-of-theirs', tags: {} });
  }

  /** Makes every request fail from now on. */
  fail(text: string): void {
    this.#failure = text;
  }

  /** Leaves every request without an answer from now on. */
  hang(): void {
    this.#isHanging = true;
  }

  /** Executes the next creation, but loses its answer. */
  loseAnswer(): void {
    this.#losesAnswer = true;
  }

  /** The host of the tiny gadget with this name. */
  hostOf(name: string): string {
    return `${name}.toy-shop.test`;
  }

  async #carry(request: Request): Promise<Reply> {
    const { method, signal } = request;
    signal.throwIfAborted();
    if (this.#isHanging) return aborted(signal);
    if (this.#failure !== undefined) return refusal(500, 'Internal', this.#failure);
    const reply = this.#answer(request);
    if (method !== 'POST' || !this.#losesAnswer) return reply;
    this.#losesAnswer = false;
    throw new Error('the connection was closed');
  }

  #answer({ method, path, headers: { authorization }, body }: Request): Reply {
    if (authorization !== `Bearer ${this.token}`)
      return refusal(401, 'Unauthorized', 'the token is not valid');
    const [, collection, id] = /^\/v1\/([\w-]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (collection !== 'tiny-gadgets') return refusal(404, 'NoSuchPath', path);
    if (id === undefined) {
      if (method === 'GET')
        return reply(200, { items: this.externals().map((stored) => this.#shown(stored)) });
      const wanted = JSON.parse(body ?? '') as NewTinyGadget;
      if (this.#stored.has(wanted.name))
        return refusal(409, 'AlreadyExists', `"${wanted.name}" exists already`);
      return reply(201, this.#shown(this.#put(wanted)));
    }
    const name = decodeURIComponent(id);
    const stored = this.#stored.get(name);
    if (stored === undefined) return refusal(404, 'TinyGadgetNotFound', `"${name}" does not exist`);
    switch (method) {
      case 'PATCH': {
        const change = JSON.parse(body ?? '') as TinyGadgetChange;
        this.#stored.set(name, { ...stored, ...change });
        return reply(200, this.#shown({ ...stored, ...change }));
      }
      case 'DELETE':
        this.#stored.delete(name);
        return reply(204);
      default:
        return reply(200, this.#shown(stored));
    }
  }

  #put(wanted: NewTinyGadget): Stored {
    const stored = { version: '5.7', ...wanted, isOnlineAtMs: this.#clock.elapsedMs() + creationMs };
    this.#stored.set(wanted.name, stored);
    return stored;
  }

  /** The tiny gadget in the API's answers, which never hold the password. */
  #shown({ name, size, version, tags, isOnlineAtMs }: Stored): CloudTinyGadget {
    const isOnline = this.#clock.elapsedMs() >= isOnlineAtMs;
    return {
      name,
      size,
      version,
      tags,
      username: 'admin',
      state: isOnline ? states.online : states.creating,
      endpoint: isOnline ? { host: this.hostOf(name), port: 4000 } : null,
    };
  }
}

const reply = (statusCode: number, answer?: object): Reply => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: answer === undefined ? [] : [Buffer.from(JSON.stringify(answer))],
});

const refusal = (statusCode: number, code: string, message: string): Reply =>
  reply(statusCode, { error: { code, message } });

/** Never answers. Rejects when the client aborts. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
