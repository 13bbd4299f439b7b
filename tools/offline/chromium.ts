import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Chromium without a window, driven by its DevTools protocol. */
export interface Chromium extends AsyncDisposable {
  /** Opens a page, and resolves when it has loaded. */
  open(url: string, options?: PageOptions): Promise<BrowserPage>;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  /** Runs before the scripts of the page. */
  readonly before?: string;
}

export interface BrowserPage {
  /** The value of an expression, awaited, as JSON. Rejects with the error that the expression throws. */
  evaluate<T = unknown>(expression: string): Promise<T>;
  /** Presses and releases a key, for example `ArrowDown` or `a`. */
  press(key: string): Promise<void>;
  /** Types text where the focus is. */
  type(text: string): Promise<void>;
  /** A PNG of the visible page. */
  screenshot(): Promise<Buffer>;
  /** The errors in the console of the page, and the violations of its security policies. */
  readonly errors: readonly string[];
  /** The URLs it asked for. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

interface Answer {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, never>>;
  readonly result?: Readonly<Record<string, never>>;
  readonly error?: { readonly message: string };
}

/** Starts it, with a folder of its own for its data. Throws an Error with its output if it does not start. */
export async function startChromium({ program }: { readonly program: string }): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), 'services-stack-chromium-'));
  const flags = [
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--force-color-profile=srgb',
    '--disable-dev-shm-usage',
  ];
  const child = spawn(
    program,
    [...flags, '--remote-debugging-port=0', `--user-data-dir=${folder}`, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let output = '';
  const listening = Promise.withResolvers<string>();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const [, url] = /DevTools listening on (\S+)/.exec(output) ?? [];
    if (url !== undefined) listening.resolve(url);
  });
  child.on('exit', (code) =>
    listening.reject(new Error(`Chromium ended with ${code}: ${output.slice(-2_000)}`)),
  );
  child.on('error', listening.reject);
  const socket = new WebSocket(await listening.promise);
  await once(socket, 'open');

  let count = 0;
  const waiting = new Map<number, PromiseWithResolvers<Readonly<Record<string, never>>>>();
  const listeners = new Set<(answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    for (const listener of listeners) listener(answer);
    if (answer.id === undefined) return;
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) call?.resolve(answer.result ?? {});
    else call?.reject(new Error(answer.error.message));
  });
  const send = (
    method: string,
    params: object = {},
    sessionId?: string,
  ): Promise<Readonly<Record<string, never>>> => {
    count += 1;
    const call = Promise.withResolvers<Readonly<Record<string, never>>>();
    waiting.set(count, call);
    socket.send(JSON.stringify({ id: count, method, params, ...(sessionId !== undefined && { sessionId }) }));
    return call.promise;
  };

  return {
    async open(url, { width = 1440, height = 900, scheme = 'light', before } = {}) {
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      const say = (method: string, params?: object) => send(method, params, sessionId);
      const errors: string[] = [];
      const requests: string[] = [];
      const loaded = Promise.withResolvers<void>();
      const listener = ({ sessionId: of, method, params = {} }: Answer): void => {
        if (of !== sessionId) return;
        if (method === 'Page.loadEventFired') loaded.resolve();
        if (method === 'Network.requestWillBeSent')
          requests.push((params as { request?: { url: string } }).request?.url ?? '');
        if (method === 'Runtime.exceptionThrown') errors.push(JSON.stringify(params));
        const { entry } = params as { readonly entry?: { readonly level: string; readonly text: string } };
        if (method === 'Log.entryAdded' && entry?.level === 'error') errors.push(entry.text);
      };
      listeners.add(listener);
      for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await say(`${domain}.enable`);
      await say('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
      await say('Emulation.setEmulatedMedia', {
        features: [{ name: 'prefers-color-scheme', value: scheme }],
      });
      if (before !== undefined) await say('Page.addScriptToEvaluateOnNewDocument', { source: before });
      await say('Page.navigate', { url });
      await loaded.promise;
      const key = (type: string, name: string) =>
        say('Input.dispatchKeyEvent', {
          type,
          key: name,
          code: name,
          ...(keyCodes[name] !== undefined && { windowsVirtualKeyCode: keyCodes[name] }),
          ...(type === 'keyDown' && name.length === 1 && { text: name }),
          ...(type === 'keyDown' && name === 'Enter' && { text: '\r' }),
        });
      return {
        errors,
        requests,
        async evaluate<T>(expression: string): Promise<T> {
          const answer = await say('Runtime.evaluate', {
            expression,
            awaitPromise: true,
            returnByValue: true,
          });
          const { result, exceptionDetails } = answer as unknown as {
            readonly result: { readonly value: T };
            readonly exceptionDetails?: {
              readonly text: string;
              readonly exception?: { readonly description?: string };
            };
          };
          if (exceptionDetails !== undefined) {
            throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
          }
          return result.value;
        },
        async press(name) {
          await key('keyDown', name);
          await key('keyUp', name);
        },
        async type(text) {
          await say('Input.insertText', { text });
        },
        async screenshot() {
          const { data } = await say('Page.captureScreenshot', { format: 'png' });
          return Buffer.from(String(data), 'base64');
        },
        async close() {
          listeners.delete(listener);
          await send('Target.closeTarget', { targetId });
        },
      };
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      socket.close();
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const keyCodes: Readonly<Record<string, number>> = {
  Tab: 9,
  Enter: 13,
  Escape: 27,
  End: 35,
  Home: 36,
  PageDown: 34,
  PageUp: 33,
  ArrowUp: 38,
  ArrowDown: 40,
};
