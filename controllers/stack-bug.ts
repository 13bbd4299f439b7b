import { bugIn } from '../runtime/log/bug.ts';

/** The key under which a programming error keeps the name of its stack (as in `--stacks`), in the innermost error. */
const stackOfBug = Symbol('stack');

interface Attributed {
  readonly [stackOfBug]?: string;
}

/** Records in a programming error from which stack it comes. Other errors do not change. */
export function attributed<E>(error: E, stack: string | undefined): E {
  const bug = bugIn(error);
  if (stack !== undefined && bug !== undefined) Reflect.defineProperty(bug, stackOfBug, { value: stack });
  return error;
}

/**
 * The text for a condition: `bug in the stack example: … (TypeError at example/external-client.ts:41)`, or `bug in the
 * controllers: …`. The location is the first line of the stack trace in the code of that stack, or of the controllers.
 */
export function describeBug(bug: Error): string {
  const stack = (bug as Attributed)[stackOfBug];
  const place = placeOf(bug.stack, stack === undefined ? isOurs : isOfStacks);
  const at = place === undefined ? '' : ` at ${place}`;
  return `bug in the ${stack === undefined ? 'controllers' : `stack ${stack}`}: ${bug.message} (${bug.name}${at})`;
}

const root = new URL('..', import.meta.url).pathname;
/** The folders of this product. The location of a bug in a stack is never in their files, which only call the stack. */
const rooms = ['apis/core/', 'controllers/', 'runtime/', 'testing/'];
const isLibrary = (path: string): boolean => path.includes('/node_modules/');

/** Whether a file is not in a library. Ignores the path of this product, which may itself be in `node_modules`. */
const isOurs = (path: string): boolean =>
  !isLibrary(path.startsWith(root) ? path.slice(root.length - 1) : path);

const isOfStacks = (path: string): boolean =>
  !isLibrary(path) && !rooms.some((room) => path.startsWith(`${root}${room}`));

/** The first location in a stack trace whose path `isTheirs` accepts, as `folder/file:line`. */
function placeOf(trace = '', isAuthors: (path: string) => boolean): string | undefined {
  for (const line of trace.split('\n')) {
    const [, place = '', number] = frame.exec(line) ?? [];
    const path = place.replace(/^file:\/\//, '').replaceAll('\\', '/');
    const [folder, file] = path.split('/').slice(-2);
    if (!path.startsWith('node:') && file !== undefined && isAuthors(path))
      return `${folder}/${file}:${number}`;
  }
  return undefined;
}

const frame = /^ {4}at (?:async )?(?:.*\()?(.*?):(\d+):\d+\)?$/;
