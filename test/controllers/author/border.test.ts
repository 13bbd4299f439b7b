import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { z } from 'zod';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { available, getCondition, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { cloudClients } from '../../../controllers/author/cloud-clients.ts';
import { noSurvey } from '../../../controllers/author/server-survey.ts';
import { sharedServers } from '../../../controllers/author/shared-servers.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import { generatedPassword } from '../../../controllers/credential.ts';
import type {
  ExternalClient,
  ExternalConnector,
} from '../../../controllers/managed/connecting/external-client.ts';
import { scrubbedAnswer } from '../../../controllers/managed/connecting/scrubbed.ts';
import { stackControllers } from '../../../controllers/stack.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { managedService, providerConfig, providerConfigKind, providerKind } from '../external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  managedKind,
  resourceClass,
  secretOf,
  service,
} from '../objects.ts';

const kind = {
  ...managedKind,
  schema: z.object({
    spec: z.object({ forProvider: z.looseObject({ version: z.string().optional() }) }),
    status: z.looseObject({}).optional(),
  }),
};
const strictKind = {
  ...managedKind,
  connectionDetails: { address: z.string() },
  schema: z.object({
    spec: z.object({ forProvider: z.object({ version: z.string().optional() }) }),
    status: z.object({ size: z.number().optional() }).optional(),
  }),
};

/** The calls of an external client, which may return anything. */
type Calls = { readonly [name in keyof ExternalClient]?: (...given: readonly never[]) => unknown };

const specTemplate = { writeConnectionSecretsToNamespace: 'infra' };
const found = { exists: true, isUpToDate: true, ready: available() };

interface Broken extends Partial<ClaimService> {
  /** Connects instead of a connector that returns the client. */
  readonly connect?: (env: Environment, client: ExternalClient) => ExternalConnector['connect'];
  readonly isStrict?: boolean;
  readonly isAssigned?: boolean;
}

/** A claim by class, and a stack whose client or service has these mistakes. */
async function broken(calls: Calls, { connect, isStrict = false, isAssigned = false, ...over }: Broken = {}) {
  const cluster = new FakeCluster();
  const log = recordedLog();
  let isCreated = false;
  const client = {
    observe: async () => (isCreated ? found : { exists: false, isUpToDate: false }),
    create: async () => {
      isCreated = true;
      return {};
    },
    update: async () => ({}),
    delete: async () => {},
    ...calls,
  } as unknown as ExternalClient;
  const data = { text: Buffer.from('{"password":"hunter2hunter2"}').toString('base64') };
  cluster.put(SecretKind, secretOf({ namespace: 'infra', name: 'cloud' }, { data }));
  const secretRef = { namespace: 'infra', name: 'cloud', key: 'text' };
  cluster.put(providerConfigKind, providerConfig('default', { source: 'Secret', secretRef }));
  cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
  cluster.put(claimKind, claim({ classRef: classRef('small') }));
  const secretDetails = { credential: generatedPassword };
  const definedAt = 'Error\n    at a (/app/src/stack.ts:41:3)';
  const process = new FakeProcess(
    cluster,
    (env) => {
      const connector = { connect: connect?.(env, client) ?? (async () => client) };
      const kindOf = isStrict ? strictKind : kind;
      const managed = managedService(connector, {
        kind: kindOf,
        secretDetails,
        definedAt,
        externalNames: isAssigned ? 'assigned' : 'deterministic',
      });
      const claims = [{ ...service, secretDetails, ...over }];
      return stackControllers(env, [{ name: 'influx', claims, managed: () => [managed] }]);
    },
    { log },
  );
  await process.settle(5_000);
  const [managed] = cluster.all<Managed>(managedKind);
  const [ours] = cluster.all<Claim>(claimKind);
  const [provider] = cluster.all<ProviderConfig>(providerConfigKind);
  process.stop();
  return { cluster, process, log, managed, claim: ours, provider };
}

