/* Mistakes in definitions that no compiler finds: each function is called without its types. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DefinitionError } from '../../../apis/core/definition-error.ts';
import * as schema from '../../../package/schema.ts';
import { text, z } from '../../../package/schema.ts';
import * as stack from '../../../package/stack.ts';

type Made = Readonly<Record<string, (env: object) => unknown>>;
type Untyped = Readonly<Record<string, (...given: readonly unknown[]) => Made>>;
const { defineClaim, defineClass, defineManaged, defineProvider, defineProviderConfig } =
  schema as unknown as Untyped;
const { immutable, optional, withRules } = schema as unknown as Untyped;
const { cloudClients, defineStack, satisfies, service } = stack as unknown as Untyped;

const group = { group: 'example.org', version: 'v1', description: 'A box.' };
const boxNames = { ...group, kind: 'Box', plural: 'boxes', stack: 'boxes' };
const anyNames = { ...group, kind: 'AnyBox', plural: 'anyboxes' };
const classNames = { ...group, kind: 'BoxClass', plural: 'boxclasses' };
const size = { size: text('The size.') };
const boxed = (fields: Readonly<Record<string, unknown>> = size) =>
  z.object(fields as typeof size).describe('The box.');
const [managed, claim, boxClass] = [
  defineManaged!(boxNames, boxed(), {}),
  defineClaim!(anyNames, size),
  defineClass!(classNames, boxed()),
];
const provider = {
  provider: defineProvider!({ ...group, stack: 'boxes' }),
  providerConfig: defineProviderConfig!({ ...group, stack: 'boxes' }),
  connect: () => async () => ({ client: {} }),
};
const boxes = { managed, externalNames: 'deterministic', external: () => ({}) };
const anyBoxes = { claim, class: boxClass, configure: () => ({ forProvider: {} }) };
const credential = { key: 'password', length: 32, alphabet: 'abcdef' };

const useSchema = "use a schema, such as text('The size.')";
const useFields =
  "use an object with a schema for each field, such as { size: z.int().describe('The size.') }";

const inStack = (part: object) => () => defineStack!({ name: 'boxes', provider, services: [], ...part });
const inProvider = (part: object) => inStack({ provider: { ...provider, ...part } });
const inService = (part: object) => () => service!({ ...boxes, ...part });
const inClaims = (part: object) => () => satisfies!({ ...anyBoxes, ...part });
const inManaged = (part: object) => () => defineManaged!({ ...boxNames, ...part }, boxed(), {});
const inFields = (fields: Readonly<Record<string, unknown>>) => () =>
  defineManaged!(boxNames, boxed(fields), {});
const observing = (observed: unknown) => () => defineManaged!(boxNames, boxed(), observed);

const mistakes: readonly (readonly [() => unknown, message: string])[] = [
  [() => defineStack!(), 'defineStack got undefined, which must be an object'],
  [() => defineStack!(boxes.external), 'defineStack got a function, which must be an object'],
  [inStack({ name: undefined }), 'defineStack got no name, which must be text'],
  [inStack({ name: 7 }), 'defineStack got name, a number, which must be text'],
  [inStack({ provider: undefined }), 'defineStack of boxes got no provider, which must be an object'],
  [inStack({ provider: null }), 'defineStack of boxes got provider, null, which must be an object'],
  [
    inStack({ provider: provider.provider }),
    'defineStack of boxes got no provider.provider, which must be a kind from defineProvider',
  ],
  [
    inProvider({ provider: provider.providerConfig }),
    'defineStack of boxes got provider.provider, an object, which must be a kind from defineProvider',
  ],
  [
    inProvider({ providerConfig: undefined, providerconfig: provider.providerConfig }),
    'defineStack of boxes got provider.providerconfig; perhaps providerConfig is meant',
  ],
  [
    inProvider({ connect: {} }),
    'defineStack of boxes got provider.connect, an object, which must be a function, such as the result of cloudClients',
  ],
  [
    inStack({ services: undefined, service: [] }),
    'defineStack of boxes got service; perhaps services is meant',
  ],
  [
    inStack({ services: service!(boxes) }),
    'defineStack of boxes got services, an object, which must be a list of results of service',
  ],
  [
    inStack({ services: [undefined] }),
    'defineStack of boxes got services.0, undefined, which must be a result of service',
  ],
  [
    inStack({ services: [boxes] }),
    'defineStack of boxes got services.0, an object, which must be a result of service',
  ],
  [
    inStack({ services: [Promise.resolve()] }),
    'defineStack of boxes got services.0, a promise, which must be a result of service',
  ],
  [
    inStack({ services: [inStack({})()] }),
    'defineStack of boxes got services.0, an object, which must be a result of service',
  ],
  [() => service!(), 'service got undefined, which must be an object'],
  [inService({ managed: undefined }), 'service got no managed, which must be a kind from defineManaged'],
  [inService({ managed: 'Box' }), 'service got managed, text, which must be a kind from defineManaged'],
  [
    inService({ managed: claim }),
    'service of AnyBox got managed, an object, which must be a kind from defineManaged',
  ],
  [
    inService({ externalNames: undefined, externalName: 'assigned' }),
    'service of Box got externalName; perhaps externalNames is meant',
  ],
  [
    inService({ externalNames: 'Assigned' }),
    'service of Box got externalNames, text, which must be "deterministic" or "assigned"',
  ],
  [
    inService({ external: {} }),
    'service of Box got external, an object, which must be a function that returns an external client',
  ],
  [
    inService({ claims: satisfies!(anyBoxes) }),
    'service of Box got claims, an object, which must be a list of results of satisfies',
  ],
  [inService({ claims: [undefined] }), 'service of Box got claims.0, undefined, which must be an object'],
  [
    inService({ claims: [claim] }),
    'service of Box got no claims.0.claim, which must be a kind from defineClaim',
  ],
  [inService({ claim: [] }), 'service of Box got claim; perhaps claims is meant'],
  [inService({ credentials: credential }), 'service of Box got credentials; perhaps credential is meant'],
  [inService({ credential: true }), 'service of Box got credential, true or false, which must be an object'],
  [
    inService({ credential: { ...credential, length: '32' } }),
    'service of Box got credential.length, text, which must be a number',
  ],
  [
    inService({ references: [{ field: 'size', ref: 'sizeRef', to: undefined }] }),
    'service of Box got no references.0.to, which must be a kind from defineManaged',
  ],
  [
    inService({ names: { maxLength: 40, pattern: '[a-z]*' } }),
    'service of Box got names.pattern, text, which must be a regular expression',
  ],
  [inService({ limits: { callMS: 9_000 } }), 'service of Box got limits.callMS; perhaps callMs is meant'],
  [inService({ creationGraceMs: '5m' }), 'service of Box got creationGraceMs, text, which must be a number'],
  [
    inService({ reportsSecrets: 'no' }),
    'service of Box got reportsSecrets, text, which must be true or false',
  ],
  [() => satisfies!(), 'satisfies got undefined, which must be an object'],
  [inClaims({ claim: undefined }), 'satisfies got no claim, which must be a kind from defineClaim'],
  [
    inClaims({ claim: boxClass, class: claim }),
    'satisfies of BoxClass got claim, an object, which must be a kind from defineClaim',
  ],
  [inClaims({ class: undefined }), 'satisfies of AnyBox got no class, which must be a kind from defineClass'],
  [inClaims({ configure: {} }), 'satisfies of AnyBox got configure, an object, which must be a function'],
  [
    inClaims({ whyIncompatable: () => undefined }),
    'satisfies of AnyBox got whyIncompatable; perhaps whyIncompatible is meant',
  ],
  [() => cloudClients!(), 'cloudClients got no createClient, which must be a function'],
  [
    () => cloudClients!(boxes.external, { system: () => 'one' }),
    'cloudClients got system; perhaps systemOf is meant',
  ],
  [
    () =>
      defineStack!({ name: 'boxes', provider: { ...provider, connect: () => ({}) }, services: [] }).managed!(
        {},
      ),
    'connect of boxes returned an object, which must be a function that connects a managed resource',
  ],
  [() => defineManaged!(), 'defineManaged got undefined, which must be an object'],
  [inManaged({ kind: undefined }), 'defineManaged got no kind, which must be text'],
  [inManaged({ kind: 7 }), 'defineManaged got kind, a number, which must be text'],
  [inManaged({ stack: undefined }), 'defineManaged of Box got no stack, which must be text'],
  [
    inManaged({ shortNames: 'b' }),
    'defineManaged of Box got shortNames, text, which must be a list of texts',
  ],
  [inManaged({ holdData: true }), 'defineManaged of Box got holdData; perhaps holdsData is meant'],
  [
    inManaged({ connectionDetails: ['endpoint'] }),
    'defineManaged of Box got connectionDetails, a list, which must be an object',
  ],
  [
    inManaged({ connectionDetails: { endpoint: 'The address.' } }),
    `Box.connectionDetails.endpoint is text: ${useSchema}`,
  ],
  [inFields({ size: undefined }), `Box.spec.forProvider.size is undefined: ${useSchema}`],
  [inFields({ size: z.int }), `Box.spec.forProvider.size is a function: ${useSchema}`],
  [inFields({ size: { type: 'integer' } }), `Box.spec.forProvider.size is an object: ${useSchema}`],
  [inFields({ size: optional!() }), `Box.spec.forProvider.size is undefined: ${useSchema}`],
  [inFields({ size: boxed({ width: null }) }), `Box.spec.forProvider.size.width is null: ${useSchema}`],
  [
    inFields({ size: z.array(undefined as unknown as z.ZodType) }),
    `Box.spec.forProvider.size[] is undefined: ${useSchema}`,
  ],
  [
    inFields({ size: { _def: {} } }),
    'Box.spec.forProvider.size is a schema of another version of Zod: import z from services-stack/schema',
  ],
  [
    () => defineManaged!(boxNames, size, {}),
    'Box.spec.forProvider is not an object: define it with z.object',
  ],
  [observing(undefined), `Box.status is undefined: ${useFields}`],
  [observing(boxed()), `Box.status is a schema: ${useFields}`],
  [() => defineClaim!(anyNames), `AnyBox.spec is undefined: ${useFields}`],
  [() => defineClaim!(anyNames, ['size']), `AnyBox.spec is a list: ${useFields}`],
  [() => defineClass!(undefined, boxed()), 'defineClass got undefined, which must be an object'],
  [() => defineProvider!(group), 'defineProvider got no stack, which must be text'],
  [
    () => defineProviderConfig!({ ...group, stack: 'boxes' }, { project: 'text' }),
    `ProviderConfig.spec.project is text: ${useSchema}`,
  ],
  [() => immutable!('size'), `the field of immutable is text: ${useSchema}`],
  [() => withRules!(boxed(), 'self.size > 1'), 'withRules got text, which must be an object'],
  [() => withRules!(boxed(), { rule: 'self.size > 1' }), 'withRules got no message, which must be text'],
];

describe('a mistake in a definition', () => {
  for (const [define, message] of mistakes) {
    test(`is named: ${message}`, () => assert.throws(define, new DefinitionError(message)));
  }
});

test('an object may have fields that are like none, because it may have been spread', () => {
  const claims = [satisfies!({ ...anyBoxes, colour: 'red' })];
  const stackOfBoxes = { name: 'boxes', provider, services: [service!({ ...boxes, claims, colour: 'red' })] };
  assert.equal(defineStack!({ ...stackOfBoxes, colour: 'red' }).name, 'boxes');
  defineClaim!({ ...anyNames, stack: 'boxes' }, size);
});

test('the error of a definition begins at the call of the author', () => {
  assert.throws(inService({ external: undefined }), ({ stack: trace = '' }: Error) =>
    trace.split('\n')[1]!.includes('definition-forms.test.ts'),
  );
});

test('a schema that contains itself is refused', () => {
  const tree: unknown = z.object({
    get left() {
      return tree as z.ZodType;
    },
  });
  assert.throws(
    inFields({ tree }),
    new DefinitionError('Box.spec.forProvider.tree.left contains itself, which Kubernetes does not support'),
  );
});
