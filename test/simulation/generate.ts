import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import type { Chance } from './chance.ts';
import { chanceOf } from './chance.ts';
import type { Act, FaultRates, FaultType, Scenario, Step } from './scenario.ts';
import { cloudUrls } from './world.ts';

const minuteMs = 60_000;

/** What an administrator sets up in the beginning. */
export const estate: readonly KubernetesObject[] = [
  secret('cloud-credentials', 'favourite', {
    credentials: JSON.stringify({ url: cloudUrls.favourite, token: 'favourite-token' }),
  }),
  secret('cloud-credentials', 'other', {
    credentials: JSON.stringify({ url: cloudUrls.other, token: 'other-token' }),
  }),
  {
    apiVersion: 'fcp.crossplane.io/v1alpha3',
    kind: 'Provider',
    metadata: { name: 'favourite' },
    spec: { credentialsSecretRef: { namespace: 'cloud-credentials', name: 'favourite', key: 'credentials' } },
  },
  {
    apiVersion: 'ocp.crossplane.io/v1alpha1',
    kind: 'ProviderConfig',
    metadata: { name: 'default' },
    spec: {
      credentials: {
        source: 'Secret',
        secretRef: { namespace: 'cloud-credentials', name: 'other', key: 'credentials' },
      },
    },
  },
] as readonly KubernetesObject[];

function secret(
  namespace: string,
  name: string,
  details: Readonly<Record<string, string>>,
): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    data: encodeDetails(details),
  } as KubernetesObject;
}

const fcpClass = (
  name: string,
  fancinessLevel: number,
  reclaimPolicy: string | undefined,
  labels: object,
  annotations = {},
) => ({
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstanceClass',
  metadata: { name, labels, annotations },
  specTemplate: {
    writeConnectionSecretsToNamespace: 'cloud-credentials',
    providerRef: { name: 'favourite' },
    ...(reclaimPolicy && { reclaimPolicy }),
    forProvider: { fancinessLevel },
  },
});

const ocpClass = (name: string, ambivalence: number, reclaimPolicy: string | undefined, labels: object) => ({
  apiVersion: 'database.ocp.crossplane.io/v1alpha1',
  kind: 'AmbivalentDBInstanceClass',
  metadata: { name, labels },
  specTemplate: {
    writeConnectionSecretsToNamespace: 'cloud-credentials',
    ...(reclaimPolicy && { reclaimPolicy }),
    forProvider: { ambivalence },
  },
});

const classes = [
  fcpClass(
    'small',
    3,
    'Delete',
    { size: 'small' },
    { 'resourceclass.crossplane.io/is-default-class': 'true' },
  ),
  fcpClass('large', 100, 'Retain', { size: 'large' }),
  ocpClass('other-small', 5, 'Delete', { size: 'small' }),
] as unknown as readonly KubernetesObject[];

/** A scenario out of a seed: who does what when, and what goes wrong meanwhile. */
export function generate(seed: number): Scenario {
  const chance = chanceOf(seed);
  const pick = <T>(from: readonly T[], ...name: readonly (string | number)[]): T =>
    from[Math.floor(chance('pick', ...name) * from.length)] as T;
  const troubleMs = pick([1, 2, 5], 'trouble') * minuteMs;
  return {
    seed,
    pace: {
      requestMs: pick([1, 10, 10, 100, 1000], 'requestMs'),
      watchMs: pick([1, 10, 10, 100, 1000, 5000], 'watchMs'),
      outsideMs: pick([1, 50, 50, 500], 'outsideMs'),
      provisioningMs: pick([0, 0, 2000, 30_000], 'provisioningMs'),
      deletionMs: pick([0, 0, 2000, 20_000], 'deletionMs'),
      readDelayMs: pick([0, 0, 500, 3000], 'readDelayMs'),
    },
    objects: [...estate, ...classes],
    steps: stepsOf(chance, troubleMs),
    troubleMs,
    faults: ratesOf(chance),
    collectsGarbage: chance('gc') < 0.7,
    ...(chance('replicas') < 0.2 && { replicas: 2 }),
  };
}

const faultTypes: readonly FaultType[] = ['refused', 'unreachable', 'answer lost', 'twice', 'slow', 'crash'];

/** Some types of faults, and not the others: where everything fails, little is tried. */
function ratesOf(chance: Chance): FaultRates {
  const chosen = faultTypes.filter((type) => chance('has', type) < 0.35);
  return Object.fromEntries(
    chosen.map((type) => [type, (type === 'crash' ? 0.02 : 0.1) * chance('rate', type)]),
  );
}

