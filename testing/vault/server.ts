import type { BadBody, LoopbackServer } from '../emulators/loopback-server.ts';
import { startLoopbackServer } from '../emulators/loopback-server.ts';
import { Vault, VaultRefusal } from './vault.ts';

/** Serves `Vault` over HTTP on loopback. */
export class VaultServer extends Vault {
  #server: LoopbackServer | undefined;

  async start(port = 0): Promise<this> {
    this.#server = await startLoopbackServer({
      port,
      answer: async ({ method, target, headers, body }) => {
        const token = headers['x-vault-token'];
        const reply = await this.answer({ method, target, token, body: () => body().catch(refused) });
        return { ...reply, headers: reply.text === '' ? {} : { 'content-type': 'application/json' } };
      },
    });
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get url(): string {
    return this.#server?.url ?? 'http://127.0.0.1:0';
  }
}

function refused({ status, message }: BadBody): never {
  throw new VaultRefusal(status, message);
}
