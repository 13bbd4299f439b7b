import type { Fields, Form } from '../apis/core/forms.ts';
import { isObject, listOf, required, requireForm, text } from '../apis/core/forms.ts';

const stack: Form = {
  fits: (value) => isObject(value) && Array.isArray(value.definitions),
  as: 'a result of defineStack',
};
const stacks = listOf(stack, 'a list of results of defineStack');

const crds: Form = {
  fits: (value) => [value].flat().every((each) => typeof each === 'string' && each !== ''),
  as: 'a folder, or a list of folders',
};

const processForm: Fields = {
  stacks: required(stacks),
  name: required(text),
  version: required(text),
  crds: required(crds),
  optional: stacks,
};

/** Throws a DefinitionError if the arguments of an author's `run` have another form, or a misspelt option. */
export const requireProcess = (stacks: unknown, facts: unknown): void =>
  requireForm({ name: 'run' }, processForm, { ...(isObject(facts) && facts), stacks });
