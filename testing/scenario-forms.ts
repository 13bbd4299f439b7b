import isString from 'lodash/isString.js';
import type { Fields, Form } from '../apis/core/forms.ts';
import {
  function_,
  givenProblem,
  isObject,
  listOf,
  number,
  object,
  objectOf,
  oneOf,
  required,
  texts,
} from '../apis/core/forms.ts';
import { definedStack, kindFrom } from '../controllers/author/definition-forms.ts';
import { expect } from './verdict.ts';

const changes = listOf(object, 'a list of objects');

/** The options of `describeConformance`. */
export const conformanceForm: Fields = {
  managed: kindFrom('defineManaged', 'managed'),
  forProvider: required(object),
  another: {
    fits: (value) => isObject(value) || function_.fits(value),
    as: 'an object, or a function of a number',
  },
  changes,
  refusedChanges: changes,
  late: texts,
  foundBy: texts,
  tags: function_,
  details: texts,
  withoutDetails: listOf(
    objectOf({ change: required(object), keys: required(texts) }),
    'a list of objects with a change and keys',
  ),
  time: oneOf('virtual', 'network', 'real'),
  limitMs: number,
  open: required(function_),
};

/** The options of `describeClaims`. */
export const claimsForm: Fields = {
  managed: kindFrom('defineManaged', 'managed'),
  claim: kindFrom('defineClaim', 'claim'),
  spec: object,
  class: kindFrom('defineClass', 'class'),
  forProvider: required(object),
  change: required(object),
  rotation: object,
  limitMs: number,
  open: required(function_),
};

const credentials: Form = {
  fits: (value) => isString(value) || (isObject(value) && Object.values(value).every(isString)),
  as: 'text, or an object of texts',
};

/** The world that `open` of `describeConformance` returns. */
export const worldForm: Fields = {
  stack: required(definedStack),
  credentials: required(credentials),
  parameters: object,
  externals: required(function_),
  foreign: function_,
  fail: function_,
  answer: function_,
  loseAnswer: function_,
  hang: function_,
  opens: function_,
  close: function_,
};

/** The world that `open` of `describeClaims` returns. */
export const claimWorldForm: Fields = {
  stack: required(definedStack),
  credentials: required(credentials),
  parameters: object,
  externals: required(function_),
  opens: required(function_),
  lose: required(function_),
  close: function_,
};

/** Returns the world. Throws Broken if it has not this form. */
export function checkedWorld<World>(form: Fields, world: World): World {
  const problem = givenProblem(form, world);
  expect(problem === undefined, `\`open\` returned ${problem}`, 'correct the result of `open`');
  return world;
}
