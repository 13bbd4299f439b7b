/** Requests an API server has answered so far. */
export interface ApiRequests {
  readonly eventWrites: number;
  /** Objects read one by one. */
  readonly reads: number;
  /** Writes refused with 409, because the object had changed or existed. */
  readonly conflicts: number;
}

const writeVerbs = ['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'];

/** Counts in the text of an API server's `/metrics`. */
export function apiRequestsIn(metrics: string): ApiRequests {
  let eventWrites = 0;
  let conflicts = 0;
  let reads = 0;
  for (const [, labels = '', value] of metrics.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    if (label('verb') === 'GET' && label('resource') !== '') reads += Number(value);
    if (!writeVerbs.includes(label('verb'))) continue;
    if (label('resource') === 'events') eventWrites += Number(value);
    if (label('code') === '409') conflicts += Number(value);
  }
  return { eventWrites, conflicts, reads };
}
