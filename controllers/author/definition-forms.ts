import isString from 'lodash/isString.js';
import type { Fields, Form } from '../../apis/core/forms.ts';
import {
  flag,
  function_,
  isObject,
  listOf,
  number,
  object,
  objectOf,
  oneOf,
  required,
  text,
  texts,
} from '../../apis/core/forms.ts';
import type { Definition } from '../../apis/core/schema.ts';

/** A required kind that this function defined: its categories name its sort. */
export const kindFrom = (define: string, sort: string, name?: string): Form =>
  required({
    fits: (value) =>
      isObject(value) &&
      (value as Partial<Definition>).categories?.includes(sort) === true &&
      (name ?? value.kind) === value.kind,
    as: `a kind from ${define}`,
  });
const managedKind = kindFrom('defineManaged', 'managed');

/** The options of `satisfies`. */
export const satisfiesForm: Fields = {
  claim: kindFrom('defineClaim', 'claim'),
  class: kindFrom('defineClass', 'class'),
  configure: required(function_),
  whyIncompatible: function_,
};

/** The options of `service`. */
export const serviceForm: Fields = {
  managed: managedKind,
  externalNames: required(oneOf('deterministic', 'assigned')),
  external: required({ ...function_, as: 'a function that returns an external client' }),
  claims: listOf(objectOf(satisfiesForm), 'a list of results of satisfies'),
  credential: objectOf({
    key: required(text),
    length: required(number),
    alphabet: required(text),
    isWanted: function_,
    rotationOf: function_,
  }),
  reportsSecrets: flag,
  references: listOf(
    objectOf({
      field: required(text),
      ref: required(text),
      selector: text,
      to: managedKind,
      extract: function_,
      multiple: flag,
    }),
    'a list of references',
  ),
  names: objectOf({
    maxLength: required(number),
    pattern: { fits: (value) => value instanceof RegExp, as: 'a regular expression' },
  }),
  limits: objectOf({ callMs: number }),
  creationGraceMs: number,
  confirmAbsenceMs: number,
};

/** The parts that a service and a stack have in common. A stack has a name, too. */
const hasParts = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Array.isArray(value.definitions) && function_.fits(value.managed);

/** Whether a value of an author is a result of `defineStack`. */
export const isDefinedStack = (value: unknown): boolean => hasParts(value) && text.fits(value.name);

/** The options of `defineStack`. */
export const stackForm: Fields = {
  name: required(text),
  provider: required(
    objectOf({
      provider: kindFrom('defineProvider', 'provider', 'Provider'),
      providerConfig: kindFrom('defineProviderConfig', 'provider', 'ProviderConfig'),
      connect: required({ ...function_, as: 'a function, such as the result of cloudClients' }),
      credentialEntries: texts,
      credentialForm: text,
    }),
  ),
  services: required(
    listOf(
      { fits: (value) => hasParts(value) && !isDefinedStack(value), as: 'a result of service' },
      'a list of results of service',
    ),
  ),
};

/** The options of `cloudClients`, and the function that creates a client. */
export const cloudForm: Fields = {
  createClient: required(function_),
  parse: function_,
  systemOf: function_,
  querySystem: function_,
  check: function_,
  withTags: function_,
  injected: object,
};

export const definedStack: Form = { fits: isDefinedStack, as: 'a result of defineStack' };
const stacks = listOf(definedStack, 'a list of results of defineStack');

/** The options of `run`, and its list of stacks. */
export const processForm: Fields = {
  stacks: required(stacks),
  name: required(text),
  version: required(text),
  crds: required({
    fits: (value) => [value].flat().every((each) => isString(each) && each !== ''),
    as: 'a folder, or a list of folders',
  }),
  optional: stacks,
};
