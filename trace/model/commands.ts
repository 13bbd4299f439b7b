import type { Kind, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
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

/** Makes the controller observe the object at once. */
export const observeAgain = (kind: Kind, key: ObjectKey): string =>
  kubectl('annotate', kind, key, '--overwrite', 'crossplane.io/reconcile-requested-at="$(date)"');

export interface NamedKind {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
}

/** With the group, because several groups may have the kind. */
export const traceCommand = ({ apiVersion, kind = '', name }: NamedKind): string => {
  const group = apiVersion?.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return `kubectl services-stack trace ${kind.toLowerCase()}${group} ${name}`;
};

interface SecretContent {
  /** The keys, if there are several. */
  readonly entries: readonly string[];
  /** Some value has several lines, which an env file cannot have. */
  readonly isLong: boolean;
  /** The fields in the value, if one key has them all. */
  readonly form: string | undefined;
}

/** Creates a Secret with credentials. The user replaces `FILE`; without that file the command changes nothing. */
export function createSecret(
  { namespace, name, key }: SecretKey & { readonly key: string },
  { entries, isLong, form }: SecretContent,
): { readonly advice: string; readonly command: string } {
  const create = `kubectl -n ${namespace} create`;
  const [content, command] = isLong
    ? [
        `the manifest of Secret ${name}, with these entries in stringData: ${entries.join(', ')}`,
        `${create} -f FILE`,
      ]
    : entries.length === 0
      ? [
          `the value of the entry "${key}"${form === undefined ? '' : `: ${form}`}`,
          `${create} secret generic ${quoted(name)} --from-file=${quoted(key)}=FILE`,
        ]
      : [
          `a line for each entry: ${entries.map((entry) => `${entry}=…`).join(', ')}`,
          `${create} secret generic ${quoted(name)} --from-env-file=FILE`,
        ];
  return { advice: `Replace FILE by a file of yours, with ${content}.`, command };
}

/** Creates an object from a manifest that the user writes; without that file the command changes nothing. */
export const making = ({ kind = '', name = '' }: NamedKind): Pick<Fault, 'advice' | 'commands'> => ({
  advice: `Replace FILE by a file of yours, with the manifest of ${kind} ${name}.`,
  commands: ['kubectl apply -f FILE'],
});
