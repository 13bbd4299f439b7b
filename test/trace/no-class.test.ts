import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { condition, tracedIn } from './traced-objects.ts';

const edit = 'kubectl -n team-shop edit fancysqlinstances.database.crossplane.io orders';
const classes: readonly KubernetesObject[] = (
  [
    ['favourite-large', { size: 'large', tier: 'gold' }],
    ['favourite-small', { size: 'small' }],
  ] as const
).map(
  ([name, labels]) =>
    ({
      apiVersion: 'database.fcp.crossplane.io/v1alpha3',
      kind: 'FavouriteDBInstanceClass',
      metadata: { name, labels },
      specTemplate: {},
    }) as KubernetesObject,
);

const claiming = (classSelector: object | undefined): KubernetesObject =>
  ({
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: { namespace: 'team-shop', name: 'orders', uid: 'u', generation: 1 },
    spec: { ...(classSelector && { classSelector }) },
    status: {
      observedGeneration: 1,
      conditions: [
        condition('Ready', 'False', classSelector ? 'NoMatchingClass' : 'NoDefaultClass', 'no class'),
      ],
    },
  }) as KubernetesObject;

interface Row {
  readonly selector: object | undefined;
  readonly classes?: readonly KubernetesObject[];
  readonly advice: string | undefined;
  readonly commands: readonly string[];
}
const select = 'Select a class that can serve the claim, or ask an administrator for one.';

describe('if no class matches, no command changes a label', () => {
  const rows: Readonly<Record<string, Row>> = {
    'the labels of all classes are listed': {
      selector: { matchLabels: { size: 'tiny', zone: 'eu' } },
      advice: `The labels of the classes are size=large, size=small, tier=gold. ${select}`,
      commands: [edit],
    },
    'without classes there are no labels': {
      selector: { matchLabels: { size: 'tiny' } },
      classes: [],
      advice: `No class has a label. ${select}`,
      commands: [edit],
    },
    'a class that is not the default can be made one': {
      selector: undefined,
      advice: undefined,
      commands: [
        'kubectl annotate favouritedbinstanceclasses.database.fcp.crossplane.io favourite-large resourceclass.crossplane.io/is-default-class=true',
      ],
    },
    'without classes no class is named as the default': {
      selector: undefined,
      classes: [],
      advice:
        'An administrator can make a class the default with the annotation resourceclass.crossplane.io/is-default-class=true.',
      commands: [],
    },
  };
  for (const [name, { selector, classes: there = classes, advice, commands }] of Object.entries(rows)) {
    test(name, async () => {
      const { fault } = await tracedIn(
        [claiming(selector), ...there],
        ['fancysqlinstance', 'team-shop/orders'],
      );
      assert.deepEqual(
        { name: fault?.name, advice: fault?.advice, commands: fault?.commands },
        { name: 'no match', advice, commands },
      );
    });
  }
});
