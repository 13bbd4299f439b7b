import omit from 'lodash/omit.js';
import type { Kind, KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  connectionSecretType,
  externalName,
  finalizerNames,
} from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { ownerUidLabel } from '../../controllers/connection/store-place.ts';
import { credentialAnnotation } from '../../controllers/credential.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { claimKinds, classKinds } from '../fakes/defined-kinds.ts';
import { objectOf } from '../fakes/object-of.ts';

/*
 * An attacker with every permission on claims and Secrets of one namespace, who knows every name and UID,
 * against all other users.
 */

/** The tenant's namespace. */
export const rogue = 'rogue';

/** The objects that may be attacked. */
export interface Victims {
  /** In the cluster, the tenant's own included. */
  readonly objects: readonly KubernetesObject[];
  /** The names of what the clouds and the PostgreSQL server have. */
  readonly outside: readonly string[];
}

/** The attack, and the object that the tenant creates for it. */
export type Attack = readonly [what: string, object: KubernetesObject];

type Tracked = ObjectMeta & { readonly managedFields?: unknown };

/** The objects of the tenant, in the tenant's namespace or created for it. */
const isRogues = (object: KubernetesObject): boolean =>
  object.metadata.namespace === rogue ||
  (object as Partial<Managed>).spec?.claimRef?.namespace === rogue ||
  new RegExp(`^${rogue}-`).test(controllerOf(object)?.name ?? '');

/**
 * The objects of others in the cluster, as they are stored, by kind and key. Counts of users have no owner,
 * and are left out.
 */
export const othersObjects = (objects: readonly KubernetesObject[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    objects
      .filter((object) => object.kind !== 'Event' && !isRogues(object))
      .map((object) => {
        const { status: _, ...unused } = object as KubernetesObject & { status?: object };
        // Servers of today note there when the status was written last.
        const { resourceVersion: _v, managedFields: _f, ...metadata } = object.metadata as Tracked;
        const key = `${object.apiVersion} ${object.kind} ${objectKeyText(object.metadata)}`;
        return [key, ['Provider', 'ProviderConfig'].includes(object.kind) ? { ...unused, metadata } : object];
      }),
  );

/** Passwords, tokens and all that secrets of others hold. */
export const othersSecrets = (objects: readonly KubernetesObject[]): readonly string[] =>
  objects
    .filter(({ kind, metadata }) => kind === 'Secret' && metadata.namespace !== rogue)
    .flatMap((secret) => {
      const { password, credentials, uri } = decodeDetails(secret as Secret);
      return [password, credentials, uri].filter((value) => value !== undefined);
    });

/** The secrets that the tenant has read. The tenant may read everything in its namespace, and Events. */
export function learnt(objects: readonly KubernetesObject[], secrets: readonly string[]): readonly string[] {
  const visible = objects
    .filter(({ kind, metadata }) => kind === 'Event' || metadata.namespace === rogue)
    .map((object) => JSON.stringify(object.kind === 'Secret' ? decodeDetails(object as Secret) : object));
  return secrets.filter((secret) =>
    visible.some((text) => text.includes(JSON.stringify(secret).slice(1, -1))),
  );
}

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

const isOneOf = (kinds: readonly Kind[], { apiVersion, kind }: KubernetesObject): boolean =>
  kinds.some((one) => one.kind === kind && apiVersionOf(one) === apiVersion);

const named = ({ apiVersion, kind, metadata: { namespace, name, uid } }: KubernetesObject) => ({
  apiVersion,
  kind,
  name,
  ...(namespace && { namespace }),
  ...(uid && { uid }),
});
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
const annotationNames = [
  ...Object.values(annotationKeys),
  credentialAnnotation,
  'to.propagate.crossplane.io/x',
  'from.propagate.crossplane.io/namespace',
  'from.propagate.crossplane.io/name',
];

/** By what they go against, what the tenant makes: each object with what is tried by it. A name that is empty means nothing. */
export const attacks: Readonly<Record<string, (victims: Victims) => readonly Attack[]>> = {
  'a claim names what others have as its resource': (victims) =>
    claimKinds.flatMap((kind) =>
      objectsOf(victims).flatMap((object) => {
        const spec = { resourceRef: named(object), writeConnectionSecretToRef: { name: 'loot' } };
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
          claimOf(kind, `classRef ${each.kind} ${each.metadata.name}`, { classRef: named(each) }),
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
      ...annotationNames.flatMap((key) =>
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
            ownerReferences: [{ ...named(object), uid: object.metadata.uid ?? '', controller: true }],
            finalizers: Object.values(finalizerNames),
          },
        ),
      ),
    ]),
  'a secret says that what others have controls it': (victims) =>
    objectsOf(victims).flatMap((object) =>
      [connectionSecretType, 'Opaque'].flatMap((type) => {
        const owner = { ...named(object), uid: object.metadata.uid ?? '', controller: true };
        const targets = objectsOf(victims).filter(({ kind }) => kind === 'Secret');
        return [
          secretOf(
            `controlled by ${object.kind} ${object.metadata.name}`,
            { ownerReferences: [owner] },
            type,
          ),
          ...targets.map(({ metadata: { namespace = '', name } }) =>
            secretOf(
              `the same, from and to ${namespace}/${name}`,
              {
                ownerReferences: [owner],
                labels: { [ownerUidLabel]: object.metadata.uid ?? '' },
                annotations: {
                  'from.propagate.crossplane.io/namespace': namespace,
                  'from.propagate.crossplane.io/name': name,
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
    annotationNames.flatMap((key) =>
      texts(victims)
        .filter((_, index) => index % 3 === 0)
        .map((text) => secretOf(`${key}: ${text}`, { annotations: { [key]: text } })),
    ),
};

/** The edit of an attack: another attack on the same kind. */
export function asEdit([, object]: Attack): object {
  const { name: _, ...metadata } = object.metadata;
  return { ...omit(object, ['apiVersion', 'kind', 'type']), metadata };
}
