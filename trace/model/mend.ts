import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const inNamespace = (namespace: string | undefined): string =>
  namespace === undefined ? '' : ` -n ${namespace}`;
const resource = ({ plural, group }: Kind): string => (group === '' ? plural : `${plural}.${group}`);

/** `kubectl -n team-shop delete fancysqlinstances.database.crossplane.io orders`, and the like. */
export const kubectl = (
  verb: string,
  kind: Kind,
  { namespace, name }: ObjectKey,
  ...rest: readonly string[]
): string => [`kubectl${inNamespace(namespace)}`, verb, resource(kind), quoted(name), ...rest].join(' ');

export const annotate = (kind: Kind, key: ObjectKey, annotation: string): string =>
  kubectl('annotate', kind, key, quoted(annotation));

export const patch = (kind: Kind, key: ObjectKey, change: object): string =>
  kubectl('patch', kind, key, '--type=merge', '-p', quoted(JSON.stringify(change)));

/** Has it looked at again at once. */
export const lookAgain = (kind: Kind, key: ObjectKey): string =>
  kubectl('annotate', kind, key, '--overwrite', 'crossplane.io/reconcile-requested-at="$(date)"');

/** Puts credentials into an entry of a secret, whether the secret is there or not. */
export const putCredentials = ({ namespace, name }: SecretKey, key: string): string =>
  `kubectl -n ${namespace} create secret generic ${quoted(name)} --from-file=${quoted(key)}=<file> --dry-run=client -o yaml | kubectl apply -f -`;

export const describeKey = ({ namespace, name }: ObjectKey): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
export const describeObject = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${describeKey(metadata)}`;
