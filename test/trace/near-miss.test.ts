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
const label = 'kubectl label favouritedbinstanceclasses.database.fcp.crossplane.io favourite-';

describe('if no class matches, no command changes an existing label', () => {
  const rows: Readonly<Record<string, Row>> = {
    'a selector of which no class has any label has no nearest class': {
      selector: { matchLabels: { size: 'tiny', zone: 'eu' } },
      advice: 'No class has any of it; the labels of the classes are size=large, size=small, tier=gold.',
      commands: [edit],
    },
    'a class with another value is not labelled': {
      selector: { matchLabels: { size: 'huge', tier: 'gold' } },
      advice:
        'FavouriteDBInstanceClass favourite-large is the nearest, with size=large. Select that, or ask an administrator for another class.',
      commands: [edit],
    },
    'a class without the label can get it, after the edit of the claim': {
      selector: { matchLabels: { size: 'small' }, matchExpressions: [{ key: 'zone', operator: 'Exists' }] },
      advice:
        'FavouriteDBInstanceClass favourite-small is the nearest, without zone=true. Select its labels, or ask an administrator to label it.',
      commands: [edit, `${label}small zone=true`],
    },
    'a class with one of several values meets the requirement': {
      selector: {
        matchLabels: { zone: 'eu' },
        matchExpressions: [{ key: 'size', operator: 'In', values: ['huge', 'large'] }],
      },
      advice:
        'FavouriteDBInstanceClass favourite-large is the nearest, without zone=eu. Select its labels, or ask an administrator to label it.',
      commands: [edit, `${label}large zone=eu`],
    },
    'a label that must not exist is not removed': {
      selector: {
        matchLabels: { tier: 'gold' },
        matchExpressions: [{ key: 'size', operator: 'DoesNotExist' }],
      },
      advice:
        'FavouriteDBInstanceClass favourite-large is the nearest, with size=large. Select that, or ask an administrator for another class.',
      commands: [edit],
    },
    'a class that matches, but cannot serve the claim, is named': {
      selector: { matchLabels: { size: 'small' } },
      advice:
        'FavouriteDBInstanceClass favourite-small matches, but this claim cannot have it. Change the claim to what a class has, or ask an administrator to allow or add a class.',
      commands: [edit],
    },
    'without classes no class is named': {
      selector: { matchLabels: { size: 'tiny' } },
      classes: [],
      advice: undefined,
      commands: [edit],
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