/** The same, with the credentials of its ProviderConfig. */
const connectedWith = ({
  parse = () => ({}),
  calls = {},
}: {
  parse?: (text: string) => object;
  calls?: Calls;
}) =>
  broken(calls, {
    connect: (env, client) => {
      const connecting = cloudClients(() => client, { parse, systemOf: () => 'cloud' })(env, {
        provider: providerKind,
        providerConfig: providerConfigKind,
      });
      return async (managed, signal) => (await connecting(managed, signal)).client;
    },
  });

const circular: Record<string, unknown> = {};
circular.itself = circular;
const exists = (more: object) => ({ observe: async () => ({ ...found, ...more }) });
const updated = (answer: unknown) => ({ ...exists({ isUpToDate: false }), update: async () => answer });
const polled = (progress: object) => ({
  create: async () => ({ operation: 'op-1' }),
  poll: async () => progress,
});

const withoutPoll = 'returned the name of an operation, "op-1", but has no poll';
const addPoll =
  "add `async poll(name, signal)`, which returns { state: 'running' }, { state: 'done' }, { state: 'failed', error } or { state: 'unknown' }";

/** Deliberate mistakes in clients, and what the conditions report about each. */
const mistakes: Readonly<Record<string, readonly [calls: Calls, reported: string]>> = {
  'an observation that is undefined': [
    { observe: async () => undefined },
    'observe returned undefined, which must be an object',
  ],
  'an observation that is a list': [
    { observe: async () => [] },
    'observe returned a list, which must be an object',
  ],
  'an observation without exists': [
    { observe: async () => ({}) },
    'observe returned no exists, which must be true or false',
  ],
  'exists as text': [
    { observe: async () => ({ exists: 'yes' }) },
    'observe returned exists, text, which must be true or false',
  ],
  'an observation without isUpToDate': [
    { observe: async () => ({ exists: true }) },
    'observe returned no isUpToDate, which must be true or false',
  ],
  'ready as true': [
    exists({ ready: true }),
    'observe returned ready, true or false, which must be a Ready condition, for example available()',
  ],
  'a BigInt in the status': [exists({ status: { size: 1n } }), 'observe returned status.size, a BigInt'],
  'a Date in the status': [
    exists({ status: { since: new Date(0) } }),
    'observe returned status.since, an object with a method toJSON (Date)',
  ],
  'an object with its own JSON': [
    exists({ status: { of: [{ toJSON: () => 'text' }] } }),
    'observe returned status.of.0, an object with a method toJSON (Object)',
  ],
  'a function in the status': [
    exists({ status: { of: [() => 1] } }),
    'observe returned status.of.0, a function',
  ],
  'NaN in the status': [
    exists({ status: { size: Number.NaN } }),
    'observe returned status.size, a number that is not finite',
  ],
  'a circular status': [
    exists({ status: { circular } }),
    'observe returned status.circular.itself, which contains itself',
  ],
  'a status of 3 MB': [
    exists({ status: { log: 'x'.repeat(3_000_000) } }),
    'observe returned status.log, which makes it larger than 256 KiB',
  ],
  'a misspelt field': [
    exists({ ready: undefined, readyy: available() }),
    'observe returned readyy, which is none of its fields; perhaps ready is meant',
  ],
  'a misspelt required field': [
    { observe: async () => ({ exist: true, isUpToDate: true }) },
    'observe returned exist, which is none of its fields; perhaps exists is meant',
  ],
  'a field of the answer of a cloud, which was spread': [
    exists({ arn: 'arn:box/7' }),
    'observe returned arn, which is none of its fields',
  ],
  'a misspelt name': [
    { create: async () => ({ externalname: 'box-7' }) },
    'create returned externalname, which is none of its fields; perhaps externalName is meant',
  ],
  'a field of another call': [
    updated({ isUpToDate: true }),
    'update returned isUpToDate, which is none of its fields',
  ],
  'a misspelt progress': [
    polled({ state: 'running', mesage: 'half' }),
    'poll returned mesage, which is none of its fields; perhaps message is meant',
  ],
  'a misspelt fact': [
    { facts: () => ({ versoin: '1' }) },
    'facts returned versoin, which is none of its fields; perhaps version is meant',
  ],
  'a detail that is a number': [
    exists({ details: { port: 5432 } }),
    'observe returned details.port, a number, which must be text or null',
  ],
  'details that are a list': [
    exists({ details: ['a'] }),
    'observe returned details, a list, which must be an object of texts',
  ],
  'an unknown operation': [
    exists({ operation: 'resize' }),
    'observe returned operation, text, which must be "create" or "update" or "delete"',
  ],
  'differences that are a text': [
    exists({ isUpToDate: false, differing: 'size' }),
    'observe returned differing, text, which must be a list of texts',
  ],
  'a creation that is undefined': [
    { create: async () => undefined },
    'create returned undefined, which must be an object',
  ],
  'a name that is a number': [
    { create: async () => ({ externalName: 7 }) },
    'create returned externalName, a number, which must be text',
  ],
  'a name that the system assigned, of a service with known names': [
    { create: async () => ({ externalName: 'box-7' }) },
    "create returned another externalName than the one that it got, although externalNames of the service is 'deterministic'",
  ],
  'the same for a name that was found': [
    exists({ externalName: 'box-7' }),
    "observe returned another externalName than the one that it got, although externalNames of the service is 'deterministic'",
  ],
  'an update that is text': [updated('done'), 'update returned text, which must be an object'],
  'an operation of an unknown state': [
    polled({ state: 'maybe' }),
    'poll returned state, text, which must be "running" or "done" or "failed" or "unknown"',
  ],
  'a failed operation whose error is text': [
    polled({ state: 'failed', error: 'no' }),
    'poll returned error, text, which must be an Error',
  ],
  'an operation that is a number': [
    { create: async () => ({ operation: 7 }) },
    'create returned operation, a number, which must be text',
  ],
  'late values that are text': [
    exists({ lateInitialized: 'large' }),
    'observe returned lateInitialized, text, which must be an object',
  ],
  'conditions in the status': [
    exists({ status: { conditions: [] } }),
    'observe returned status.conditions, which only the controllers write',
  ],
  'a phase in the report of a call': [
    updated({ status: { bindingPhase: 'Bound' } }),
    'update returned status.bindingPhase, which only the controllers write',
  ],
  'a poll that is no function': [
    { create: async () => ({ operation: 'op-1' }), poll: {} as never },
    'connect returned poll, an object, which must be a function',
  ],
  'an operation of a client without poll': [
    { create: async () => ({ operation: 'op-1' }) },
    `create ${withoutPoll}. Beside create in the external client of FavouriteDBInstance, ${addPoll}`,
  ],
  'an update operation of a client without poll': [
    { ...exists({ isUpToDate: false }), update: async () => ({ operation: 'op-1' }) },
    `update ${withoutPoll}. Beside update in the external client of FavouriteDBInstance, ${addPoll}`,
  ],
  'an empty name of an operation': [
    { ...polled({ state: 'running' }), create: async () => ({ operation: '' }) },
    'create returned an empty name of an operation',
  ],
  'a name of an operation that is not printable': [
    { ...polled({ state: 'running' }), create: async () => ({ operation: 'op\u001b[2J-1' }) },
    'create returned a name of an operation that is not printable, "op\\u{1b}[2J-1"',
  ],
  'facts that are a promise': [
    { facts: async () => ({ version: '1' }) },
    'facts returned a promise, which must be an object',
  ],
  'an empty system': [{ system: async () => '' }, 'system returned an empty text, which must be text'],
  'the system as a number': [{ system: async () => 7 }, 'system returned a number, which must be text'],
  'planned details that are numbers': [
    { plannedDetails: () => ({ port: 1 }) },
    'plannedDetails returned port, a number, which must be text or null',
  ],
  'observe that changes the resource': [
    {
      observe: async (managed: Managed) => {
        (managed.spec as { reclaimPolicy: string }).reclaimPolicy = 'Delete';
        return found;
      },
    },
    "Cannot assign to read only property 'reclaimPolicy' of object '#<Object>'",
  ],
};

