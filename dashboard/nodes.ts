import compact from 'lodash/compact.js';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { Class } from '../apis/core/v1alpha1/class.ts';
import type { Condition } from '../apis/core/v1alpha1/condition.ts';
import { getCondition } from '../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { isPaused, wasDeleted } from '../apis/core/v1alpha1/meta.ts';
import { printable, shortened } from '../apis/core/v1alpha1/printable.ts';
import type { ObjectReference } from '../apis/core/v1alpha1/reference.ts';
import { providerOf } from '../controllers/provider/provider-choice.ts';
import type { ProviderKinds } from '../controllers/provider/provider-credentials.ts';
import type { Catalogue, KnownKind, Sort } from '../trace/catalogue.ts';
import type { GraphNode, Health } from './page/wire.ts';

/** The length limit of a message in a list; the trace shows the whole message. */
const longestMessage = 240;

type WithConditions = KubernetesObject & {
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly bindingPhase?: string;
    readonly deleteAt?: string;
  };
};

/** Identifies an object of any kind: `plural.group|namespace/name`. */
export const nodeId = ({ plural, group }: Pick<Kind, 'plural' | 'group'>, key: ObjectKey): string =>
  `${plural}.${group}|${objectKeyText(key)}`;

/** The health of an object, from its own conditions. A class has no conditions: it is always ok. */
export function healthOf(object: WithConditions, sort: Sort): Health {
  if (wasDeleted(object)) return 'going';
  const { conditions } = object.status ?? {};
  const ready = getCondition(conditions, 'Ready');
  const synced = getCondition(conditions, 'Synced');
  if (sort === 'class') return 'ok';
  if (sort === 'provider') return ready.status === 'False' ? 'broken' : 'ok';
  const isFailing = synced.status === 'False';
  if (ready.status === 'True') return isFailing || isPaused(object) ? 'troubled' : 'ok';
  if (isFailing) return 'broken';
  const waiting = [undefined, 'Pending', 'Creating', 'Binding', 'Deleting'];
  return waiting.includes(ready.reason) ? 'waits' : 'broken';
}

/** The page's node for an object of a known kind. Pure. */
export function nodeOf(object: WithConditions, known: KnownKind, catalogue: Catalogue): GraphNode {
  const { kind, sort } = known;
  const { namespace, name, creationTimestamp } = object.metadata;
  const ready = getCondition(object.status?.conditions, 'Ready');
  const synced = getCondition(object.status?.conditions, 'Synced');
  const message = synced.status === 'False' ? (synced.message ?? ready.message) : ready.message;
  const reason = synced.status === 'False' && ready.status === 'True' ? synced.reason : ready.reason;
  const { bindingPhase: phase, deleteAt } = object.status ?? {};
  return {
    id: nodeId(kind, object.metadata),
    sort,
    kind: kind.kind,
    resource: `${kind.plural}.${kind.group}`,
    ...(namespace !== undefined && { namespace }),
    name,
    health: healthOf(object, sort),
    ...(phase !== undefined && { phase }),
    ...(deleteAt !== undefined && { deleteAt: printable(deleteAt) }),
    ...(reason !== undefined && { reason: printable(reason) }),
    ...(message !== undefined && { message: shortened(printable(message), longestMessage) }),
    to: compact(leadingFrom(object, known, catalogue)),
    ...(creationTimestamp !== undefined && { createdAt: creationTimestamp }),
  };
}

function leadingFrom(
  object: KubernetesObject,
  { sort, kind }: KnownKind,
  catalogue: Catalogue,
): readonly (string | undefined)[] {
  const referred = (reference: ObjectReference | undefined): string | undefined => {
    const known = catalogue.referenceKind(reference);
    return known && reference?.name ? nodeId(known.kind, { name: reference.name }) : undefined;
  };
  if (sort === 'claim') {
    const { classRef, resourceRef } = (object as Claim).spec;
    return [referred(classRef), referred(resourceRef)];
  }
  if (sort === 'managed') {
    const service = catalogue.managed.find(
      ({ kind: one }) => one.plural === kind.plural && one.group === kind.group,
    );
    return [service && providerId(object as Managed, service.providers)];
  }
  if (sort === 'class') {
    const provisioned = catalogue.services.find(
      (service) => service.class.plural === kind.plural && service.class.group === kind.group,
    );
    const service =
      provisioned &&
      catalogue.managed.find(
        ({ kind: one }) => one.kind === provisioned.managed.kind && one.group === provisioned.managed.group,
      );
    const template = { metadata: { name: '' }, spec: (object as Class).specTemplate } as unknown as Managed;
    return [service && providerId(template, service.providers)];
  }
  return [];
}

function providerId(managed: Managed, { provider, providerConfig }: ProviderKinds): string {
  const { kind, name } = providerOf(managed);
  return nodeId(kind === 'Provider' ? provider : providerConfig, { name });
}
