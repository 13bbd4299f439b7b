import isString from 'lodash/isString.js';
import pickBy from 'lodash/pickBy.js';
import type { Fields, Form } from '../apis/core/forms.ts';
import {
  flag,
  function_,
  hintAt,
  isObject,
  misspelt,
  nameOf,
  object,
  objectProblem,
  oneOf,
  problemIn,
  required,
  text,
  texts,
} from '../apis/core/forms.ts';

const details: Form = {
  fits: isObject,
  as: 'an object of texts',
  entries: { fits: (value) => isString(value) || value === null, as: 'text or null' },
};
const ready: Form = { fits: isReady, as: 'a Ready condition, for example available()' };
const error: Form = { fits: (value) => value instanceof Error, as: 'an Error' };

function isReady(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, status, reason, message = '' } = value;
  const isStatus = ['True', 'False', 'Unknown'].some((each) => each === status);
  return type === 'Ready' && isStatus && isString(reason) && isString(message);
}

const report: Fields = { details, status: object, isCredentialPending: flag };
const created: Fields = { ...report, isExisting: flag, externalName: text };

/** The fields of an Observation: controllers/managed/connecting/external-client.ts. */
const absent: Fields = {
  exists: required(flag),
  externalName: text,
  uncreatable: text,
  renamed: text,
  newName: text,
  taken: text,
  takenBy: oneOf('Nobody', 'AnotherResource'),
  remains: text,
};
const observation: Fields = {
  ...absent,
  isUpToDate: required(flag),
  unchangeable: text,
  details,
  isOfAnother: flag,
  status: object,
  ready,
  lateInitialized: object,
  credential: oneOf('inForce', 'pending', 'wrong'),
  difference: text,
  differing: texts,
  refused: texts,
  drifted: texts,
  operation: oneOf('create', 'update', 'delete'),
};

const state = required(oneOf('running', 'done', 'failed', 'unknown'));
const progress: Readonly<Record<string, Fields>> = {
  running: { state, message: text },
  done: { state, ...created },
  failed: { state, error: required(error) },
};

/** The fields of the answer of a call. */
interface AnswerForm {
  readonly fields: Fields;
  /** The fields that this answer must have in the right form. Absent: all. */
  readonly counting?: (answer: Readonly<Record<string, unknown>>) => Fields;
}

/** By the name of the call. Absent: the call returns no fields. */
const forms: Readonly<Record<string, AnswerForm>> = {
  observe: { fields: observation, counting: ({ exists }) => (exists === false ? absent : observation) },
  create: { fields: { ...created, operation: text } },
  update: { fields: { ...report, operation: text } },
  delete: { fields: { operation: text } },
  poll: {
    fields: { ...progress.running, ...progress.done, ...progress.failed },
    counting: ({ state: now }) => progress[String(now)] ?? { state },
  },
  facts: { fields: { version: text, warning: text } },
};

const methods = ['observe', 'create', 'update', 'delete'];
const optionalMethods = ['plannedDetails', 'disconnect', 'system', 'check', 'facts', 'poll'];

/** The problem of the client that `connect` returned. */
function clientProblem(client: unknown): string | undefined {
  if (!isObject(client)) return objectProblem(client);
  const forms = [
    ...methods.map((name) => [name, required(function_)] as const),
    ...optionalMethods.map((name) => [name, function_] as const),
  ];
  return problemIn(Object.fromEntries(forms), client) ?? misspeltMethod(client);
}

/** A client may have other methods, for its own use. */
function misspeltMethod(client: Readonly<Record<string, unknown>>): string | undefined {
  const wrong = misspelt([...methods, ...optionalMethods], pickBy(client, function_.fits));
  return wrong && `the method ${wrong.name}, which is never called; perhaps ${wrong.meant} is meant`;
}

/** Why an external client must not return this answer from `call`, as in `observe returned …`. Undefined: it may. */
export function answerProblem(call: string, answer: unknown): string | undefined {
  if (call === 'connect') return clientProblem(answer);
  if (call === 'system')
    return isString(answer) && answer !== '' ? undefined : `${nameOf(answer)}, which must be text`;
  if (call === 'plannedDetails') return detailsProblem(answer);
  const form = forms[call];
  if (form === undefined) return undefined;
  if (!isObject(answer)) return objectProblem(answer);
  const { fields, counting = () => fields } = form;
  return unknownField(fields, answer) ?? problemIn(counting(answer), answer) ?? jsonProblem(answer);
}

/** The first field that the answer cannot have, which TypeScript does not find in an object that was spread, and the name that was meant. */
function unknownField(fields: Fields, answer: Readonly<Record<string, unknown>>): string | undefined {
  const name = Object.keys(answer).find((key) => answer[key] !== undefined && !Object.hasOwn(fields, key));
  if (name === undefined) return undefined;
  return `${name}, which is none of its fields${hintAt(name, Object.keys(fields))}`;
}

/** The first connection detail that the kind does not declare, and the name that was meant. */
export function undeclaredDetail(declared: readonly string[], details: object): string | undefined {
  const name = Object.keys(details).find((key) => !declared.includes(key));
  return name && `${name}, which is not among the connectionDetails of the kind${hintAt(name, declared)}`;
}

const detailsProblem = (answer: unknown): string | undefined =>
  objectProblem(answer) ?? problemIn({ '': details }, { '': answer });

/** An object of the API server can have 1.5 MiB, with everything else. */
const mostCharacters = 256 * 1024;

/** The first part of a value that JSON cannot express, or that makes it too large. */
export function jsonProblem(value: unknown): string | undefined {
  const above = new Set<object>();
  let left = mostCharacters;
  const visit = (each: unknown, path: string): string | undefined => {
    left -= isString(each) ? each.length : path.length === 0 ? 0 : 8;
    const where = path === '' ? '' : `${path}, `;
    if (left < 0) return `${where}which makes it larger than ${mostCharacters / 1024} KiB`;
    if (each instanceof Error || typeof each !== 'object' || each === null)
      return isOfJson(each) ? undefined : `${where}${nameOf(each)}`;
    if (above.has(each)) return `${where}which contains itself`;
    // guard: otherwise the controllers, which merge and compare fields, lose what the object has
    if (typeof (each as { readonly toJSON?: unknown }).toJSON === 'function')
      return `${where}an object with a method toJSON (${each.constructor?.name ?? 'no class'})`;
    above.add(each);
    for (const [key, inner] of Object.entries(each)) {
      const problem = visit(inner, path === '' ? key : `${path}.${key}`);
      if (problem !== undefined) return problem;
    }
    above.delete(each);
    return undefined;
  };
  return visit(value, '');
}

const isOfJson = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : !['bigint', 'function', 'symbol'].includes(typeof value);
