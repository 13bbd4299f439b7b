import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { allStacks } from '../../app/stacks.ts';
import type { CoreEvent } from '../../runtime/events/event-kind.ts';
import { catalogueOf } from '../../trace/catalogue.ts';
import type { Findings } from '../../trace/model/findings.ts';
import type { Trace } from '../../trace/model/trace.ts';
import { traceOf } from '../../trace/model/trace-of.ts';
import { collect } from '../../trace/read/collect.ts';
import type { Source } from '../../trace/read/source.ts';
import { leaseKey } from './traced-world.ts';

const catalogue = catalogueOf(allStacks);
export const now = new Date('2026-01-02T03:05:00Z');

/** The managed resources of claims in these tests, as kubectl calls them. */
export const resources = 'favouritedbinstances.database.fcp.crossplane.io';

/** A reference to the resource `legacy`. */
export const legacy = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  name: 'legacy',
};

/** The name and the remedy of a fault. */
export const remedyOf = (fault: Trace['fault']) => ({
  name: fault?.name,
  advice: fault?.advice,
  commands: fault?.commands,
});

/** The claim of this key, observed in its only generation; `status` replaces that. */
export const claimAt = (
  key: string,
  spec: object = {},
  { status = { observedGeneration: 1 }, ...given }: { readonly status?: object } & Partial<ObjectMeta> = {},
): KubernetesObject => {
  const [namespace = '', name = ''] = key.split('/');
  return {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: { namespace, name, uid: `uid-of-${name}`, generation: 1, ...given },
    spec,
    status,
  } as KubernetesObject;
};

/** A lease that was renewed this many seconds before a time. */
export const leaseHeld = (secondsAgo = 1, at = now): KubernetesObject =>
  ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: leaseKey,
    spec: {
      holderIdentity: 'pod-1',
      leaseDurationSeconds: 15,
      renewTime: new Date(at.getTime() - secondsAgo * 1_000).toISOString(),
    },
  }) as KubernetesObject;

/** A source of these objects; `mayRead` says which kinds the user may read. */
export function sourceOf(
  objects: readonly KubernetesObject[],
  events: readonly CoreEvent[] = [],
  mayRead: (kind: { readonly kind: string }) => boolean = () => true,
): Source {
  const objectsOfKind = (kind: { readonly kind: string; readonly group: string }) =>
    objects.filter(
      (object) =>
        object.kind === kind.kind && object.apiVersion.split('/').slice(0, -1).join('/') === kind.group,
    );
  return {
    async get(kind, { namespace, name }) {
      if (!mayRead(kind)) return { is: 'withheld' };
      const found = objectsOfKind(kind).find(
        ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
      );
      return found === undefined ? { is: 'absent' } : { is: 'there', value: found as never };
    },
    async list(kind, namespace) {
      if (!mayRead(kind)) return { is: 'withheld' };
      const found = objectsOfKind(kind).filter(
        ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
      );
      return { is: 'there', value: found as never };
    },
    eventsOf: async () => ({ is: 'there', value: events }),
  };
}

/** The findings about one of these objects while controllers run. */
export async function findingsOf(
  objects: readonly KubernetesObject[],
  [word, name]: readonly [word: string, name: string],
  source: Source = sourceOf([leaseHeld(), ...objects]),
): Promise<Findings> {
  const known = catalogue.named(word);
  const [namespace, own] = name.includes('/') ? name.split('/') : [undefined, name];
  const key = { name: own ?? '', ...(namespace !== undefined && { namespace }) };
  return collect({ catalogue, source, clock: { now: () => now }, lease: leaseKey }, { known, key });
}

/** The trace of one of these objects. */
export const tracedIn = async (...given: Parameters<typeof findingsOf>): Promise<Trace> =>
  traceOf(await findingsOf(...given));

/** A condition of an object. */
export const condition = (
  type: 'Ready' | 'Synced',
  status: 'True' | 'False',
  reason: string,
  message?: string,
  error?: Condition['error'],
): object => ({
  type,
  status,
  reason,
  lastTransitionTime: '2026-01-02T03:04:00Z',
  ...(message !== undefined && { message }),
  ...(error && { error }),
});

export const failingWith = (message: string, error?: Condition['error']): object => ({
  conditions: [condition('Synced', 'False', 'ReconcileError', message, error)],
});

/** A ProviderConfig of Google's cloud, with these credentials. */
export const googleProvider = (name: string, credentials: object): KubernetesObject =>
  ({
    apiVersion: 'gcp.crossplane.io/v1beta1',
    kind: 'ProviderConfig',
    metadata: { name },
    spec: { credentials },
  }) as KubernetesObject;

/** The Topic `news` of the ProviderConfig `demo`, which fails with this message and error. */
export const failingTopic = (
  message: string,
  error: Condition['error'],
  spec: object = {},
): KubernetesObject =>
  ({
    apiVersion: 'pubsub.gcp.crossplane.io/v1alpha1',
    kind: 'Topic',
    metadata: { name: 'news', generation: 1 },
    spec: { providerConfigRef: { name: 'demo' }, forProvider: {}, ...spec },
    status: { observedGeneration: 1, ...failingWith(message, error) },
  }) as KubernetesObject;
