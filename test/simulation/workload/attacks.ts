/**
 * Attacks of a tenant on all other users: the tenant may do everything with claims and Secrets of one namespace, and knows
 * every name and UID. `hostile.ts` writes them into scenarios; `test/cluster/tenants.ts` tries them on a real API server.
 */
import omit from 'lodash/omit.js';
import type { Kind, KubernetesObject, ObjectMeta, OwnerReference } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  connectionSecretType,
  externalName,
  finalizerNames,
} from '../../../apis/core/v1alpha1/meta.ts';
import {
  controllerOf,
  controllerReference,
  referenceIsOfKind,
  referenceTo,
} from '../../../apis/core/v1alpha1/reference.ts';
import { allowsPropagationTo, propagatesFrom, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { ownerUidLabel } from '../../../controllers/connection/store-place.ts';
import { credentialAnnotation, encodeNote } from '../../../controllers/credential.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { claimKinds, classKinds } from '../../fakes/defined-kinds.ts';
import { objectOf } from '../../fakes/object-of.ts';

/** The tenant's namespace. */
export const rogue = 'rogue';

/** The tenant has so many objects of a kind at once in a simulation, and edits these. */
export const attacksAtOnce = 7;

/** The objects that may be attacked. */
export interface Victims {
  /** In the cluster, the tenant's own included. */
  readonly objects: readonly KubernetesObject[];
  /** The names of what the clouds and the PostgreSQL server have. */
  readonly outside: readonly string[];
}

/** The objects of the tenant, in the tenant's namespace or created for it. */
export const isRogues = (object: KubernetesObject): boolean =>
  object.metadata.namespace === rogue ||
  (object as Partial<Managed>).spec?.claimRef?.namespace === rogue ||
  new RegExp(`^${rogue}-`).test(controllerOf(object)?.name ?? '');

/** The attack, and the object that the tenant creates for it. */
export type Attack = readonly [what: string, object: KubernetesObject];

const claimOf = (kind: Kind, what: string, spec: object, rest: Partial<ObjectMeta> = {}): Attack => [
  what,
  objectOf(kind, { namespace: rogue, name: '', ...rest }, { spec }),
];
function secretOf(what: string, rest: Partial<ObjectMeta>, type: string = connectionSecretType): Attack {
  const data = { password: 'cm9ndWU=', endpoint: 'cm9ndWU=' };
  return [what, objectOf(SecretKind, { namespace: rogue, name: '', ...rest }, { type, data })];
}

/** All objects of others in the cluster. */
const objectsOf = ({ objects }: Victims): readonly KubernetesObject[] =>
  objects.filter(({ kind, metadata }) => kind !== 'Event' && metadata.namespace !== rogue);

const classRefs = ({ objects }: Victims) =>
  objects
    .filter((object) => isOneOf(classKinds, object))
    .map(({ apiVersion, kind, metadata: { name } }) => ({ apiVersion, kind, name }));

const isOneOf = (kinds: readonly Kind[], object: KubernetesObject): boolean =>
  kinds.some((kind) => referenceIsOfKind(object, kind));

/** A reference that makes an object the controller. The API server refuses `blockOwnerDeletion` from a tenant. */
const ownedBy = (object: KubernetesObject): OwnerReference =>
  omit(controllerReference(object), 'blockOwnerDeletion');

/** The names of others' objects and external resources. */
const texts = (victims: Victims): readonly string[] => [
  ...new Set(
    objectsOf(victims).flatMap((object) => [
      object.metadata.name,
      object.metadata.uid ?? '',
      objectKeyText(object.metadata),
      externalName(object) ?? '',
      `${(object as Partial<Managed>).spec?.claimRef?.uid}/${object.metadata.uid}`,
    ]),
  ),
];

const classSelector = { matchLabels: { size: 'small' } };

/** Every annotation that controllers read. */
export const readAnnotations: readonly string[] = [
  ...Object.values(annotationKeys),
  credentialAnnotation,
  'to.propagate.crossplane.io/x',
  ...Object.keys(propagatesFrom({ namespace: '', name: '' })),
  'crossplane.io/copied-for',
];

/** A text of a template, which its author alone may see. */
const authorsText = 'known-to-the-author';

const manyOf = (count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`E${index}`, text]));

/** The shape of the Secret of a claim. A definition with rules refuses the first ones. */
const shapes: readonly object[] = [
  { annotations: allowsPropagationTo({ namespace: 'team-a', name: 'claim-0' }) },
  { annotations: { [credentialAnnotation]: encodeNote({ key: 'a2V5' }), a: 'b' } },
  { annotations: { 'from.propagate.crossplane.io/name': 'taken' } },
  { annotations: { 'crossplane.io/secret-shape': '{"annotations":["crossplane.io/copied-for"]}' } },
  { labels: { 'crossplane.io/claim-name': 'taken', 'app.kubernetes.io/instance': 'argo' } },
  { template: { A: `${authorsText} {{ {{ password }} }}`, B: 'b' } },
  { template: { A: `${authorsText} {{ password | uri` } },
  { template: { type: authorsText } },
  { labels: { constructor: 'x' }, annotations: { toString: 'x', note: authorsText } },
  { template: JSON.parse(`{"__proto__": "{{ __proto__ }} ${authorsText}", "toString": "{{ password }}"}`) },
  { template: { A: `${authorsText} {{ constructor }}`, B: '{{ password | base64 }}' } },
  { template: { A: '{{ host | jdbc }}', C: `\u0000\u202e{{ uri | json }}` } },
  { template: manyOf(10, '{{ uri | json }}'.repeat(50)) },
];

