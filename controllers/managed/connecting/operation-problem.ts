import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { printable } from '../../../apis/core/v1alpha1/printable.ts';
import type { ExternalClient, OperationType } from './external-client.ts';

/**
 * The bug of an external client that started an operation which cannot be polled: it has no `poll`, or the name of the
 * operation is empty or not printable. Undefined: there is none.
 */
export function operationProblem(
  { poll }: ExternalClient,
  { kind }: Managed,
  type: OperationType,
  name: string,
): TypeError | undefined {
  const problem = problemOf(name) ?? (poll ? undefined : withoutPoll(kind, type, name));
  if (problem === undefined) return undefined;
  const error = new TypeError(`${type} of the external client returned ${problem}`);
  error.stack = ''; // its stack trace would show this file, not the client
  return error;
}

function problemOf(name: string): string | undefined {
  if (name === '') return 'an empty name of an operation';
  return printable(name) === name ? undefined : `a name of an operation that is not printable, "${name}"`;
}

const withoutPoll = (kind: string, type: OperationType, name: string): string =>
  `the name of an operation, "${name}", but has no poll. Beside ${type} in the external client of ${kind}, ` +
  `add \`async poll(name, signal)\`, which returns { state: 'running' }, { state: 'done' }, { state: 'failed', error } or { state: 'unknown' }`;
