import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A request that the API server took, as its audit log has it. */
export interface AuditedRequest {
  readonly user: string;
  readonly verb: string;
  /** `group/resource`, with `/subresource` where there is one. */
  readonly resource: string;
  readonly namespace: string;
  /** HTTP status. */
  readonly code: number;
}

/** Where an API server notes every request about objects. */
export interface AuditLog {
  /** For `startControlPlane`. */
  readonly apiServerFlags: Readonly<Record<string, string>>;
  /** All requests so far, watches included. */
  requests(): Promise<readonly AuditedRequest[]>;
  remove(): Promise<void>;
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

export async function createAuditLog(): Promise<AuditLog> {
  const directory = await mkdtemp(join(tmpdir(), 'services-stack-audit-'));
  const [policyFile, logFile] = [join(directory, 'policy.json'), join(directory, 'audit.log')];
  await writeFile(policyFile, JSON.stringify(policy));
  // Two API servers write to one file. They append to a file that exists, and overwrite one that they create.
  await writeFile(logFile, '');
  return {
    apiServerFlags: { 'audit-policy-file': policyFile, 'audit-log-path': logFile },
    async requests() {
      const lines = (await readFile(logFile, 'utf8')).split('\n');
      return lines
        .slice(0, -1) // the last one is empty, or being written
        .map((line) => JSON.parse(line) as AuditEvent)
        .flatMap(({ verb, user, objectRef, responseStatus }) => {
          if (objectRef?.resource === undefined) return [];
          const { apiGroup = '', resource, subresource, namespace = '' } = objectRef;
          return [
            {
              user: user.username,
              verb,
              resource: `${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`,
              namespace,
              code: responseStatus?.code ?? 0,
            },
          ];
        });
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
