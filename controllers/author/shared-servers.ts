import { objectProblem } from '../../apis/core/forms.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import type { ServerOptions } from '../../clients/shared-connections.ts';
import { boundedCache } from '../../runtime/bounded-cache.ts';
import { annotate } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import { firstInFirstOut, turnsByGroup } from '../../runtime/time/turns-by-group.ts';
import { awaitAuthor } from '../border.ts';
import { heldCredentials } from '../provider/credential-sources.ts';
import { providerOf } from '../provider/provider-choice.ts';
import type { ProviderKinds } from '../provider/provider-credentials.ts';
import { providerFacts, providerFinder } from '../provider/provider-credentials.ts';
import type { HolderOf } from './mark-holders.ts';
import type { PasswordChecks } from './password-checks.ts';
import { createPasswordChecks } from './password-checks.ts';
import type { ServerSurvey } from './server-survey.ts';
import { noSurvey } from './server-survey.ts';

/** More servers than this are rare. A server that is dropped from the cache is only connected again. */
const maxServers = 100;

/** The options of a survey of a server. */
export interface SurveyOptions<C, S> {
  readonly server: S;
  readonly credentials: C;
  /** Reports about the server on the provider: a tenant does not see that. */
  readonly report: (event: EventFacts) => void;
  readonly clock: Pick<Clock, 'elapsedMs'>;
}

export interface SharedServersOptions<C extends object, S> {
  /** Parses the entries of the credentials. Throws an Error that names the wrong entry and never its value. */
  readonly parse: (entries: ConnectionDetails) => C;
  /** The resource that has a mark on a server. */
  readonly holderOf: HolderOf;
  /** Called once for each credentials. */
  readonly open: (options: ServerOptions<C> & { readonly holderOf: HolderOf; readonly clock: Clock }) => S;
  /** The survey of a server. Not called in a process that changes nothing. */
  readonly survey: (options: SurveyOptions<C, S>) => ServerSurvey;
}

/** A server, and what its external clients share. */
export interface SharedServer<C extends object, S> {
  readonly server: S;
  readonly credentials: C;
  readonly survey: ServerSurvey;
  /** Of the accounts of all servers of the process. */
  readonly checks: PasswordChecks;
  readonly holderOf: HolderOf;
}

/**
 * Returns the server of a managed resource, such as a database server with its connections. There is one object for each
 * credentials, for any number of managed resources and providers. While calls wait for a connection, the namespaces of the
 * claims take turns.
 *
 * Changed credentials get a new object at the next reconcile. The previous one must finish its calls by itself. Throws an
 * Error that names a missing field, or the Secret with the wrong value.
 */
export function sharedServers<C extends object, S extends { readonly usedBy: (group: string) => S }>(
  env: Environment,
  kinds: ProviderKinds,
  { parse, holderOf, open, survey }: SharedServersOptions<C, S>,
): (managed: Managed) => Promise<SharedServer<C, S>> {
  const { clock, random, checkLease, isObserveOnly = false } = env;
  const read = providerFacts(env, kinds);
  const find = providerFinder(env, kinds);
  const checks = createPasswordChecks(env);
  const servers = boundedCache<SharedServer<C, S>>(maxServers);
  const tellProvider = (managed: Managed, event: EventFacts): void => {
    const { kind, name } = providerOf(managed);
    const { provider } = find(managed) ?? {};
    if (provider !== undefined) env.events.record(provider, event);
    const { type, reason, message } = event;
    env.log[type === 'Warning' ? 'warn' : 'info'](message, { reason, provider: `${kind}/${name}` });
  };
  const opened = (managed: Managed, credentials: C): SharedServer<C, S> => {
    const server = open({
      credentials,
      clock,
      random,
      holderOf,
      isReadOnly: isObserveOnly,
      mayGoOn: () => checkLease?.(),
      createLine: (isWaiting) => turnsByGroup(() => firstInFirstOut(isWaiting)),
    });
    const report = (event: EventFacts) => tellProvider(managed, event);
    const surveying = isObserveOnly ? noSurvey : survey({ server, credentials, report, clock });
    return { server, credentials, survey: surveying, checks, holderOf };
  };
  return async (managed) => {
    const held = heldCredentials((await read(managed)).credentials);
    const parsing = awaitAuthor({ name: 'parse' }, () => parse(held.entries()), objectProblem);
    const credentials = await annotate(`cannot use ${held.origin}`, parsing);
    const key = JSON.stringify(Object.entries(credentials).toSorted());
    const found = servers.get(key) ?? opened(managed, credentials);
    servers.set(key, found);
    return { ...found, server: found.server.usedBy(managed.spec.claimRef?.namespace ?? '') };
  };
}