function stepsOf(chance: Chance, troubleMs: number): readonly Step[] {
  const pick = <T>(from: readonly T[], ...name: readonly (string | number)[]): T =>
    from[Math.floor(chance('pick', ...name) * from.length)] as T;
  const steps: Step[] = [];
  const at = (share: number, act: Act): void => {
    steps.push({ atMs: Math.round(share * troubleMs), act });
  };
  const claims = 1 + Math.floor(chance('claims') ** 2 * 4);
  for (let index = 0; index < claims; index += 1) {
    const of = {
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'FancySQLInstance',
      namespace: pick(['team-a', 'team-b'], 'ns', index),
      name: `claim-${index}`,
    };
    const wish = pick(
      [
        {},
        { classSelector: { matchLabels: { size: 'small' } } },
        { classSelector: { matchLabels: { size: 'large' } } },
        {
          classRef: {
            apiVersion: 'database.fcp.crossplane.io/v1alpha3',
            kind: 'FavouriteDBInstanceClass',
            name: 'large',
          },
        },
      ],
      'wish',
      index,
    );
    const object = {
      apiVersion: of.apiVersion,
      kind: of.kind,
      metadata: { namespace: of.namespace, name: of.name },
      spec: { ...wish, writeConnectionSecretToRef: { name: `secret-${index}` } },
    } as KubernetesObject;
    const born = chance('born', index) * 0.5;
    at(born, { type: 'create', object });
    if (chance('deleted', index) < 0.5) {
      const gone = born + chance('gone', index) * (1 - born);
      at(gone, { type: 'delete', of });
      if (chance('again', index) < 0.5)
        at(gone + chance('soon', index) * (1 - gone), { type: 'create', object });
    }
    if (chance('edited', index) < 0.4) {
      at(born + chance('edit', index) * (1 - born), {
        type: 'edit',
        of,
        patch: {
          metadata: { annotations: { 'team/note': `note-${index}` }, labels: { team: `label-${index}` } },
        },
      });
    }
    if (chance('secret', index) < 0.2) {
      at(born + chance('secret at', index) * (1 - born), {
        type: 'delete',
        of: { apiVersion: 'v1', kind: 'Secret', namespace: of.namespace, name: `secret-${index}` },
      });
    }
  }
  const machines: readonly (readonly [number, () => Act])[] = [
    [0.3, () => ({ type: 'crash', downMs: chance('down') * 20_000 })],
    [0.15, () => ({ type: 'terminate', downMs: chance('down 2') * 5_000 })],
    [0.2, () => ({ type: 'twin', forMs: chance('twin') * 60_000 })],
    [
      0.3,
      () => ({ type: 'freeze', nth: Math.floor(chance('frozen') * 2), forMs: chance('freeze for') * 40_000 }),
    ],
    [0.2, () => ({ type: 'compact' })],
    [0.2, () => ({ type: 'end watches' })],
    [
      0.2,
      () => ({
        type: 'hold watches',
        kind: pick(['FancySQLInstance', 'FavouriteDBInstance', 'Secret', 'AmbivalentDBInstance'], 'hold'),
        forMs: chance('hold for') * 40_000,
      }),
    ],
    [0.1, () => ({ type: 'hold watches', forMs: chance('hold all') * 20_000 })],
    [
      0.1,
      () => ({
        type: 'silence watches',
        kind: pick(['FancySQLInstance', 'FavouriteDBInstance', 'Secret'], 'silence'),
      }),
    ],
    [0.15, () => ({ type: 'api outage', forMs: chance('api') * 30_000 })],
    [
      0.15,
      () => ({
        type: 'outage',
        system: pick(['favourite', 'other'], 'system'),
        forMs: chance('out') * 60_000,
      }),
    ],
    [0.1, () => ({ type: 'set wall clock', byMs: Math.round((chance('wall') - 0.5) * 48 * 3_600_000) })],
    [0.15, () => ({ type: 'drift', system: 'favourite', nth: Math.floor(chance('nth') * 5), level: 77 })],
    [
      0.1,
      () => ({
        type: 'lose',
        system: pick(['favourite', 'other'], 'lost'),
        nth: Math.floor(chance('nth 2') * 5),
      }),
    ],
  ];
  for (const [index, [share, act]] of machines.entries()) {
    if (chance('machine', index) < share) at(chance('machine at', index), act());
  }
  return steps.toSorted((a, b) => a.atMs - b.atMs);
}
