/*
 *   controllers ──▶ apiDoor ──────▶ MemoryCluster         each request: on its way, carried out, on its way back,
 *              └──▶ outsideDoor ──▶ clouds, PostgreSQL    unless there is a fault or the process ended before
 */

import { Observable } from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { KubernetesClient, WatchEvent } from '../../runtime/client/kubernetes-client.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import { conflict } from '../../testing/memory-cluster.ts';
import type { CarriedReply, CarryOutside } from '../fakes/outside.ts';
import { connectionCut, connectionRefused, gatewayReply, noAnswer } from '../fakes/outside.ts';
import { garbled } from './garbled.ts';
import type { About, RecordedCall } from './invariant.ts';
import type { CallFault, Pace } from './scenario.ts';
import type { WatchLines } from './watch-lines.ts';

/** The view of a door: the process before it and the world behind it. */
export interface DoorOptions {
  /** The process's own, which stands still with it. */
  readonly clock: Clock;
  /** A request that was sent is not stopped by the end of its sender. */
  readonly network: Clock;
  readonly pace: Pace;
  readonly watches: WatchLines;
  /** Whether a kind can neither be listed nor watched now. */
  isMissing(kind: string): boolean;
  /** Whether the process has died. */
  isDead(): boolean;
  /** Throws if another process may lead by now. */
  checkLease(): void;
  /** Counts a request, and says what goes wrong with it and how much of the time it takes. */
  next(request: DoorRequest): {
    readonly name: string;
    readonly fault: CallFault | undefined;
    readonly there: number;
    readonly back: number;
  };
  /** Whether a system cannot be reached now; the API server's name is `api`. */
  isOut(system: string): boolean;
  /** The process dies now, and another begins so much later. */
  crash(downMs: number): void;
  /** Carries out a change, and records it. */
  carryOut(call: RecordedCall, effect: () => unknown): unknown;
}

/** A request at a door, as far as its faults depend on it. */
export interface DoorRequest {
  /** `create FancySQLInstance team/orders`. */
  readonly call: string;
  /** `api` for the API server. */
  readonly system: string;
  readonly isWrite: boolean;
  /** Whether it is refused if the object has changed. */
  readonly isConditional: boolean;
}

/**
 * Whether a fault has an effect on a request that neither another fault nor a run without faults has. Only writes to the API
 * server are carried out twice, only conditional ones conflict, and PostgreSQL has no status to refuse by.
 */
export function hasOwnEffect(fault: CallFault, { system, isWrite, isConditional }: DoorRequest): boolean {
  const isApi = system === 'api';
  switch (fault.type) {
    case 'twice':
      return isApi && isWrite;
    case 'page':
      return isApi || hasStatuses(system);
    case 'refused':
      return isApi ? fault.code !== 409 || isConditional : hasStatuses(system);
    default:
      return true;
  }
}

/** As the real client waits for an answer. */
const requestTimeoutMs = 30_000;

const never = (): Promise<never> => new Promise(() => {});

