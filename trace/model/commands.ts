import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import type { Fault } from './trace.ts';

/** A word, quoted for a shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const resource = ({ plural, group }: Kind): string => (group === '' ? plural : `${plural}.${group}`);

/** For example `kubectl -n team-shop delete fancysqlinstances.database.crossplane.io orders`. */
export const kubectl = (
  verb: string,
  kind: Kind,
  { namespace, name }: ObjectKey,
  ...rest: readonly string[]
): string => {
  const inNamespace = namespace === undefined ? '' : ` -n ${namespace}`;
  return [`kubectl${inNamespace}`, verb, resource(kind), quoted(name), ...rest].join(' ');
};

export const annotate = (kind: Kind, key: ObjectKey, annotation: string): string =>
  kubectl('annotate', kind, key, quoted(annotation));

export const patch = (kind: Kind, key: ObjectKey, change: object): string =>
  kubectl('patch', kind, key, '--type=merge', '-p', quoted(JSON.stringify(change)));

/** Makes the controller observe the object at once. */
export const observeAgain = (kind: Kind, key: ObjectKey): string =>
  kubectl('annotate', kind, key, '--overwrite', 'crossplane.io/reconcile-requested-at="$(date)"');

interface NamedKind {
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
}

export const traceCommand = ({ kind, name }: NamedKind): string =>
  `npm run trace -- ${kind?.toLowerCase()} ${name}`;

/**
 * Writes credentials into a Secret, or creates it. The user replaces `FILE`; without that file the command changes nothing.
 * A patch keeps the other entries, and `kubectl apply` would not.
 */
export function putCredentials(
  { namespace, name, key }: SecretKey & { readonly key: string },
  { isThere, entries = [] }: { readonly isThere: boolean; readonly entries?: readonly string[] | undefined },
): Pick<Fault, 'advice' | 'commands'> {
  const from = entries.length === 0 ? `--from-file=${quoted(key)}=FILE` : '--from-env-file=FILE';
  const create = `create secret generic ${quoted(name)} ${from}`;
  const lines = entries.map((entry) => `${entry}=…`).join(', ');
  const several = isThere
    ? `with a line for each wrong entry, of ${lines}; the other entries do not change.`
    : `with a line for each entry: ${lines}.`;
  const content = entries.length === 0 ? `with the value of the entry "${key}".` : several;
  return {
    advice: `Replace FILE by a file of yours, ${content}`,
    commands: [
      isThere
        ? `kubectl -n ${namespace} patch secret ${quoted(name)} --patch "$(kubectl ${create} --dry-run=client -o json)"`
        : `kubectl -n ${namespace} ${create}`,
    ],
  };
}

/** Creates an object from a manifest that the user writes; without that file the command changes nothing. */
export const making = ({ kind = '', name = '' }: NamedKind): Pick<Fault, 'advice' | 'commands'> => ({
  advice: `Replace FILE by a file of yours, with the manifest of ${kind} ${name}:`,
  commands: ['kubectl apply -f FILE'],
});

export const describeObject = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${objectKeyText(metadata)}`;
