import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditedRequest } from '../cluster/audit-trail.ts';
import { auditTrail } from '../cluster/audit-trail.ts';

/** Where an API server notes every request about objects. */
export async function createAuditLog() {
  const directory = await mkdtemp(join(tmpdir(), 'services-stack-audit-'));
  const { apiServerFlags, fresh } = await auditTrail(directory);
  const all: AuditedRequest[] = [];
  return {
    apiServerFlags,
    /** All requests so far, watches included. Their resource is `group/resource`, with `/subresource` if there is one. */
    async requests(): Promise<readonly AuditedRequest[]> {
      for (const request of await fresh()) all.push({ ...request, resource: byGroup(request.resource) });
      return [...all];
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** `resource.group/subresource` as `group/resource/subresource`. */
const byGroup = (text: string): string => text.replace(/^([^./]+)\.?([^/]*)/, '$2/$1');
