import type { Clock } from '../../../clients/clock.ts';
import { later } from '../../../clients/clock.ts';
import type { Catalog, CatalogName, Tables } from './catalog.ts';
import { ServerError } from './server-error.ts';

/** The rows that are about to be changed: the key of a row, and its transaction. */
export type Locks = Map<string, Transaction>;

export interface TransactionOptions {
  readonly tables: Tables;
  readonly locks: Locks;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Default: none. */
  readonly lockTimeoutMs: number | undefined;
}

const concurrently = (): ServerError => new ServerError('XX000', 'tuple concurrently updated');

/**
 * All of its changes or none; other transactions do not see them before. A change of a row that an open
 * transaction has changed waits for the end of that transaction, at most for the lock timeout.
 */
export class Transaction {
  readonly #options: TransactionOptions;
  readonly #changes = new Map<CatalogName, Map<string, unknown>>();
  readonly #held = new Set<string>();
  /** Called with whether it changed anything. */
  readonly #waiting = new Set<(isCommitted: boolean) => void>();
  #isOver = false;

  constructor(options: TransactionOptions) {
    this.#options = options;
  }

  get hasChanges(): boolean {
    return this.#changes.size > 0;
  }

  holds(name: CatalogName, key?: string): boolean {
    if (key !== undefined) return this.#held.has(`${name} ${key}`);
    return [...this.#held].some((held) => held.startsWith(`${name} `));
  }

  get<N extends CatalogName>(name: N, key: string): Catalog[N] | undefined {
    const changed = this.#changes.get(name);
    if (changed?.has(key)) return changed.get(key) as Catalog[N] | undefined;
    return this.#options.tables[name].get(key);
  }

  all<N extends CatalogName>(name: N): Iterable<Catalog[N]> {
    const rows = this.#options.tables[name];
    const changed = this.#changes.get(name);
    if (changed === undefined) return rows.values();
    const own = [...changed.values()].filter((row) => row !== undefined) as Catalog[N][];
    return [...[...rows].filter(([key]) => !changed.has(key)).map(([, row]) => row), ...own];
  }

  /** Adds a row or replaces it. */
  async put<N extends CatalogName>(name: N, key: string, row: Catalog[N]): Promise<void> {
    await this.#change(name, key, row);
  }

  async remove(name: CatalogName, key: string): Promise<void> {
    await this.#change(name, key, undefined);
  }

  async #change(name: CatalogName, key: string, row: unknown): Promise<void> {
    await this.#lock(`${name} ${key}`);
    const changed = this.#changes.get(name) ?? new Map<string, unknown>();
    changed.set(key, row);
    this.#changes.set(name, changed);
  }

  async #lock(key: string): Promise<void> {
    const { locks } = this.#options;
    for (;;) {
      if (this.#isOver) throw new ServerError('57P01', 'terminating connection due to administrator command');
      const holder = locks.get(key);
      if (holder === this) return;
      if (holder === undefined) break;
      if (await holder.#end(this.#options)) throw concurrently();
    }
    locks.set(key, this);
    this.#held.add(key);
  }

  /** Waits for the end of this transaction; whether it changed anything. */
  #end({ clock, lockTimeoutMs }: TransactionOptions): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(tell);
        reject(new ServerError('55P03', 'canceling statement due to lock timeout'));
      };
      const callOff = lockTimeoutMs === undefined ? () => {} : later(clock, lockTimeoutMs, giveUp);
      const tell = (isCommitted: boolean): void => {
        callOff();
        resolve(isCommitted);
      };
      this.#waiting.add(tell);
    });
  }

  commit(): void {
    if (this.#isOver) return;
    for (const [name, changed] of this.#changes) {
      const rows = this.#options.tables[name] as Map<string, unknown>;
      for (const [key, row] of changed) {
        if (row === undefined) rows.delete(key);
        else rows.set(key, row);
      }
    }
    this.#finish(true);
  }

  rollback(): void {
    if (!this.#isOver) this.#finish(false);
  }

  #finish(isCommitted: boolean): void {
    this.#isOver = true;
    for (const key of this.#held) this.#options.locks.delete(key);
    for (const tell of this.#waiting) tell(isCommitted);
    this.#waiting.clear();
  }
}
