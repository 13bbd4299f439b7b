import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DefinitionError } from '../../../apis/core/definition-error.ts';
import { requireForm } from '../../../apis/core/forms.ts';
import { processForm } from '../../../controllers/author/definition-forms.ts';

const service = { definitions: [], managed: () => ({}) };
const stack = { ...service, name: 'shop' };
const facts = { name: 'shop', version: '1.0.0', crds: 'crds' };

const requireProcess = (stacks: unknown, given?: object): void =>
  requireForm({ name: 'run' }, processForm, { ...given, stacks });

describe('run accepts', () => {
  const accepted: Readonly<Record<string, readonly [unknown, object]>> = {
    'a list of stacks': [[stack], {}],
    'several folders of definitions': [[stack], { crds: ['a', 'b'] }],
    'more stacks': [[], { optional: [stack] }],
    'other facts': [[stack], { isAlone: true }],
  };
  for (const [name, [stacks, more]] of Object.entries(accepted)) {
    test(name, () => assert.doesNotThrow(() => requireProcess(stacks, { ...facts, ...more })));
  }
});

describe('run names the option that has another form', () => {
  const refused: Readonly<
    Record<string, readonly [stacks: unknown, facts: object | undefined, problem: string]>
  > = {
    'a stack alone': [stack, facts, 'stacks, an object, which must be a list of results of defineStack'],
    'no stacks': [undefined, facts, 'no stacks, which must be a list of results of defineStack'],
    'a stack that is undefined': [
      [undefined],
      facts,
      'stacks.0, undefined, which must be a result of defineStack',
    ],
    'a promise of a stack': [
      [Promise.resolve(stack)],
      facts,
      'stacks.0, a promise, which must be a result of defineStack',
    ],
    'a service': [[service], facts, 'stacks.0, an object, which must be a result of defineStack'],
    'no facts': [[stack], undefined, 'no name, which must be text'],
    'no version': [[stack], { ...facts, version: undefined }, 'no version, which must be text'],
    'a folder that is a number': [
      [stack],
      { ...facts, crds: 1 },
      'crds, a number, which must be a folder, or a list of folders',
    ],
    'a misspelt option': [[stack], { ...facts, optionals: [stack] }, 'optionals; perhaps optional is meant'],
    'more stacks that are no list': [
      [stack],
      { ...facts, optional: stack },
      'optional, an object, which must be a list of results of defineStack',
    ],
  };
  for (const [name, [stacks, given, problem]] of Object.entries(refused)) {
    test(name, () =>
      assert.throws(() => requireProcess(stacks, given), new DefinitionError(`run got ${problem}`)),
    );
  }
});