/** The objects that the tenant creates, by the sort of attack. Where a name does not matter, it is empty. */
export const attacks = {
  'a claim names what others have as its resource': (victims) =>
    claimKinds.flatMap((kind) =>
      objectsOf(victims).flatMap((object) => {
        const spec = { resourceRef: referenceTo(object), writeConnectionSecretToRef: { name: 'loot' } };
        const [classRef] = classRefs(victims).filter(({ kind: of }) => of === `${object.kind}Class`);
        return [
          claimOf(kind, `resourceRef ${object.kind} ${object.metadata.name}`, spec),
          claimOf(kind, 'the same, with its class', { ...spec, ...(classRef && { classRef }) }),
          claimOf(kind, 'the same, of a claim that bears the name of its claim', spec, {
            name: (object as Partial<Managed>).spec?.claimRef?.name ?? 'to-come',
          }),
        ];
      }),
    ),
  'a claim names what others have as its class': (victims) =>
    claimKinds.flatMap((kind) =>
      objectsOf(victims)
        .filter((object) => !isOneOf(classKinds, object))
        .map((each) =>
          claimOf(kind, `classRef ${each.kind} ${each.metadata.name}`, { classRef: referenceTo(each) }),
        ),
    ),
  'a claim names the Secret of another owner as its own': (victims) =>
    objectsOf(victims)
      .filter(({ kind }) => kind === 'Secret')
      .flatMap(({ metadata: { namespace, name } }) =>
        [name, `${namespace}/${name}`, `../${namespace}/${name}`, `${namespace}%2F${name}`].map((secret) =>
          claimOf(FancySQLInstanceKind, `writeConnectionSecretToRef ${secret}`, {
            classSelector,
            writeConnectionSecretToRef: { name: secret },
          }),
        ),
      ),
  'a claim asks for the external name of what others have': (victims) =>
    classRefs(victims).flatMap((classRef) =>
      victims.outside.map((text) =>
        claimOf(
          classRef.kind.startsWith('PostgreSQL') ? PostgreSQLInstanceKind : FancySQLInstanceKind,
          `external name ${text}`,
          { classRef, writeConnectionSecretToRef: { name: 'loot' } },
          { annotations: { [annotationKeys.externalName]: text } },
        ),
      ),
    ),
  'a claim bears annotations, finalizers and owners of others': (victims) =>
    claimKinds.flatMap((kind) => [
      ...readAnnotations.flatMap((key) =>
        texts(victims)
          .filter((_, index) => index % 40 === 7)
          .map((text) =>
            claimOf(kind, `${key}: ${text}`, { classSelector }, { annotations: { [key]: text } }),
          ),
      ),
      ...objectsOf(victims).map((object) =>
        claimOf(
          kind,
          `owner ${object.kind} ${object.metadata.name}`,
          {},
          {
            ownerReferences: [ownedBy(object)],
            finalizers: Object.values(finalizerNames),
          },
        ),
      ),
    ]),
  'a secret says that what others have controls it': (victims) =>
    objectsOf(victims).flatMap((object) =>
      [connectionSecretType, 'Opaque'].flatMap((type) => {
        const ownerReferences = [ownedBy(object)];
        const targets = objectsOf(victims).filter(({ kind }) => kind === 'Secret');
        return [
          secretOf(`controlled by ${object.kind} ${object.metadata.name}`, { ownerReferences }, type),
          ...targets.map(({ metadata: { namespace = '', name } }) =>
            secretOf(
              `the same, from and to ${namespace}/${name}`,
              {
                ownerReferences,
                labels: { [ownerUidLabel]: object.metadata.uid ?? '' },
                annotations: {
                  ...propagatesFrom({ namespace, name }),
                  'to.propagate.crossplane.io/x': `${namespace}/${name}`,
                },
              },
              type,
            ),
          ),
        ];
      }),
    ),
  'a secret bears every annotation that is read': (victims) =>
    readAnnotations.flatMap((key) =>
      texts(victims)
        .filter((_, index) => index % 3 === 0)
        .map((text) => secretOf(`${key}: ${text}`, { annotations: { [key]: text } })),
    ),
  'a claim asks for a Secret of an odd shape': (victims) =>
    classRefs(victims)
      .slice(0, 1)
      .flatMap((classRef) =>
        shapes.map((shape, index) =>
          claimOf(FancySQLInstanceKind, `shape ${index}`, {
            classRef,
            writeConnectionSecretToRef: { name: 'shaped', ...shape },
          }),
        ),
      ),
} satisfies Readonly<Record<string, (victims: Victims) => readonly Attack[]>>;

/** A sort of attacks. */
export type AttackSort = keyof typeof attacks;

export const attackSorts = Object.keys(attacks) as readonly AttackSort[];

/** The edit of an attack: another attack on the same kind. */
export function asEdit([, object]: Attack): object {
  const { name: _, ...metadata } = object.metadata;
  return { ...omit(object, ['apiVersion', 'kind', 'type']), metadata };
}
