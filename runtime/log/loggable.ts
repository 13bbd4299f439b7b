import { printable, shortened } from '../../apis/core/v1alpha1/printable.ts';
import { isBug } from './bug.ts';

/** Names of fields whose values are never written, whatever they hold; compared without case, `-` and `_`. */
const secretNames: ReadonlySet<string> = new Set([
  'data',
  'stringdata',
  'binarydata',
  'authorization',
  'cookie',
  'setcookie',
  'connectiondetails',
  'connectionstring',
  'dsn',
  'kubeconfig',
  'pgpass',
]);
const secretEndings =
  /(?:password|passwd|passphrase|token|credentials?|apikey|accesskey|privatekey|secretkey|clientkey)$/;
/** Whether a name is one, by the name: fields of lines have few, which come again with each line. */
const known = new Map<string, boolean>();
const mostKnown = 1_000;

function isSecretName(key: string): boolean {
  const found = known.get(key);
  if (found !== undefined) return found;
  const plainKey = key.replaceAll(/[-_.]/g, '').toLowerCase();
  const isSecret = secretNames.has(plainKey) || secretEndings.test(plainKey);
  if (known.size < mostKnown) known.set(key, isSecret);
  return isSecret;
}

const redacted = '[redacted]';
const maxDepth = 8;
const maxLength = 8192;

const passwordInUrl = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s/@]+@/gi;
const authorization = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;

/** On one line, without passwords of URLs and bearer tokens, and not endless. */
function scrubbed(text: string): string {
  // Cut first, or a huge text would keep the expressions busy; far enough behind what is shown that no secret
  // there is cut in two and missed.
  const shown = printable(text.slice(0, 2 * maxLength));
  // Most is a name or a word, in which neither can be.
  const safe = shown.includes('://') ? shown.replaceAll(passwordInUrl, `$1:${redacted}@`) : shown;
  return shortened(/\s/.test(safe) ? safe.replaceAll(authorization, `$1 ${redacted}`) : safe, maxLength + 1);
}

/** Where an error came from: the frames alone, a line each, for what precedes them repeats the message. */
const framesOf = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .map((line) => `    ${scrubbed(line.trim())}`)
    .join('\n');

export interface LoggableOptions {
  /** With the stacks of all errors: those of programming errors are told in any case. */
  readonly withStack: boolean;
}

/**
 * A value as plain JSON that may be written to a log: errors as `{message, cause, …}`, nothing that is named
 * like a secret, no cycles, bytes as their number. Never throws.
 */
export function loggable(value: unknown, { withStack }: LoggableOptions): unknown {
  const ancestors = new Set<object>();

  function errorFacts(error: Error, depth: number): unknown {
    const { name, message, stack, cause } = error;
    const { code, reason, requestId } = error as { code?: unknown; reason?: unknown; requestId?: unknown };
    const errors = error instanceof AggregateError ? error.errors : undefined;
    return {
      message: scrubbed(String(message)),
      ...(name !== 'Error' && { name: String(name) }),
      ...((typeof code === 'string' || typeof code === 'number') && { code }),
      ...(typeof reason === 'string' && reason !== '' && { reason: scrubbed(reason) }),
      ...(typeof requestId === 'string' && requestId !== '' && { requestId: scrubbed(requestId) }),
      ...((withStack || isBug(error)) && typeof stack === 'string' && { stack: framesOf(stack) }),
      ...(cause !== undefined && { cause: convert(cause, depth + 1) }),
      ...(errors !== undefined && { errors: errors.map((one: unknown) => convert(one, depth + 1)) }),
    };
  }

  function objectFacts(object: object, depth: number): unknown {
    if (object instanceof Error) return errorFacts(object, depth);
    if (object instanceof Date) return Number.isNaN(object.getTime()) ? 'invalid date' : object.toISOString();
    if (object instanceof URL) return scrubbed(object.href);
    if (object instanceof ArrayBuffer || ArrayBuffer.isView(object)) return `[${object.byteLength} bytes]`;
    if (object instanceof Set || Array.isArray(object)) {
      return [...object].map((item: unknown) => convert(item, depth + 1) ?? null);
    }
    const entries: readonly (readonly [unknown, unknown])[] =
      object instanceof Map ? [...object] : Object.entries(object);
    return Object.fromEntries(
      entries.flatMap(([name, field]) => {
        const key = scrubbed(String(name));
        const shown = field !== undefined && isSecretName(key) ? redacted : convert(field, depth + 1);
        return shown === undefined ? [] : [[key, shown]];
      }),
    );
  }

  function convert(given: unknown, depth: number): unknown {
    switch (typeof given) {
      case 'string':
        return scrubbed(given);
      case 'number':
        return Number.isFinite(given) ? given : String(given);
      case 'bigint':
      case 'symbol':
        return String(given);
      case 'function':
      case 'undefined':
        return undefined;
      case 'object': {
        if (given === null) return null;
        if (ancestors.has(given)) return '[circular]';
        if (depth > maxDepth) return '[deep]';
        ancestors.add(given);
        try {
          return objectFacts(given, depth);
        } catch {
          return '[unreadable]';
        } finally {
          ancestors.delete(given);
        }
      }
      default:
        return given;
    }
  }
  return convert(value, 0);
}
