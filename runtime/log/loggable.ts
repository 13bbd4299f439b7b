import { printable, shortened } from '../../apis/core/v1alpha1/printable.ts';
import { isBug } from './bug.ts';

/** Names of fields whose values are never written. Compared without case, `-`, `_` and `.`. */
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
/** Whether a name is secret, by name. The log uses few names, and repeats them in every line. */
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

/** One line of limited length, without passwords in URLs and without bearer tokens. */
function scrubbed(text: string): string {
  // Cut first: a huge text would keep the expressions busy. The cut lies far behind the shown part, so that it splits
  // no secret there.
  const shown = printable(text.slice(0, 2 * maxLength));
  // Most texts are one word, which can hold neither a URL nor a token.
  const safe = shown.includes('://') ? shown.replaceAll(passwordInUrl, `$1:${redacted}@`) : shown;
  return shortened(/\s/.test(safe) ? safe.replaceAll(authorization, `$1 ${redacted}`) : safe, maxLength + 1);
}

/** The frames of a stack, one per line. The lines before the frames repeat the message. */
const framesOf = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .map((line) => `    ${scrubbed(line.trim())}`)
    .join('\n');

export interface LoggableOptions {
  /** Writes the stacks of all errors. Stacks of programming errors are always written. */
  readonly withStack: boolean;
}

/**
 * Converts a value to plain JSON for the log. Errors become `{message, cause, …}`, fields with a secret name are redacted,
 * cycles are cut, and bytes become their count. Never throws.
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
