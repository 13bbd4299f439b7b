import type { Carrier } from '../../clients/http.ts';
import type { VaultClient, VaultOptions as VaultClientOptions } from '../../clients/vault.ts';
import { vaultClient } from '../../clients/vault.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { VaultOptions } from '../../testing/vault/vault.ts';
import { Vault } from '../../testing/vault/vault.ts';
import type { CarriedReply, CarriedRequest, CarryOutside } from './outside.ts';
import { carried, carriersTo } from './outside.ts';

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
  carrierFor(carryOut?: CarryOutside): Carrier {
    const callOf = ({ path: target, method: verb }: CarriedRequest) => ({
      system: 'vault',
      verb,
      target,
      isWrite: verb !== 'GET',
    });
    return carriersTo(this.url, callOf, (request) => this.#serve(request))(carryOut);
  }

  /** The same as an option of the process that uses it. */
  clientsFor(carryOut?: CarryOutside): (mountPath: string, options: VaultClientOptions) => VaultClient {
    const dispatcher = this.carrierFor(carryOut);
    return (mountPath, options) => vaultClient(mountPath, { ...options, dispatcher });
  }

  async #serve({ path, method, headers, body }: CarriedRequest): Promise<CarriedReply> {
    const token = headers['x-vault-token'];
    const reply = await this.answer({ method, target: path, token, body: async () => body ?? '' });
    return carried({ ...reply, headers: { 'content-type': 'application/json' } });
  }
}
