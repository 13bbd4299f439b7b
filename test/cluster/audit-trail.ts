import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A request that the API server has answered, as its audit log has it. */
export interface AuditedRequest {
  readonly user: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`. */
  readonly verb: string;
  /** `resource.group`, with `/subresource` where there is one. */
  readonly resource: string;
  /** Empty for objects without one, and for requests about all namespaces. */
  readonly namespace: string;
  /** `namespace/name`, as far as the request named it. */
  readonly key: string;
  /** When it arrived and when it was answered, in ms since 1970. */
  readonly receivedMs: number;
  readonly answeredMs: number;
  /** HTTP status; 0 if there was none. */
  readonly code: number;
  /** Of writes of leases: whom they name. */
  readonly holder?: string;
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly requestObject?: { readonly spec?: { readonly holderIdentity?: string } };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [
    { level: 'Request', resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }] },
    { level: 'Metadata' },
  ],
};

/** One line of an audit log; undefined if it is about no object. */
function auditedRequest(line: string): AuditedRequest | undefined {
  const event = JSON.parse(line) as AuditEvent;
  const { objectRef, requestObject, responseStatus } = event;
  if (objectRef?.resource === undefined) return undefined;
  const { apiGroup, resource, subresource, namespace, name } = objectRef;
  const holder = requestObject?.spec?.holderIdentity;
  return {
    user: event.user.username,
    verb: event.verb,
    resource: `${resource}${apiGroup ? `.${apiGroup}` : ''}${subresource ? `/${subresource}` : ''}`,
    namespace: namespace ?? '',
    key: [namespace, name].filter((part) => part !== undefined).join('/'),
    receivedMs: Date.parse(event.requestReceivedTimestamp),
    answeredMs: Date.parse(event.stageTimestamp),
    code: responseStatus?.code ?? 0,
    ...(resource === 'leases' && { holder: holder ?? '' }),
  };
}

/** The audit log of an API server, read as it grows in this directory. */
export async function auditTrail(directory: string) {
  const [policyFile, logFile] = [join(directory, 'audit-policy.json'), join(directory, 'audit.log')];
  await writeFile(policyFile, JSON.stringify(policy));
  // Two API servers write to one file. They append to a file that exists, and overwrite one that they create.
  await writeFile(logFile, '');
  let position = 0;
  let rest = '';
  return {
    apiServerFlags: {
      'audit-policy-file': policyFile,
      'audit-log-path': logFile,
      // One file, however long: a rotated one would be lost to us.
      'audit-log-maxsize': '100000',
    },
    /** The entries since the last call, in the order of their answers. */
    async fresh(): Promise<readonly AuditedRequest[]> {
      const file = await open(logFile, 'r').catch(() => undefined);
      if (file === undefined) return [];
      try {
        const { size } = await file.stat();
        const buffer = Buffer.alloc(size - position);
        await file.read(buffer, 0, buffer.length, position);
        position = size;
        const lines = (rest + buffer.toString('utf8')).split('\n');
        rest = lines.pop() ?? '';
        return lines.flatMap((line) => requestIn(line) ?? []);
      } finally {
        await file.close();
      }
    },
  };
}

/** A server that is killed may leave half a line. */
function requestIn(line: string): AuditedRequest | undefined {
  try {
    return auditedRequest(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
