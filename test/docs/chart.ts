import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { chartRenderer } from '../../tools/offline/chart-renderer/binary.ts';
import { projectRoot } from './project-copy.ts';

export type Values = Readonly<Record<string, unknown>>;

export const chartFolder = join(projectRoot, 'deploy', 'chart');

const support = await chartRenderer.support();

/** Why tests that render the chart are skipped; false: the renderer exists. */
export const withoutRenderer: string | false = support.by === 'none' ? support.reason : false;

interface Rendered {
  /** The values of the chart, with the given ones over them. */
  readonly values: Values;
  readonly manifests: Readonly<Record<string, string>>;
  readonly notes: string;
  /** The reason why the schema or a template refuses the values. */
  readonly problem?: string;
}

/** The chart with values over its own. */
export async function rendered(values: Values = {}, namespace = 'crossplane-system'): Promise<Rendered> {
  if (support.by === 'none') throw new Error(support.reason);
  const child = spawn(support.path, [chartFolder]);
  child.stdin.end(JSON.stringify({ namespace, values }));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (errors !== '') throw new Error(errors);
  return JSON.parse(out) as Rendered;
}

/** The objects of the chart with values over its own, and its notes. Throws if the schema or a template refuses the values. */
export async function chartWith(
  values: Values = {},
  namespace?: string,
): Promise<{ readonly objects: readonly KubernetesObject[]; readonly notes: string }> {
  const { manifests, notes, problem } = await rendered(values, namespace);
  if (problem !== undefined) throw new Error(problem);
  // Helm reads YAML 1.1.
  const documents = Object.values(manifests).flatMap((manifest) =>
    parseAllDocuments(manifest, { version: '1.1' }),
  );
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join('\n'));
  const objects = documents.map((document) => document.toJS() as KubernetesObject | null);
  return { objects: objects.filter((object) => object !== null), notes };
}
