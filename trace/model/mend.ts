import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import type { Fault } from './trace.ts';

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

/**
 * Puts credentials into a secret, or makes it. `FILE` is for the reader to fill in: without such a file nothing is changed.
 * A patch leaves all other entries alone, which `apply` of what it made once does not.
 */
export function putCredentials(
  { namespace, name, key }: SecretKey & { readonly key: string },
  { isThere, entries = [] }: { readonly isThere: boolean; readonly entries?: readonly string[] | undefined },
): Pick<Fault, 'advice' | 'mend'> {
  const from = entries.length === 0 ? `--from-file=${quoted(key)}=FILE` : '--from-env-file=FILE';
  const create = `create secret generic ${quoted(name)} ${from}`;
  const lines = entries.map((entry) => `${entry}=…`).join(', ');
  const several = isThere
    ? `with a line for each entry that is wrong, of ${lines}; the others stay as they are.`
    : `with a line for each entry: ${lines}.`;
  const file = entries.length === 0 ? `with what the entry "${key}" is to be.` : several;
  return {
    advice: `FILE stands for a file of yours, ${file}`,
    mend: [
      isThere
        ? `kubectl -n ${namespace} patch secret ${quoted(name)} --patch "$(kubectl ${create} --dry-run=client -o json)"`
        : `kubectl -n ${namespace} ${create}`,
    ],
  };
}

/** Has an object made of a manifest, which is for the reader to write: without such a file nothing is changed. */
export const making = ({
  kind = '',
  name = '',
}: {
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
}): Pick<Fault, 'advice' | 'mend'> => ({
  advice: `FILE stands for a file of yours, with the manifest of ${kind} ${name}:`,
  mend: ['kubectl apply -f FILE'],
});

export const describeKey = ({ namespace, name }: ObjectKey): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
export const describeObject = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${describeKey(metadata)}`;
