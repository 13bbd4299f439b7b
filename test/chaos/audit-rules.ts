import type { Rights } from '../fakes/granted.ts';
import type { AuditedRequest } from './audit-trail.ts';

const leases = 'leases.coordination.k8s.io';
export const isWrite = ({ verb }: AuditedRequest): boolean =>
  ['create', 'update', 'patch', 'delete', 'deletecollection'].includes(verb);
const isLease = ({ resource }: AuditedRequest): boolean => resource === leases;
const hasSucceeded = ({ code }: AuditedRequest): boolean => code >= 200 && code < 300;

/** Says a request in one line. */
export const described = ({ user, verb, resource, key, receivedMs, code }: AuditedRequest): string =>
  `${new Date(receivedMs).toISOString()} ${user} ${verb} ${resource} ${key} (${code})`;

/**
 * Judges, request by request in the order of the answers, whether only the leader writes. A replica is known by its user,
 * another one for each life.
 */
export function leaseRule(leaseDurationMs: number) {
  /** The writers of the Lease with the times of the answers, newest last. */
  const terms: { readonly user: string; renewedMs: number; endedMs: number }[] = [];
  /** The same as `check` of anything else that only the leader may do. All requests until `atMs` are known. */
  function checkAct(user: string, atMs: number, what: string): string | undefined {
    const term = terms.findLast((each) => each.user === user);
    if (term === undefined) return `acted without ever having led: ${what}`;
    if (atMs > term.endedMs) return `acted after its lease had passed on: ${what}`;
    if (atMs > term.renewedMs + leaseDurationMs) {
      return `acted ${atMs - term.renewedMs} ms after its last renewal: ${what}`;
    }
    return undefined;
  }
  return {
    /** Answers with what is wrong with it: a write of a replica after another took the lease, or after its own ran out. */
    check(request: AuditedRequest): string | undefined {
      const { user, receivedMs, answeredMs } = request;
      if (!isWrite(request)) return undefined;
      if (!isLease(request)) return checkAct(user, receivedMs, described(request));
      if (!hasSucceeded(request)) return undefined;
      const last = terms.at(-1);
      if (request.holder === '') {
        if (last?.user === user) last.endedMs = answeredMs;
      } else if (last?.user === user && last.endedMs === Number.POSITIVE_INFINITY) {
        last.renewedMs = answeredMs;
      } else {
        if (last !== undefined) last.endedMs = Math.min(last.endedMs, answeredMs);
        terms.push({ user, renewedMs: answeredMs, endedMs: Number.POSITIVE_INFINITY });
      }
      return undefined;
    },
    checkAct,
    /** The user who wrote the lease last, unless it was to give it free. */
    leader(): string | undefined {
      const last = terms.at(-1);
      return last?.endedMs === Number.POSITIVE_INFINITY ? last.user : undefined;
    },
  };
}

/** The fault of a forbidden request: its sender never has the permission. */
export function notGranted(request: AuditedRequest, rights: Rights): string | undefined {
  const { verb, resource: text, key, code } = request;
  const [kind = '', ...subresource] = text.split('/');
  const [plural = '', ...group] = kind.split('.');
  const [resource, name] = [[plural, ...subresource].join('/'), key.split('/').at(-1)];
  // One that begins forbids everything for a while.
  if (code !== 403 || rights({ verb, group: group.join('.'), resource, name })) return undefined;
  return `asked for what its roles do not grant: ${described(request)}`;
}

const minuteMs = 60_000;

/** Counts the requests within a minute for each thing. Times must come in order for each thing, more or less. */
export function rateRule() {
  const recent = new Map<string, number[]>();
  const most = new Map<string, number>();
  return {
    add(what: string, atMs: number): void {
      const times = recent.get(what) ?? [];
      times.push(atMs);
      while (times[0]! <= atMs - minuteMs) times.shift();
      recent.set(what, times);
      most.set(what, Math.max(times.length, most.get(what) ?? 0));
    },
    /** The number of requests in the busiest minute of each thing. */
    busiest: (): ReadonlyMap<string, number> => most,
  };
}

/** The loop that a request is part of: of one process, about one object; undefined for requests that keep a Lease. */
export function loopOf(request: AuditedRequest): string | undefined {
  if (isLease(request)) return undefined;
  const { user, verb, resource, key } = request;
  // All requests about an object are one loop; lists and watches are one for each kind.
  if (verb === 'list' || verb === 'watch') return `${user} ${verb} ${resource}`;
  // Creations do not name what they create.
  return `${user} ${verb === 'create' ? 'create ' : ''}${resource.split('/')[0]} ${key}`;
}
