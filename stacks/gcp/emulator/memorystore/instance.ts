import { X509Certificate } from 'node:crypto';
import type { SelfSignedCertificate } from '../../../../package/testing.ts';
import type { Message } from '../message.ts';
import type { StoredOperation } from '../operations.ts';
import { timestamp } from '../operations.ts';
import { projectNumber } from '../project-number.ts';
import type { RedisSettings } from './redis-backend.ts';

/** An instance, as the emulator stores it. */
export interface StoredInstance {
  /** For example `projects/p/locations/l/instances/i`. */
  readonly name: string;
  readonly project: string;
  readonly region: string;
  /** The fields of the request, with the defaults of the API. */
  readonly fields: Message;
  readonly createdAtMs: number;
  readonly ipRange: string;
  /** Set when the instance is provisioned. */
  readonly host?: string;
  readonly port?: number;
  /** Set while AUTH is enabled. */
  readonly authString?: string;
  /** Set if the instance accepts TLS only; both values are PEM. */
  readonly tls?: SelfSignedCertificate;
}

export type InstanceOperation = StoredOperation<StoredInstance>;

/** Where clients reach an instance. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The address of an instance without a real Redis: the fourth address of its range, and the port of Memorystore. */
export function plannedAddress({ ipRange, tls }: StoredInstance): Address {
  const [a, b, c, d] = ipRange.replace(/\/.*/, '').split('.').map(Number);
  return { host: `${a}.${b}.${c}.${(d ?? 0) + 3}`, port: tls === undefined ? 6379 : 6378 };
}

/** The settings of the real Redis behind an instance. */
export function redisSettings({ fields, authString, port, tls }: StoredInstance): RedisSettings {
  const given = (fields.redisConfigs ?? {}) as Readonly<Record<string, string>>;
  const { 'maxmemory-gb': maxmemoryGb, ...configs } = given;
  return {
    ...(authString !== undefined && { authString }),
    memoryBytes: Math.floor(Number(maxmemoryGb ?? fields.memorySizeGb) * 2 ** 30),
    configs,
    ...(port !== undefined && { port }),
    ...(tls !== undefined && { tls }),
  };
}

/** The `state` of an instance while an operation with this verb runs; undefined: none runs. */
export function stateDuring(verb: InstanceOperation['verb'] | undefined): string {
  if (verb === undefined) return 'READY';
  return { create: 'CREATING', update: 'UPDATING', upgrade: 'UPDATING', delete: 'DELETING' }[verb];
}

/** `Instance` of the API. Fields with the default value of their type are omitted, as protocol buffers do in JSON. */
export function instanceJson(instance: StoredInstance, state: string): Message {
  const { name, project, fields, createdAtMs, host, port, ipRange, tls } = instance;
  const zones = [fields.locationId, fields.alternativeLocationId].filter((zone) => zone !== undefined);
  const all = {
    name,
    ...fields,
    reservedIpRange: fields.reservedIpRange ?? ipRange,
    currentLocationId: fields.locationId,
    createTime: timestamp(createdAtMs),
    state,
    host,
    port,
    persistenceIamIdentity: `serviceAccount:${projectNumber(project)}-compute@developer.gserviceaccount.com`,
    serverCaCerts: tls === undefined || host === undefined ? [] : [certificateJson(tls.certificate)],
    nodes: host === undefined ? [] : zones.map((zone, index) => ({ id: `node-${index}`, zone })),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => !isDefault(value)));
}

/** `TlsCertificate` of the API. */
function certificateJson(cert: string): object {
  const { serialNumber, fingerprint, validFromDate, validToDate } = new X509Certificate(cert);
  return {
    serialNumber,
    cert,
    createTime: timestamp(validFromDate.getTime()),
    expireTime: timestamp(validToDate.getTime()),
    sha1Fingerprint: fingerprint.replaceAll(':', '').toLowerCase(),
  };
}

const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
