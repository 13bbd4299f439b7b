import isEqual from 'lodash/isEqual.js';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Change } from './invariant.ts';
import type { Act } from './scenario.ts';

interface Entry {
  readonly atMs: number;
  readonly text: () => string;
}

/**
 * The history, in lines for a reader: `12.345 p1  update FancySQLInstance team/orders
 * status.bindingPhase=Bound`.
 */
export class Trace {
  readonly #entries: Entry[] = [];
  readonly #elapsedMs: () => number;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  note(by: string, what: string): void {
    this.#add(() => `${by.padEnd(9)} ${what}`);
  }

  /** Events are left out. */
  change({ by, kind, before, after }: Change): void {
    if (kind.kind === 'Event') return;
    this.#add(() => {
      const { metadata } = (after ?? before)!;
      const verb = before === undefined ? 'creates' : after === undefined ? 'removes' : 'changes';
      const what = after === undefined ? [] : differences(before, after);
      return [by.padEnd(9), verb, kind.kind, objectKeyText(metadata), ...what].join(' ');
    });
  }

  /** A creation by a user is printed as a change, and the world prints an attack. */
  act(act: Act): void {
    if (act.type === 'create' || act.type === 'plant' || act.type === 'attack') return;
    if (act.type !== 'edit' && act.type !== 'delete') {
      const { type, ...rest } = act;
      this.#add(() => `${'world'.padEnd(9)} ${type} ${JSON.stringify(rest)}`);
      return;
    }
    const { kind, given, ...key } = act.of;
    const patch = act.type === 'edit' ? ` ${JSON.stringify(act.patch)}` : '';
    this.#add(
      () =>
        `${'somebody'.padEnd(9)} ${act.type}s ${given === undefined ? '' : `the ${given} of `}${kind} ${objectKeyText(key)}${patch}`,
    );
  }

  lines(): readonly string[] {
    return this.#entries.map(({ atMs, text }) => `${(atMs / 1000).toFixed(3).padStart(9)} ${text()}`);
  }

  #add(text: () => string): void {
    this.#entries.push({ atMs: this.#elapsedMs(), text });
  }
}

/** The leaves that differ, as `path=value`; what the server alone writes is left out. */
function differences(before: unknown, after: unknown, path = ''): readonly string[] {
  if (isEqual(before, after)) return [];
  if (serverOwn.has(path)) return [];
  if (path === 'data') return [`data=${Object.keys(after ?? {}).join(',')}`];
  if (!isRecord(after)) return [`${path}=${short(after)}`];
  const former = isRecord(before) ? before : {};
  const keys = new Set([...Object.keys(former), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    differences(own(former, key), own(after, key), path === '' ? key : `${path}.${key}`),
  );
}

/** An object may have a key such as `constructor`. */
const own = (of: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(of, key) ? of[key] : undefined;

/** Fields without interest, or with secrets. */
const serverOwn = new Set([
  'apiVersion',
  'kind',
  'metadata.uid',
  'metadata.resourceVersion',
  'metadata.creationTimestamp',
  'metadata.generation',
  'metadata.name',
  'metadata.namespace',
  'spec.claimRef.apiVersion',
  'spec.claimRef.kind',
  'spec.classRef.apiVersion',
  'spec.classRef.uid',
  'spec.resourceRef.apiVersion',
  'type',
]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Conditions by type, status and reason; what is long is cut. */
function short(value: unknown): string {
  if (value === undefined) return '-';
  if (Array.isArray(value) && value.every((item) => isRecord(item) && 'type' in item && 'status' in item)) {
    return value.map(({ type, status, reason }) => `${type}=${status}/${reason}`).join(',');
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}