describe('a mistake of a client is named on the resource and the claim, with the reason StackBug', () => {
  for (const [mistake, [calls, reported]] of Object.entries(mistakes)) {
    test(mistake, async () => {
      const { managed, claim: ours } = await broken(calls);
      const { message = '' } = getCondition(managed?.status?.conditions, 'Synced');
      assert.ok(message.startsWith(`bug in the stack influx: ${reported} (TypeError at `), message);
      const ready = getCondition(ours?.status?.conditions, 'Ready');
      assert.equal(ready.reason, 'StackBug');
      assert.ok(ready.message?.includes(reported), ready.message);
    });
  }

  const thrown: Readonly<Record<string, unknown>> = { text: 'no hunter2hunter2', undefined };
  for (const [what, value] of Object.entries(thrown)) {
    test(`${what} that is thrown in place of an Error`, async () => {
      const { managed } = await broken({ observe: () => Promise.reject(value) });
      const { message } = getCondition(managed?.status?.conditions, 'Synced');
      assert.equal(
        message,
        `bug in the stack influx: observe threw ${what}, which must be an Error (TypeError at src/stack.ts:41)`,
      );
    });
  }

  test('a connection that is undefined', async () => {
    const { managed } = await broken({}, { connect: () => async () => undefined as never });
    const { message = '' } = getCondition(managed?.status?.conditions, 'Synced');
    assert.match(message, /^bug in the stack influx: connect returned undefined, which must be an object/);
  });

  const unexplained: Readonly<Record<string, readonly [error: Error, reported: string]>> = {
    'an error without a message': [new Error(''), 'Error without a message'],
    'the error of several addresses': [
      new AggregateError([Object.assign(new Error('::1'), { code: 'ECONNREFUSED' })]),
      'AggregateError without a message: ECONNREFUSED',
    ],
    'an error of fetch': [
      new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ENOTFOUND' }) }),
      'fetch failed: ENOTFOUND',
    ],
    'an error of fetch without a code': [
      new TypeError('fetch failed', { cause: new Error('bad port') }),
      'fetch failed: bad port',
    ],
    'an error of fetch at several addresses': [
      new TypeError('fetch failed', {
        cause: new AggregateError([Object.assign(new Error('::1'), { code: 'ECONNREFUSED' })]),
      }),
      'fetch failed: ECONNREFUSED',
    ],
  };
  for (const [what, [error, reported]] of Object.entries(unexplained)) {
    test(`${what} has a message in the condition`, async () => {
      const { managed, claim: ours } = await broken({ observe: () => Promise.reject(error) });
      assert.equal(getCondition(managed?.status?.conditions, 'Synced').message, reported);
      assert.ok(getCondition(ours?.status?.conditions, 'Ready').message?.startsWith(reported));
    });
  }

  for (const isAssigned of [true, false]) {
    test(`an operation that cannot be polled, without a second creation: ${isAssigned ? 'assigned' : 'known'} names`, async () => {
      let made = 0;
      await broken(
        {
          observe: async () => (made > 0 && !isAssigned ? found : { exists: false, isUpToDate: false }),
          create: async () => ({ operation: `op-${++made}` }),
        },
        { isAssigned },
      );
      assert.equal(made, 1);
    });
  }

  test('a client without create', async () => {
    const { managed } = await broken(
      {},
      { connect: () => async () => ({ observe: async () => found }) as never },
    );
    const { message = '' } = getCondition(managed?.status?.conditions, 'Synced');
    assert.equal(
      message,
      'bug in the stack influx: connect returned no create, which must be a function (TypeError at src/stack.ts:41)',
    );
  });

  const misspelt = {
    plannedDetail: 'plannedDetails',
    plannedDetial: 'plannedDetails',
    disconect: 'disconnect',
    chek: 'check',
    pol: 'poll',
  };
  for (const [name, meant] of Object.entries(misspelt)) {
    test(`a method ${name} in place of ${meant}`, async () => {
      const { managed } = await broken({ [name]: () => ({}) } as Calls);
      const { message } = getCondition(managed?.status?.conditions, 'Synced');
      assert.equal(
        message,
        `bug in the stack influx: connect returned the method ${name}, which is never called; perhaps ${meant} is meant (TypeError at src/stack.ts:41)`,
      );
    });
  }
  test('other methods of a client are its own', async () => {
    const { managed } = await broken({
      findOurs: () => 1,
      checkPassword: () => 1,
      plannedDetails: () => ({}),
    } as Calls);
    assert.equal(getCondition(managed?.status?.conditions, 'Synced').status, 'True');
  });

  const undeclared: Readonly<Record<string, Calls>> = {
    'observe returned details.adress': exists({ details: { adress: 'a' } }),
    'plannedDetails returned adress': { plannedDetails: () => ({ adress: 'a' }) as never },
  };
  for (const [what, calls] of Object.entries(undeclared)) {
    test(`a connection detail that the kind does not declare: ${what}`, async () => {
      const { managed } = await broken(calls, { isStrict: true });
      const { message } = getCondition(managed?.status?.conditions, 'Synced');
      assert.equal(
        message,
        `bug in the stack influx: ${what}, which is not among the connectionDetails of the kind; perhaps address is meant (TypeError at src/stack.ts:41)`,
      );
    });
  }

  test('a status field of another type', async () => {
    const { managed } = await broken(exists({ status: { size: 'big' } }), { isStrict: true });
    const { message = '' } = getCondition(managed?.status?.conditions, 'Synced');
    assert.match(message, /observe returned status\.size of a type that FavouriteDBInstance does not accept/);
  });
});

