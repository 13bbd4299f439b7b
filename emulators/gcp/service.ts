import type { Problem } from './problem.ts';

/** One call of a method, with what the path holds in the places of its template. */
export interface Call {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body's JSON; throws Problem. */
  readonly json: () => unknown;
}

/** A method of an API. */
export interface Route {
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As `/v1/projects/{project}/topics/{topic}`. */
  readonly template: string;
  /** What a caller must be allowed in the project. */
  readonly permission: string;
  /** Names of the query that it takes, in JSON's spelling. */
  readonly query?: readonly string[];
  /** What it answers; throws Problem. */
  act(call: Call): object;
}

/** One of Google's APIs. */
export interface Service {
  /** As `redis.googleapis.com`. */
  readonly name: string;
  readonly title: string;
  readonly routes: readonly Route[];
  /** What a token must be for one of, to read and to write. */
  readonly scopes: { readonly read: readonly string[]; readonly write: readonly string[] };
  /** How it says that the caller may not do this. */
  denied(permission: string, resource: string): Problem;
  /** How it says that there is no such project. */
  noProject(project: string): Problem;
}
