import isString from 'lodash/isString.js';
import { withoutSecrets } from '../../../clients/without-secrets.ts';

/** The fields of answers that conditions, Events or the log show. */
const messages = [
  'uncreatable',
  'renamed',
  'taken',
  'remains',
  'unchangeable',
  'difference',
  'refused',
  'drifted',
  'ready',
  'message',
  'warning',
];

/** An answer whose messages have no secrets. The same object if they have none. */
export function scrubbedAnswer<T>(answer: T, secrets: readonly string[]): T {
  if (secrets.length === 0 || typeof answer !== 'object' || answer === null) return answer;
  const fields = Object.entries(answer).filter(([name]) => messages.includes(name));
  const scrubbed = fields.flatMap(([name, value]) => {
    const without = scrubbedMessage(value, secrets);
    return without === value ? [] : [[name, without] as const];
  });
  return scrubbed.length === 0 ? answer : { ...answer, ...Object.fromEntries(scrubbed) };
}

/** A text, a list of texts, or a condition with a message. */
function scrubbedMessage(value: unknown, secrets: readonly string[]): unknown {
  if (isString(value)) return withoutSecrets(value, secrets);
  if (Array.isArray(value)) {
    const texts = value.map((each) => scrubbedMessage(each, secrets));
    return texts.every((text, index) => text === value[index]) ? value : texts;
  }
  return scrubbedAnswer(value, secrets);
}

/** Removes secrets from the messages and stack traces of an error and its causes, in place. */
export function scrubError(error: unknown, secrets: readonly string[]): void {
  if (secrets.length === 0) return;
  for (let each = error; each instanceof Error; each = each.cause) {
    const without = (text: string): string => withoutSecrets(unquoted(each, text), secrets);
    const { message, stack = '' } = each;
    replace(each, 'message', message, without(message));
    replace(each, 'stack', stack, without(stack));
  }
}

/** The parser of JSON quotes a part of its text: `Unexpected token 'h', "hunter2" is not valid JSON`. */
const unquoted = (error: unknown, text: string): string =>
  error instanceof SyntaxError ? text.replace(/, (?:\.{3})?".*(?= is not valid JSON)/s, ', the text') : text;

function replace(error: Error, name: 'message' | 'stack', before: string, value: string): void {
  if (value !== before) Reflect.defineProperty(error, name, { value, writable: true, configurable: true });
}
