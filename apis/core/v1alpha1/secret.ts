import isString from 'lodash/isString.js';
import omit from 'lodash/omit.js';
import pickBy from 'lodash/pickBy.js';
import { advice } from './advice.ts';
import type { Kind, KubernetesObject } from './kind.ts';
import { connectionSecretType } from './meta.ts';
import { maxNamespaceLength, namespaceName } from './namespace.ts';
import { isObjectName } from './object-name.ts';
import { controllerOf, isControlledBy } from './reference.ts';

/** A Kubernetes Secret; `data` values are base64. */
export interface Secret extends KubernetesObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
  /** The API server refuses any change of the data. */
  readonly immutable?: boolean;
}

export const SecretKind: Kind<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
};

/** Connection details in clear text, by key (`endpoint`, `password`, …). Never logged. */
export type ConnectionDetails = Readonly<Record<string, string>>;

/** Connection details as a client reports them. `null`: the entry no longer exists. A key that is absent does not change. */
export type ReportedDetails = Readonly<Record<string, string | null>>;

/** The details that have a value. */
export const present = (details: ReportedDetails): ConnectionDetails => pickBy(details, isString);

/** The keys of the details that no longer exist. */
export const absentAmong = (details: ReportedDetails): readonly string[] =>
  Object.keys(details).filter((key) => details[key] === null);

/** Keys of details that are not secret; all others are. A message may contain their values. */
const publicKeys = [
  ...['endpoint', 'host', 'port', 'username', 'database', 'type', 'provider'],
  // The certificate authority to trust, and whether to check it.
  ...['clusterCA', 'certificates', 'sslmode'],
  // The names of a Pub/Sub topic.
  ...['topic', 'projectName'],
];

export const secretsAmong = (details: ConnectionDetails): ConnectionDetails => omit(details, publicKeys);

export const encodeDetails = (details: ConnectionDetails): Record<string, string> =>
  Object.fromEntries(
    Object.entries(details).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
  );

export const decodeDetails = (secret: Secret | undefined): ConnectionDetails =>
  Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  );

/**
 * Whether `owner` may write an existing connection Secret.
 * - `controlled`: `owner` is its controller, by UID.
 * - `adoptable`: it is a connection Secret without a controller. Or its controller has the owner's apiVersion, kind and
 *   name but another UID, as after a restore from a backup (names are unique, so that previous owner does not exist).
 * - otherwise a message with the reason (crossplane-runtime v0.9, ConnectionSecretMustBeControllableBy).
 */
export function controlOf(
  secret: Secret,
  owner: KubernetesObject,
): 'controlled' | 'adoptable' | { readonly refusal: string } {
  if (isControlledBy(secret, owner)) return 'controlled';
  const controller = controllerOf(secret);
  if (controller === undefined) {
    if (secret.type === connectionSecretType) return 'adoptable';
    return {
      refusal: `a secret of type "${secret.type ?? 'Opaque'}" exists that these controllers did not write`,
    };
  }
  const isPreviousSelf =
    controller.apiVersion === owner.apiVersion &&
    controller.kind === owner.kind &&
    controller.name === owner.metadata.name;
  if (isPreviousSelf) return 'adoptable';
  return {
    refusal: `the secret belongs to ${controller.kind} ${controller.name}, not to ${owner.kind} ${owner.metadata.name}`,
  };
}

/** The advice for a Secret that stays as it is. `field` is the field that names it. */
export function insteadOf(existing: Secret, field: string): string {
  const another = advice.nameAnotherSecret(field);
  // The Secret's controller needs it, and would write it again after a deletion.
  if (controllerOf(existing) !== undefined) return another;
  return `${another}; ${advice.askAuthorOfSecret}`;
}

const toPrefix = 'to.propagate.crossplane.io/';
const fromNamespace = 'from.propagate.crossplane.io/namespace';
const fromName = 'from.propagate.crossplane.io/name';
/** On a claim's Secret: the claim, as kind, namespace and name. It stays when the garbage collector removes the owner. */
const forClaim = 'crossplane.io/copied-for';

/** A secret's namespace and name. */
export interface SecretKey {
  readonly namespace: string;
  readonly name: string;
}