test('an unknown field of the status is left out, and logged once', async () => {
  const { managed, log } = await broken(exists({ status: { size: 3, colour: 'red' } }), { isStrict: true });
  const status = managed?.status as { readonly size?: number; readonly colour?: string };
  assert.deepEqual([status.size, status.colour], [3, undefined]);
  const lines = log.lines.filter(({ message }) => message.startsWith('fields of a status'));
  assert.deepEqual(
    lines.map(({ fields }) => fields.fields),
    [['status.colour']],
  );
});

describe('a mistake of configure is named on the claim, with the reason StackBug', () => {
  const services: Readonly<Record<string, readonly [Partial<ClaimService>, reported: string]>> = {
    'nothing returned': [
      { configure: () => undefined as never },
      'configure returned undefined, which must be an object',
    ],
    'configure that returns a promise': [
      { configure: (async () => ({})) as never },
      'configure returned a promise, which must be an object',
    ],
    'a BigInt': [
      { configure: () => ({ forProvider: { size: 1n } }) },
      'configure returned forProvider.size, a BigInt',
    ],
    'configure that changes the class': [
      {
        configure: (_claim, resourceClass: Class) => {
          (resourceClass.specTemplate as { reclaimPolicy?: string }).reclaimPolicy = 'Retain';
          return { forProvider: {} };
        },
      },
      'Cannot add property reclaimPolicy, object is not extensible',
    ],
    'an incompatibility that is an empty text': [
      { whyIncompatible: () => '' },
      'whyIncompatible returned an empty text, which must be text or undefined',
    ],
    'an incompatibility that is no text': [
      { whyIncompatible: () => true as never },
      'whyIncompatible returned true or false, which must be text or undefined',
    ],
  };
  for (const [mistake, [over, reported]] of Object.entries(services)) {
    test(mistake, async () => {
      const { cluster, claim: ours } = await broken({}, over);
      const { message = '' } = getCondition(ours?.status?.conditions, 'Synced');
      assert.ok(message.includes(`bug in the stack influx: ${reported} (TypeError`), message);
      assert.equal(getCondition(ours?.status?.conditions, 'Ready').reason, 'StackBug');
      const [small] = cluster.all<Class>(classKind);
      assert.deepEqual(small?.specTemplate, specTemplate);
    });
  }
});

