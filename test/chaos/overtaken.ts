import type { AuditedRequest } from './audit-trail.ts';

/**
 * Finds objects that a deletion by a person has taken away although a replica's write to them, which brings the finalizer,
 * had been accepted by then: the deletion had begun before that, and ended after it. The replica that wrote it finds out and
 * deletes what it has made meanwhile; if its life ends before it has, nobody knows of that any more, which
 * docs/reliability.md names.
 */
export interface OvertakenRule {
  /** For all requests, of persons too, in the order in which they were answered. */
  add(request: AuditedRequest): void;
  /** `name` of a cluster's object, or `namespace/name` → the user of the replica that was overtaken. */
  readonly makers: ReadonlyMap<string, string>;
}

/** `isReplica` says whose users are replicas'. */
export function overtakenRule(isReplica: (user: string) => boolean): OvertakenRule {
  /** The first write of a replica to each object, which brings its finalizer. */
  const first = new Map<string, AuditedRequest>();
  const makers = new Map<string, string>();
  return {
    makers,
    add(request) {
      const { user, verb, resource, key, receivedMs, code } = request;
      if (code < 200 || code >= 300) return;
      const [kind = '', subresource] = resource.split('/');
      const object = `${kind} ${key}`;
      if (isReplica(user)) {
        if (verb !== 'patch' && verb !== 'update') return;
        // It was there still: its finalizer holds it.
        makers.delete(key);
        if (subresource === undefined && !first.has(object)) first.set(object, request);
      } else if (verb === 'delete') {
        const write = first.get(object);
        first.delete(object);
        if (write !== undefined && receivedMs <= write.answeredMs) makers.set(key, write.user);
      }
    },
  };
}
