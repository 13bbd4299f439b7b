import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { projectRoot } from './project-copy.ts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface Role extends KubernetesObject {
  readonly rules: readonly PolicyRule[];
}

/** A binding of a role to subjects, in the role's own way or in one namespace. */
export interface Binding extends KubernetesObject {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly name: string; readonly namespace: string }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container extends Readonly<Record<'livenessProbe' | 'readinessProbe' | 'startupProbe', Probe>> {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
}

export interface Deployment extends KubernetesObject {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly serviceAccountName: string;
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [Container];
      };
    };
  };
}

/** Every object in the YAML files of a folder of the project, in the order kubectl takes them. */
export const objectsOf = (folder: string): readonly KubernetesObject[] =>
  readdirSync(join(projectRoot, folder))
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .flatMap((file) => parseAllDocuments(readFileSync(join(projectRoot, folder, file), 'utf8')))
    .map((document) => document.toJS() as KubernetesObject);

/** The one object of a kind and name among many. Throws if there is none. */
export function objectOf<T extends KubernetesObject>(
  objects: readonly KubernetesObject[],
  kind: string,
  name: string,
): T {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found as T;
}

/** The permissions of a role: `group/resource` → verbs, sorted. */
export const permissionsOf = ({ rules }: Role): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.map((resource) => [`${group}/${resource}`, verbs.toSorted()] as const),
      ),
    ),
  );
