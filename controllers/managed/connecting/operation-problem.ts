import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { printable } from '../../../apis/core/v1alpha1/printable.ts';
import type { ExternalClient } from './external-client.ts';

/**
 * The problem of a call of an external client that started an operation which cannot be polled, as in `create returned …`:
 * the client has no `poll`, or the name of the operation is empty or not printable. Undefined: there is none.
 */
export const operationProblem = <M extends Managed>(
  { poll }: ExternalClient<M>,
  { kind }: M,
  call: string,
  name: string,
): string | undefined => problemOf(name) ?? (poll ? undefined : withoutPoll(kind, call, name));

function problemOf(name: string): string | undefined {
  if (name === '') return 'an empty name of an operation';
  return printable(name) === name ? undefined : `a name of an operation that is not printable, "${name}"`;
}

const withoutPoll = (kind: string, call: string, name: string): string =>
  `the name of an operation, "${name}", but has no poll. Beside ${call} in the external client of ${kind}, ` +
  `add \`async poll(name, signal)\`, which returns { state: 'running' }, { state: 'done' }, { state: 'failed', error } or { state: 'unknown' }`;
