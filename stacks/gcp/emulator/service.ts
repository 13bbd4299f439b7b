import type { Problem } from './problem.ts';

/** One call of a method. `path` has the values of the placeholders in the template. */
export interface Call {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body's JSON; throws Problem. */
  readonly json: () => unknown;
}

/** A method of an API. */
export interface Route {
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** For example `/v1/projects/{project}/topics/{topic}`. */
  readonly template: string;
  /** The permission that the caller needs in the project. */
  readonly permission: string;
  /** The names of its query parameters, in camel case. */
  readonly query?: readonly string[];
  /** Returns the reply. Throws Problem. */
  act(call: Call): object;
}

/** One of Google's APIs. */
export interface Service {
  /** For example `redis.googleapis.com`. */
  readonly name: string;
  readonly title: string;
  readonly routes: readonly Route[];
  /** A token needs one of these scopes to read, or to write. */
  readonly scopes: { readonly read: readonly string[]; readonly write: readonly string[] };
  /** The error for a missing permission. */
  denied(permission: string, resource: string): Problem;
  /** The error for an unknown project. */
  noProject(project: string): Problem;
}