const refusals = {
  429: ['TooManyRequests', 'too many requests, please try again later'],
  500: ['InternalError', 'an error on the server has prevented the request from succeeding'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted'],
} as const;

type Refused = Extract<CallFault, { type: 'refused' }>;

function refusal({ code }: Refused, target: string): ApiError {
  if (code === 409) return conflict(target);
  const [reason, message] = refusals[code];
  return new ApiError(message, { code, reason, ...(code === 429 && { retryAfterMs: 1000 }) });
}

const failure = (did: string, reason: string, code = 0): ApiError =>
  new ApiError(`the API server ${did}`, { code, reason });

/** As the client reads what a proxy before the API server answers, whatever it is called. */
const pages = {
  200: failure('answered with something that is not JSON', 'InvalidAnswer'),
  404: failure('answered 404', 'Unknown', 404),
} as const;

const noConnection = (): ApiError => failure('closed the connection', 'ConnectionClosed');
const tooLate = (): ApiError => failure('did not answer within 30 s', 'Timeout');

/** The process dies before the request leaves, or when it has been carried out. */
function die({ crash }: DoorOptions, { downMs }: { readonly downMs: number }): Promise<never> {
  crash(downMs);
  return never();
}

/** The API server as one process sees it. */
export function apiDoor(client: KubernetesClient, options: DoorOptions): KubernetesClient {
  const { clock, network, pace, watches } = options;

  async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await clock.sleep(ms, signal).catch((cause: unknown) => {
      throw new ApiError('the request was aborted', { code: 0, reason: 'Aborted', cause });
    });
    if (options.isDead()) await never();
  }

  /** Sends a request, whatever happens to the process, unless the process gives the request up. */
  async function travel(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await network.sleep(ms, signal).catch(() => wait(0, signal));
    if (options.isDead()) await never();
  }

  async function ask<T>(
    { verb, kind, target, about }: ApiCall,
    signal: AbortSignal | undefined,
    effect: () => Promise<T>,
  ): Promise<T> {
    if (options.isDead()) return never();
    const isWrite = verb !== 'get' && verb !== 'list';
    if (isWrite && kind.kind !== 'Lease') options.checkLease();
    const sentAtMs = clock.elapsedMs();
    const call = {
      system: 'api',
      verb,
      target: `${kind.kind} ${target}`.trimEnd(),
      isWrite,
      sentAtMs,
      ...(about && { about: { kind, ...about } }),
    };
    const isConditional = about?.preconditions?.resourceVersion !== undefined;
    const named = { call: `${verb} ${call.target}`, system: 'api', isWrite, isConditional };
    const { fault, there, back } = options.next(named);
    const slow = fault?.type === 'slow' ? fault : { thereMs: 0, backMs: 0 };
    if (fault?.type === 'crash' && fault.when === 'before') return die(options, fault);
    if (slow.thereMs > requestTimeoutMs) {
      // The answer is not waited for; the request arrives all the same.
      const late = async (): Promise<unknown> => options.carryOut(call, effect);
      clock
        .sleep(slow.thereMs)
        .then(late)
        .catch(() => {});
      await wait(requestTimeoutMs, signal);
      throw tooLate();
    }
    await travel(there * pace.requestMs + slow.thereMs, signal);
    const isGone = options.isOut('api') || (verb === 'list' && options.isMissing(kind.kind));
    if (isGone || fault?.type === 'unreachable') throw noConnection();
    if (fault?.type === 'page') throw pages[fault.code];
    if (fault?.type === 'refused' && (fault.code !== 409 || isConditional)) throw refusal(fault, call.target);
    let answer = options.carryOut(call, effect) as Promise<T>;
    if (fault?.type === 'twice' && isWrite) {
      await answer.catch(() => {});
      answer = options.carryOut({ ...call, isRepeated: true }, effect) as Promise<T>;
    }
    const [settled] = await Promise.allSettled([answer]);
    if (fault?.type === 'crash') return die(options, fault);
    if (slow.backMs > requestTimeoutMs) {
      await wait(requestTimeoutMs, signal);
      throw tooLate();
    }
    await wait(back * pace.requestMs + slow.backMs, signal);
    if (fault?.type === 'answer lost') throw noConnection();
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  }

  return {
    serverVersion: (signal) => client.serverVersion(signal),
    serves: (kind, signal) => client.serves(kind, signal),
    get: (kind, key, signal) =>
      ask({ verb: 'get', kind, target: objectKeyText(key) }, signal, () => client.get(kind, key)),
    list: (kind, given, signal) =>
      ask({ verb: 'list', kind, target: given.fieldSelector ?? '' }, signal, () => client.list(kind, given)),
    create: (kind, object, signal) =>
      ask(objectCall('create', kind, object.metadata, object), signal, () => client.create(kind, object)),
    patch(kind, key, patch, given, signal) {
      const verb = given?.subresource === 'status' ? 'update-status' : 'update';
      return ask(objectCall(verb, kind, key, patch), signal, () => client.patch(kind, key, patch, given));
    },
    apply: (kind, key, fields, given, signal) =>
      ask(objectCall('apply', kind, key, fields), signal, () => client.apply(kind, key, fields, given)),
    replace: (kind, object, signal) =>
      ask(objectCall('replace', kind, object.metadata, object), signal, () => client.replace(kind, object)),
    delete: (kind, key, preconditions, signal) => {
      const call = objectCall('delete', kind, key);
      return ask({ ...call, about: { ...call.about, preconditions } }, signal, () =>
        client.delete(kind, key, preconditions),
      );
    },
    watch<T>(kind: Kind, given: Parameters<KubernetesClient['watch']>[1]) {
      return new Observable<WatchEvent<T>>((subscriber) => {
        const { there } = options.next({
          call: `watch ${kind.kind}`,
          system: 'api',
          isWrite: false,
          isConditional: false,
        });
        const opening = clock.scheduler.schedule(() => {
          if (options.isDead()) return;
          if (options.isOut('api') || options.isMissing(kind.kind)) {
            subscriber.error(noConnection());
            return;
          }
          const line = watches.open(kind, subscriber);
          subscriber.add(line);
          subscriber.add(
            client.watch(kind, { ...given, onOpen: () => {} }).subscribe({
              next: (event) => line.tell(event as WatchEvent<unknown>),
              error: (error: unknown) => line.fail(error),
              complete: () => line.end(),
            }),
          );
          if (!subscriber.closed) given.onOpen?.();
        }, there * pace.requestMs);
        subscriber.add(opening);
      }) as never;
    },
  };
}