/** Why no Secret can have the name in `spec.writeConnectionSecretToRef`, and what to do. Undefined: one can. */
export const secretNameProblem = (name = ''): string | undefined =>
  isObjectName(name)
    ? undefined
    : `no Secret can have the name "${name}": it must consist of at most 253 lowercase letters, digits, "-" and "."; ${advice.nameAnotherSecret('spec.writeConnectionSecretToRef')}`;

/**
 * Why no Secret can be the entry of this name in a secret store, and what to do. Undefined: one can. `className`: the class
 * whose template gave the name.
 */
export const secretEntryProblem = (name = '', className?: string): string | undefined =>
  isObjectName(name)
    ? undefined
    : `no Secret can have the name "${name}", and the store has Secrets: it must consist of at most 253 lowercase letters, digits, "-" and "."; ${advice.correctEntryName(className)}`;

/**
 * Why no object can be in the namespace of a resource's Secret, and what to do. Undefined: one can. `className`: the class
 * that named it.
 */
export const secretNamespaceProblem = (namespace = '', className?: string): string | undefined =>
  namespace.length <= maxNamespaceLength && namespaceName.test(namespace)
    ? undefined
    : `no namespace can have the name "${namespace}": it must consist of at most ${maxNamespaceLength} lowercase letters, digits and "-"; ${advice.correctNamespace(className)}`;

/** The key of a Secret. */
export const secretKeyOf = ({ metadata }: Secret): SecretKey => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/**
 * The annotation on a source Secret that allows propagation to `target`. The key ends in a hash of `namespace/name`. Unlike
 * the original's it includes the separator, so that `ab/c` and `a/bc` differ (hazard H12 of docs/decision-tables.md).
 */
export function allowsPropagationTo(target: SecretKey): Record<string, string> {
  return {
    [`${toPrefix}${fnv1a(`${target.namespace}/${target.name}`)}`]: `${target.namespace}/${target.name}`,
  };
}

/** The annotations on a target that name its source. */
export const propagatesFrom = (source: SecretKey): Record<string, string> => ({
  [fromNamespace]: source.namespace,
  [fromName]: source.name,
});

/** Returns a target's annotations without those that name its source. */
export const annotationsWithoutSource = ({ metadata }: KubernetesObject): Record<string, string> =>
  omit(metadata.annotations, [fromNamespace, fromName]);

const claimText = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${metadata.namespace}/${metadata.name}`;

/** The annotation on a target that names its claim. */
export const copiedFor = (claim: KubernetesObject): Record<string, string> => ({
  [forClaim]: claimText(claim),
});

/** Whether a target was written for this claim, or for a previous claim of the same kind, namespace and name. */
export const isCopiedFor = ({ metadata }: Secret, claim: KubernetesObject): boolean =>
  metadata.annotations?.[forClaim] === claimText(claim);

/** The annotations of an object that allow propagation. */
export const propagationAnnotations = (object: KubernetesObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(object.metadata.annotations ?? {}).filter(([key]) => key.startsWith(toPrefix)),
  );

/** The targets that a source allows, from every well-formed annotation. The hash in the key is not checked. */
export function propagationTargets(source: KubernetesObject): readonly SecretKey[] {
  return Object.values(propagationAnnotations(source)).flatMap((value) => {
    const [namespace, name, ...rest] = value.split('/');
    return namespace && name && rest.length === 0 ? [{ namespace, name }] : [];
  });
}

/** Returns an object's annotations without the consent to copy it to a claim's Secret. Annotations of other authors stay. */
export function annotationsWithoutClaims(object: KubernetesObject): Record<string, string> {
  const isOurs = ([key, value]: readonly [string, string]): boolean => {
    const [namespace = '', name = ''] = value.split('/');
    return Object.hasOwn(allowsPropagationTo({ namespace, name }), key);
  };
  return Object.fromEntries(
    Object.entries(object.metadata.annotations ?? {}).filter((annotation) => !isOurs(annotation)),
  );
}

/** The source that a target names; undefined if the name or namespace is missing. */
export function propagationSource(target: KubernetesObject): SecretKey | undefined {
  const namespace = target.metadata.annotations?.[fromNamespace];
  const name = target.metadata.annotations?.[fromName];
  return namespace && name ? { namespace, name } : undefined;
}

/** 32-bit FNV-1a as 8 hex digits, which Crossplane v0.7 used for annotation keys. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
