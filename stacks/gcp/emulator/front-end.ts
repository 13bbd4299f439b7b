import type { Fault, Faults, LoopbackReply, LoopbackRequest } from '../../../package/testing.ts';
import type { AccessTokens, Caller } from './access-tokens.ts';
import { camelCase, parseBody } from './message.ts';
import { invalid } from './problem.ts';
import { failure, notEnabled, outOfScope, tooManyRequests } from './refusals.ts';
import { errorReply, jsonReply, pageReply } from './replies.ts';
import type { FindRoute, Match } from './routes.ts';
import { resourceOf } from './routes.ts';
import type { Route } from './service.ts';
import type { ServiceAccounts } from './service-accounts.ts';

export interface FrontEndOptions {
  readonly findRoute: FindRoute;
  readonly tokens: AccessTokens;
  readonly accounts: Pick<ServiceAccounts, 'isProject' | 'may'>;
  /** Names of APIs that are not enabled. */
  readonly disabled: readonly string[];
  readonly faults: Pick<Faults, 'take'>;
  /** The fault of a request by the failure rate. */
  readonly randomFault: () => Fault | undefined;
  /** How many seconds to wait before the next request; 0: the request may pass. */
  readonly waitSeconds: () => number;
  /** Counts a request, by method and path template. */
  readonly count: (method: string, template: string) => void;
  /** Ends the operations that have run long enough. */
  readonly settle: () => void;
  readonly save: () => void;
}

/** The query parameters of every method. They are in the discovery documents of the APIs. */
const systemParameters = [
  ...['$.xgafv', '$alt', '$prettyPrint', 'accessToken', 'access_token', 'alt', 'callback', 'fields', 'key'],
  ...['oauth_token', 'prettyPrint', 'quotaUser', 'uploadType', 'upload_protocol'],
];

/** Answers every request: authenticates and authorizes the caller, injects faults, and calls the method of the API. */
export function frontEnd(options: FrontEndOptions): (request: LoopbackRequest) => Promise<LoopbackReply> {
  return (request) => answer(options, request).catch(errorReply);
}

async function answer(
  options: FrontEndOptions,
  { method, target, headers, body }: LoopbackRequest,
): Promise<LoopbackReply> {
  const { findRoute, faults, randomFault, tokens } = options;
  const url = new URL(target, 'http://cloud');
  const isToken = url.pathname === '/token';
  const match = findRoute(method, url.pathname);
  const template = isToken ? '/token' : (match?.route.template ?? '(unknown)');
  options.count(method, template);
  const text = await body();
  options.settle();

  const fault = faults.take(method, template) ?? randomFault();
  if (fault?.kind === 'hang') return 'never';
  if (fault?.kind === 'cut') return 'cut';
  if (fault?.kind === 'fail') throw failure(fault);
  if (fault?.kind === 'gateway') return pageReply(fault.status ?? 502);
  const result = isToken
    ? method === 'POST' && tokens.exchange(new URLSearchParams(text))
    : match !== undefined && callMethod(options, match, { url, text, authorization: headers.authorization });
  if (result === false) return pageReply(404, url.pathname);
  if (!isToken && method !== 'GET') options.save();
  if (fault?.kind === 'stall') return 'never';
  if (fault?.kind === 'loseResponse') {
    if (fault.status !== undefined) throw failure(fault);
    return 'cut';
  }
  return jsonReply(200, result);
}

interface ApiRequest {
  readonly url: URL;
  /** The body. */
  readonly text: string;
  readonly authorization: string | undefined;
}

/** Throws Problem. */
function callMethod(
  options: FrontEndOptions,
  match: Match,
  { url, text, authorization }: ApiRequest,
): object {
  const { service, route, path } = match;
  authorize(options, match, options.tokens.authenticate(authorization));
  if (options.waitSeconds() > 0) {
    throw tooManyRequests(service, { project: String(path.project), isRead: route.verb === 'GET' });
  }
  return route.act({ path, query: queryOf(url, route), json: () => parseBody(text) });
}

/** Throws Problem if the API is disabled, the scopes of the token do not suffice, or a role of the account is missing. */
function authorize({ accounts, disabled }: FrontEndOptions, match: Match, { email, scopes }: Caller): void {
  const { service, route, path } = match;
  const project = String(path.project);
  const accepted = route.verb === 'GET' ? service.scopes.read : service.scopes.write;
  const has = (scope: string): boolean =>
    scopes?.includes(`https://www.googleapis.com/auth/${scope}`) ?? true;
  if (!accepted.some(has)) throw outOfScope(service);
  if (!accounts.isProject(project)) throw service.noProject(project);
  if (disabled.includes(service.name)) throw notEnabled(service, project);
  if (!accounts.may(email, route.permission, project)) {
    throw service.denied(route.permission, resourceOf(match));
  }
}

/** The query, with names in camel case. Throws Problem for a parameter that the method does not have. */
function queryOf({ searchParams }: URL, route: Route): URLSearchParams {
  for (const name of searchParams.keys()) {
    if (systemParameters.includes(name) || route.query?.includes(camelCase(name))) continue;
    throw invalid(
      '',
      `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`,
    );
  }
  return new URLSearchParams(
    [...searchParams].map(([name, value]): [string, string] => [camelCase(name), value]),
  );
}