interface ApiCall {
  readonly verb: string;
  readonly kind: Kind;
  readonly target: string;
  readonly about?: Omit<About, 'kind'>;
}

/** A request about one object; what it says of UID and version are its preconditions. */
function objectCall(verb: string, kind: Kind, key: ObjectKey, body?: object) {
  const { uid, resourceVersion } = (body as Partial<KubernetesObject> | undefined)?.metadata ?? {};
  return {
    verb,
    kind,
    target: objectKeyText(key),
    about: { key: objectKey(key), ...(body && { body }), preconditions: { uid, resourceVersion } },
  };
}

/** Statuses are what a gateway answers; PostgreSQL knows none. */
const hasStatuses = (system: string): boolean => system !== 'postgresql';

/** External systems as one process reaches them. */
export function outsideDoor(options: DoorOptions): CarryOutside {
  const { clock, network, pace } = options;

  async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await clock.sleep(ms, signal);
    if (options.isDead()) await never();
  }

  return async (call, effect) => {
    if (options.isDead()) return never();
    const { system, verb, target, isWrite, isTentative = false, signal } = call;
    const { fault, there, back } = options.next({
      call: `${verb} ${system} ${target}`,
      system,
      isWrite,
      isConditional: false,
    });
    if (fault?.type === 'crash' && fault.when === 'before') return die(options, fault);
    const sentAtMs = clock.elapsedMs();
    const slow = fault?.type === 'slow' ? fault : { thereMs: 0, backMs: 0 };
    await network.sleep(there * pace.outsideMs + slow.thereMs, signal);
    if (options.isDead()) await never();
    if (options.isOut(system)) throw connectionRefused(system);
    if (fault?.type === 'unreachable') throw connectionCut();
    if (fault?.type === 'page') {
      if (!hasStatuses(system)) throw connectionCut();
      return gatewayReply(fault.code);
    }
    if (fault?.type === 'refused') {
      if (!hasStatuses(system)) throw connectionCut();
      return gatewayReply(fault.code === 409 ? 502 : fault.code, {
        retryAfter: fault.code === 429 ? 1 : undefined,
      });
    }
    const carried = async (): Promise<unknown> =>
      options.carryOut({ system, verb, target, isWrite, isTentative, sentAtMs }, effect);
    const [settled] = await Promise.allSettled([carried()]);
    if (fault?.type === 'crash') return die(options, fault);
    if (fault?.type === 'answer lost') {
      if (slow.backMs > 0) return noAnswer(signal);
      throw connectionCut();
    }
    await wait(back * pace.outsideMs + slow.backMs, signal);
    if (settled.status === 'rejected') throw settled.reason;
    return fault?.type === 'garbled' ? garbled(settled.value as CarriedReply, fault.garble) : settled.value;
  };
}
