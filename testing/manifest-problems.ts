import { parseAllDocuments } from 'yaml';
import type { Definition } from '../apis/core/schema.ts';
import { apiVersionOf } from '../apis/core/v1alpha1/kind.ts';
import { objectProblems } from './schema-problems.ts';

/** Kinds of Kubernetes itself, which only the API server can check. */
const isBuiltIn = (apiVersion: string): boolean =>
  !apiVersion.includes('/') || /^(?:apps|batch|autoscaling|policy)\/|\.k8s\.io\//.test(apiVersion);

/** The problems of a file of manifests: invalid YAML, an undefined kind, or a mismatch with the schema of the kind. */
export function manifestProblems(definitions: readonly Definition[], yaml: string): readonly string[] {
  const documents = parseAllDocuments(yaml);
  if (documents.length === 0) return ['the file has no object'];
  return [...documents].flatMap((document, index) => {
    const [error] = document.errors;
    if (error !== undefined) return [error.message.split('\n')[0] ?? error.message];
    return problemsOf(definitions, document.toJS(), `object ${index + 1}`);
  });
}

function problemsOf(definitions: readonly Definition[], object: unknown, which: string): readonly string[] {
  const { apiVersion, kind, metadata, ...rest } = (object ?? {}) as {
    readonly apiVersion?: unknown;
    readonly kind?: unknown;
    readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown } | null;
  };
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof metadata?.name !== 'string') {
    return [`${which} lacks an apiVersion, a kind or a metadata.name`];
  }
  if (isBuiltIn(apiVersion)) return [];
  const named = `${kind} ${metadata.name}`;
  const definition = definitions.find((known) => known.kind === kind && apiVersionOf(known) === apiVersion);
  if (definition === undefined) return [`${named}: no stack defines the kind ${kind} in ${apiVersion}`];
  const isMisplaced = definition.scope === 'Cluster' && metadata.namespace !== undefined;
  return [
    ...(isMisplaced ? [`${named}: ${kind} is cluster-scoped: remove metadata.namespace`] : []),
    ...objectProblems(definition, rest).map((problem) => `${named}: ${problem}`),
  ];
}
