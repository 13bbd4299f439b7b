import get from 'lodash/get.js';
import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { Kind, ObjectKey } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
import { propagatesFrom } from '../../../apis/core/v1alpha1/secret.ts';
import { credentialAnnotation } from '../../../controllers/credential.ts';
import type { InvariantOf, StoredObject } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds } from '../kinds.ts';

type Path = readonly string[];

interface Leaf {
  readonly path: Path;
  /** Null: removed. */
  readonly value: unknown;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A user who removes all of these removes ours too, which the controllers write again. */
const maps: readonly string[] = ['metadata\0annotations', 'metadata\0labels', 'data'];

const leavesOf = (patch: unknown, path: Path = []): readonly Leaf[] =>
  isRecord(patch)
    ? Object.entries(patch).flatMap(([key, value]) => leavesOf(value, [...path, key]))
    : [{ path, value: patch }];

/** Annotations that controllers write. Users write the others. */
const records: readonly string[] = [
  ...Object.values(omit(annotationKeys, ['paused', 'pollInterval', 'reconcileRequestedAt', 'defaultClass'])),
  credentialAnnotation,
  'crossplane.io/copied-for',
  ...Object.keys(propagatesFrom({ namespace: '', name: '' })),
];

/** The values that processes write, too: their records and references, and annotations that are used up. */
const shared: readonly Path[] = [
  ['metadata', 'finalizers'],
  ['metadata', 'resourceVersion'],
  ...records.map((key) => ['metadata', 'annotations', key]),
  ['metadata', 'ownerReferences'],
  ['spec', 'claimRef'],
  ['spec', 'resourceRef'],
  ['status'],
];

/** Keys of connection details, which heal. */
const details = new Set(
  ['type', 'provider', 'endpoint', 'host', 'port', 'username', 'database', 'password', 'uri'].map(String),
);

/**
 * The fields that controllers fill in: a class, values of the external system; and records of ours are
 * written again.
 */
const isFilledIn = ({ path, value }: Leaf): boolean =>
  value === null && (path[0] === 'spec' || (path[2] ?? '').includes('crossplane.io/'));

const isShared = (path: Path): boolean =>
  shared.some((each) => isEqual(each, path.slice(0, each.length))) ||
  (path[0] === 'data' && details.has(path[1] ?? ''));

/** A claim's secret is its source's image. */
const isImage = (object: StoredObject): boolean =>
  object.kind === 'Secret' && claimKinds.some(({ kind }) => kind === controllerOf(object)?.kind);

/**
 * A value that a reference resolves at each run belongs to the reference, and a reference belongs to its
 * selector.
 */
const isReferred = (object: StoredObject, path: Path): boolean =>
  path.some((field, index) => {
    const selector = `${field.replace(/Ref$/, '')}Selector`;
    const givers = field.endsWith('Ref') ? [selector] : [`${field}Ref`, selector];
    return givers.some(
      (giver) => get(object, [...path.slice(0, index), giver, 'policy', 'resolve']) === 'Always',
    );
  });

/** No process reverts a write of a user. */
export const wishesSurvive: InvariantOf = ({ wishes }) => {
  const byObject = new Map<string, Map<string, Leaf>>();
  let known = 0;

  const placeOf = (kind: Kind, key: ObjectKey): string => `${kindKey(kind)} ${objectKeyText(key)}`;

  function learn(): void {
    for (; known < wishes.length; known += 1) {
      const { kind, key, uid, patch } = wishes[known]!;
      const place = `${placeOf(kind, key)} ${uid}`;
      const leaves = byObject.get(place) ?? new Map<string, Leaf>();
      for (const leaf of leavesOf(patch)) {
        const isWholeMap = leaf.value === null && maps.includes(leaf.path.join('\0'));
        if (!isShared(leaf.path) && !isWholeMap && !isFilledIn(leaf)) leaves.set(leaf.path.join('\0'), leaf);
      }
      byObject.set(place, leaves);
    }
  }

  return {
    name: "a person's edit of spec, labels, annotations and own keys survives",
    changed({ by, kind, before, after }) {
      if (!isProcess(by) || before === undefined || after === undefined) return [];
      learn();
      const leaves = byObject.get(`${placeOf(kind, before.metadata)} ${before.metadata.uid}`);
      if (leaves === undefined) return [];
      return [...leaves.values()]
        .filter(
          ({ path, value }) =>
            isEqual(get(before, path) ?? null, value) &&
            !isEqual(get(after, path) ?? null, value) &&
            !(path[0] === 'data' && isImage(before)) &&
            !isReferred(before, path),
        )
        .map(
          ({ path, value }) =>
            `${by} takes ${path.join('.')}=${JSON.stringify(value)} from ${kind.kind} ${objectKeyText(before.metadata)}`,
        );
    },
  };
};