/** Connects with credentials that a stack's `parse` quotes in its error. */
const quoting: Readonly<Record<string, (text: string) => never>> = {
  'the text': (text) => {
    throw new Error(`cannot parse ${text}`);
  },
  'a field of it': (text) => {
    throw new Error(`${(JSON.parse(text) as { readonly password: string }).password} is too short`);
  },
  'a field of it, in a bug': (text) => {
    throw new TypeError(`${(JSON.parse(text) as { readonly password: string }).password} is not a function`);
  },
  'a text that JSON refuses': (text) => JSON.parse(text.slice(text.indexOf('hunter2'))) as never,
};
describe('the credentials of the provider are in no condition, Event or line of the log', () => {
  for (const [what, parse] of Object.entries(quoting)) {
    test(`although parse quotes ${what}`, async () => {
      const { process, log, managed, claim: ours, provider } = await connectedWith({ parse });
      assert.match(
        getCondition(managed?.status?.conditions, 'Synced').message ?? '',
        /secret infra\/cloud|\*\*\*/,
      );
      for (const text of [managed, ours, provider, process.recordings, log.lines, process.errors])
        assert.doesNotMatch(JSON.stringify(text) + inspect(text, { depth: 9 }), /hunter/);
    });
  }

  test('although a call quotes them in an error and in its answers', async () => {
    const error = Object.assign(new Error('login with hunter2hunter2 failed'), {});
    const calls: readonly Calls[] = [
      { observe: () => Promise.reject(error) },
      { create: () => Promise.reject(new Error('outer hunter2hunter2', { cause: error })) },
      exists({ ready: { ...unavailable(), message: 'no hunter2hunter2' } }),
      exists({ isUpToDate: false, refused: ['a hunter2hunter2'] }),
    ];
    for (const each of calls) {
      const { process, log, managed, claim: ours, provider } = await connectedWith({ calls: each });
      assert.match(JSON.stringify(managed?.status), /\*\*\*/);
      for (const text of [managed, ours, provider, process.recordings, log.lines])
        assert.doesNotMatch(JSON.stringify(text) + inspect(text, { depth: 9 }), /hunter/);
    }
  });

  test('each field of an answer that a message shows is scrubbed, and no other field', () => {
    const details = { password: 'hunter2' };
    assert.deepEqual(
      scrubbedAnswer({ unchangeable: 'no hunter2', drifted: ['a hunter2', 'b'], details }, ['hunter2']),
      { unchangeable: 'no ***', drifted: ['a ***', 'b'], details },
    );
  });

  test('a parse that returns nothing is a bug of the stack', async () => {
    const { managed } = await connectedWith({ parse: () => undefined as never });
    assert.match(
      getCondition(managed?.status?.conditions, 'Synced').message ?? '',
      /^bug in the stack influx: parse returned undefined, which must be an object/,
    );
  });

  test('a parse of a shared server that returns nothing is a bug of the stack', async () => {
    const { managed } = await broken(
      {},
      {
        connect: (env, client) => {
          const kinds = { provider: providerKind, providerConfig: providerConfigKind };
          const server = { usedBy: () => server };
          const connecting = sharedServers(env, kinds, {
            parse: () => undefined as never,
            holderOf: () => undefined,
            open: () => server,
            survey: () => noSurvey,
          });
          return async (named) => ({ ...client, ...(await connecting(named)) });
        },
      },
    );
    assert.match(
      getCondition(managed?.status?.conditions, 'Synced').message ?? '',
      /^bug in the stack influx: parse returned undefined, which must be an object/,
    );
  });
});
