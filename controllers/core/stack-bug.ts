/*
 *   a stack's code ──throws──▶ blaming: whose it is, on the error itself ──▶ StepFailure ──▶ describeBug: conditions
 */

import { bugIn } from '../../runtime/log/bug.ts';

/** The name of the stack that a programming error comes from: on the error itself, whatever that is wrapped in. */
const whose = Symbol('stack');

interface Blamed {
  readonly [whose]?: string;
}

/** Says that an error, if it is a programming error, is one of this stack. Returns the error as it was. */
export function blamed<E>(error: E, stack: string | undefined): E {
  const bug = bugIn(error);
  if (stack !== undefined && bug !== undefined) Reflect.defineProperty(bug, whose, { value: stack });
  return error;
}

/** What a call of a stack's code comes to. A programming error that it throws is one of that stack. */
export async function blaming<T>(stack: string | undefined, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw blamed(error, stack);
  }
}

/**
 * `bug in the stack example: … (TypeError at example/external-client.ts:41)`, for who reads a condition; of what no stack is
 * to blame for, `bug in the controllers: …`. The place is the first that is whose the bug is, and left out where there is none.
 */
export function describeBug(bug: Error): string {
  const stack = (bug as Blamed)[whose];
  const place = placeOf(bug.stack, stack === undefined ? isOurs : isOfStacks);
  const at = place === undefined ? '' : ` at ${place}`;
  return `bug in the ${stack === undefined ? 'controllers' : `stack ${stack}`}: ${bug.message} (${bug.name}${at})`;
}

const root = new URL('../..', import.meta.url).pathname;
/** What runs stacks, and what helps their authors. */
const rooms = ['apis/core/', 'controllers/author/', 'controllers/core/', 'runtime/', 'testing/'];
/** Of a library, be it beside us or beside the stack. */
const isLibrary = (path: string): boolean => path.includes('/node_modules/');

const isOurs = (path: string): boolean =>
  path.startsWith(root) ? !isLibrary(path.slice(root.length - 1)) : !isLibrary(path);

const isOfStacks = (path: string): boolean =>
  !isLibrary(path) && !rooms.some((room) => path.startsWith(`${root}${room}`));

/** The first place in a stack trace that is theirs: the last two names of its path, and the line. */
function placeOf(trace = '', isTheirs: (path: string) => boolean): string | undefined {
  for (const line of trace.split('\n')) {
    const [, place = '', number] = frame.exec(line) ?? [];
    const path = place.replace(/^file:\/\//, '').replaceAll('\\', '/');
    const [folder, file] = path.split('/').slice(-2);
    if (!path.startsWith('node:') && file !== undefined && isTheirs(path))
      return `${folder}/${file}:${number}`;
  }
  return undefined;
}

const frame = /^ {4}at (?:async )?(?:.*\()?(.*?):(\d+):\d+\)?$/;
