import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import { ChangeRefused, invalid } from '../../../clients/external-error.ts';
import { generatedPassword } from '../../../controllers/credential.ts';
import { finalizers, Scene } from '../managed-scene.ts';

const differing = { isUpToDate: false, differing: ['spec.forProvider.extensions'] };
const refused = invalid('permission denied to create extension "postgres_fdw"');
const creation = 'crossplane.io/external-creation';
const restored = { 'crossplane.io/external-identity': '{"name":"db","fields":{}}', [creation]: 'former uid' };

type Act = (scene: Scene) => unknown;
const differs: Act = ({ external }) => Object.assign(external, { observation: differing });
const equals: Act = ({ external }) => Object.assign(external, { observation: {} });
const fails: Act = ({ external }) => external.failAt('update', refused);
const succeeds: Act = ({ external }) => Object.assign(external, { gate: () => {} });
/** The creation makes the resource and fails in a later step. */
const createsHalf: Act = ({ external }) => {
  external.after('create', () => {
    differs(scene(external));
    throw refused;
  });
};
const scene = (external: Scene['external']): Scene => ({ external }) as Scene;
const isThere: Act = ({ external }) => external.put('db', {});
const isLost: Act = ({ external }) => external.resources.clear();
const crashes: Act = ({ cluster }) =>
  cluster.refuse('updateStatus', { kind: 'FavouriteDBInstance' } as never, new Error('crash'), 1);
const restarts: Act = (each) => each.restart();

const created = 'True/Available';
const held = 'False/Creating';
const waiting =
  'False/Creating: the external resource does not equal its spec yet: spec.forProvider.extensions';

/** Acts before each run, and Ready after it. */
type Step = readonly [acts: readonly Act[], ready: string];
interface Row {
  readonly spec?: ConstructorParameters<typeof Scene>[0];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly hasCredential?: true;
  readonly steps: readonly Step[];
}

const rows: Readonly<Record<string, Row>> = {
  'a creation whose first observation equals the spec is Ready in the same run': {
    steps: [[[], created]],
  },
  'a creation of several steps that fails in a later one is not Ready before it equals its spec': {
    steps: [
      [[createsHalf, fails], held],
      [[fails], held],
      [[restarts, fails], held],
      [[succeeds, equals], created],
    ],
  },
  'a created resource that differs is not Ready, and the message names the fields': {
    steps: [
      [[differs], waiting],
      [[], waiting],
      [[equals], created],
    ],
  },
  'a created resource that equalled its spec once stays Ready when a later edit fails': {
    steps: [
      [[], created],
      [[differs, fails], created],
      [[restarts], created],
    ],
  },
  'it stays Ready as observed, also after it was not available': {
    steps: [
      [[], created],
      [
        [
          ({ external }) =>
            Object.assign(external, { observation: { ...differing, ready: unavailable('it restarts') } }),
          fails,
        ],
        'False/Unavailable: it restarts',
      ],
      [[differs, fails], created],
    ],
  },
  'an existing resource is Ready as observed, although its update fails': {
    steps: [[[isThere, differs, fails], created]],
  },
  'an existing resource that is not available at first is Ready as observed afterwards': {
    steps: [
      [
        [
          isThere,
          ({ external }) => Object.assign(external, { observation: { ready: unavailable('it is stopped') } }),
        ],
        'False/Unavailable: it is stopped',
      ],
      [[differs, fails], created],
    ],
  },
  'a resource that came from a backup is there already': {
    annotations: restored,
    steps: [[[isThere, differs, fails], created]],
  },
  'a difference that the external system refuses to change does not hold Ready back': {
    steps: [
      [[differs], waiting],
      [[({ external }) => external.failAt('update', new ChangeRefused(['cannot change it']))], created],
    ],
  },
  'a creation that only differs in what cannot be changed is Ready': {
    steps: [
      [
        [
          ({ external }) =>
            Object.assign(external, {
              observation: { isUpToDate: false, refused: ['spec.forProvider.version from "5" to "8"'] },
            }),
        ],
        created,
      ],
    ],
  },
  'policies without Update do not hold Ready back': {
    spec: { managementPolicies: ['Observe', 'Create', 'Delete'] },
    steps: [[[differs], created]],
  },
  'a credential that is not set yet holds Ready back': {
    hasCredential: true,
    steps: [
      [
        [({ external }) => Object.assign(external, { creation: { isExisting: true } }), fails],
        `${waiting.split(':')[0]}: the external resource does not equal its spec yet`,
      ],
      [[fails], held],
      [[succeeds], created],
    ],
  },
  'a process that ends after the creation leaves it not Ready': {
    steps: [
      [[differs, fails, crashes], 'Unknown/-'],
      [[restarts, fails], held],
    ],
  },
  'a lost resource that is created again is not Ready before it equals its spec': {
    steps: [
      [[], created],
      [[isLost, createsHalf, fails], held],
      [[fails], held],
      [[succeeds, equals], created],
      [[differs, fails], created],
    ],
  },
};

describe('Ready means that the external resource equalled its spec once', () => {
  for (const [title, { spec = {}, annotations = {}, hasCredential, steps }] of Object.entries(rows)) {
    test(title, async () => {
      const secretDetails = hasCredential ? { credential: generatedPassword } : {};
      const its = new Scene({ forProvider: {}, ...spec }, { finalizers, annotations }, { secretDetails });
      const observed: string[] = [];
      for (const [acts] of steps) {
        for (const act of acts) act(its);
        await its.run().catch(() => {});
        its.external.afterCall = () => {};
        observed.push(its.condition('Ready'));
      }
      assert.deepEqual(
        observed,
        steps.map(([, ready]) => ready),
      );
    });
  }
});
