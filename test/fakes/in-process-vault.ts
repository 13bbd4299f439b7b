import type { Carrier } from '../../clients/http.ts';
import type { VaultClient, VaultOptions as VaultClientOptions } from '../../clients/vault.ts';
import { vaultClient } from '../../clients/vault.ts';
import type { VaultOptions } from '../../emulators/vault/vault.ts';
import { Vault } from '../../emulators/vault/vault.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { CarriedReply, CarryOutside } from './outside.ts';
import { atOnce, connectionRefused, unlessAborted } from './outside.ts';

export interface InProcessVaultOptions extends Omit<VaultOptions, 'now'> {
  /** Where requests find it; default `https://vault.test:8200`. */
  readonly url?: string;
}

/** A Vault that is reached without a network. */
export class InProcessVault extends Vault {
  readonly url: string;

  constructor(clock: Pick<Clock, 'now'>, options: InProcessVaultOptions = {}) {
    super({ ...options, now: clock.now });
    this.url = options.url ?? 'https://vault.test:8200';
  }

  /** For the clients of one process, whose requests go through a door of their own. Other hosts refuse connections. */
  carrierFor(carryOut: CarryOutside = atOnce): Carrier {
    return {
      request: async (request) => {
        const { origin, path: target, method: verb, signal } = request;
        signal.throwIfAborted();
        if (origin !== this.url) throw connectionRefused(origin);
        const call = { system: 'vault', verb, target, isWrite: verb !== 'GET', signal };
        const reply = carryOut(call, () => this.#serve(request)) as Promise<CarriedReply>;
        return unlessAborted(signal, reply);
      },
    };
  }

  /** The same as an option of the process that uses it. */
  clientsFor(carryOut?: CarryOutside): (mountPath: string, options: VaultClientOptions) => VaultClient {
    const dispatcher = this.carrierFor(carryOut);
    return (mountPath, options) => vaultClient(mountPath, { ...options, dispatcher });
  }

  async #serve({ path, method, headers, body }: Parameters<Carrier['request']>[0]): Promise<CarriedReply> {
    const token = headers['x-vault-token'];
    const { status, text } = await this.answer({ method, target: path, token, body: async () => body ?? '' });
    const statusCode = status;
    return { statusCode, headers: { 'content-type': 'application/json' }, body: [Buffer.from(text)] };
  }
}
