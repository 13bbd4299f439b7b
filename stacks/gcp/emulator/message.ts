import { invalid, Problem } from './problem.ts';

/** The type of a field. */
type FieldType =
  | 'string'
  | 'bool'
  | 'int32'
  /** A map with texts as values. */
  | 'labels'
  /** Text as `600s`. */
  | 'duration'
  /** Text of RFC 3339. */
  | 'timestamp'
  | { readonly enum: readonly string[]; readonly of: string }
  | { readonly message: MessageShape }
  | { readonly list: FieldType };

/** A message of an API: its fields in JSON's spelling, for example `memorySizeGb`. */
export type MessageShape = Readonly<Record<string, FieldType>>;

export type Message = Readonly<Record<string, unknown>>;

/** `memory_size_gb` for `memorySizeGb`, as errors spell a field. */
export const snakeCase = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `memorySizeGb` for either spelling: protocol buffers take both in JSON. */
export const camelCase = (text: string): string =>
  text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Reads JSON as protocol buffers do: both spellings of a name, null for a field that is not set, numbers as text.
 *
 * @param at where it stands in the request, for example `instance`; empty for the request itself.
 * @throws Problem INVALID_ARGUMENT that names the field, in the words of Google's front end.
 */
export function readMessage(json: unknown, shape: MessageShape, at: string): Message {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw badPayload(at, at === '' ? 'Root element must be a message.' : `Expected a message at '${at}'.`);
  }
  const read: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(json)) {
    const name = camelCase(given);
    const type = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (type === undefined) {
      throw badPayload(at, `Unknown name "${given}"${at === '' ? '' : ` at '${at}'`}: Cannot find field.`);
    }
    if (value === null) continue;
    read[name] = readValue(value, type, at === '' ? snakeCase(name) : `${at}.${snakeCase(name)}`);
  }
  return read;
}

function readValue(value: unknown, type: FieldType, at: string): unknown {
  if (typeof type === 'object') {
    if ('message' in type) return readMessage(value, type.message, at);
    if ('list' in type) {
      if (!Array.isArray(value)) throw badValue(at, 'TYPE_MESSAGE', value);
      return value.map((item, index) => readValue(item, type.list, `${at}[${index}]`));
    }
    if (typeof value !== 'string' || !type.enum.includes(value)) {
      throw badValue(at, `type.googleapis.com/${type.of}`, value);
    }
    return value;
  }
  switch (type) {
    case 'bool':
      if (typeof value !== 'boolean') throw badValue(at, 'TYPE_BOOL', value);
      return value;
    case 'int32': {
      const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) > 2 ** 31 - 1) {
        throw badValue(at, 'TYPE_INT32', value);
      }
      return number;
    }
    case 'labels':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw badValue(at, 'Map', value);
      }
      for (const [key, text] of Object.entries(value)) {
        if (typeof text !== 'string') throw badValue(`${at}[${key}]`, 'TYPE_STRING', text);
      }
      return value;
    case 'duration':
      if (typeof value !== 'string' || !/^-?\d+(\.\d{1,9})?s$/.test(value)) {
        throw badValue(at, 'type.googleapis.com/google.protobuf.Duration', value);
      }
      return value;
    case 'timestamp':
      if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) {
        throw badValue(at, 'type.googleapis.com/google.protobuf.Timestamp', value);
      }
      return value;
    case 'string':
      if (typeof value !== 'string') throw badValue(at, 'TYPE_STRING', value);
      return value;
  }
}

/**
 * A field mask as JSON has it: paths with commas between them, in either spelling.
 *
 * @returns the paths in JSON's spelling; empty when there are none.
 */
export function readFieldMask(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((path) => camelCase(path.trim()))
    .filter((path) => path !== '');
}

/** The body's JSON; an empty body is an empty message. Throws Problem. */
export function parseBody(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('INVALID_ARGUMENT', 'Invalid JSON payload received. Unexpected token.');
  }
}

const badPayload = (at: string, what: string): Problem =>
  invalid(at, `Invalid JSON payload received. ${what}`);

const badValue = (at: string, type: string, value: unknown): Problem =>
  invalid(at, `Invalid value at '${at}' (${type}), ${JSON.stringify(value)}`);
