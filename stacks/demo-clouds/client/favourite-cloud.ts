import { z } from 'zod';
import type { CloudCollection, HttpClientOptions } from '../../../package/http.ts';
import { cloudCollection, httpClient } from '../../../package/http.ts';
import type { ExternalErrorClass } from '../../../package/stack.ts';

/** A longer text is the answer of something else, such as a gateway. */
const text = z.string().max(1_000);

const tags = z.record(text, text);

const instanceSchema = z.object({
  id: z.int(),
  name: text,
  fanciness_level: z.int(),
  version: text,
  /** `CREATING`, `ONLINE`, `DELETING`, or a later state of the cloud. */
  status: text,
  /** The address of the instance; absent while it is being created. */
  hostname: text.optional(),
  port: z.int().optional(),
  username: text.optional(),
  database: text.optional(),
  tags: tags.default({}),
  network_id: text.optional(),
});
/** The states of the cloud that this client knows. */
export const favouriteCloudStates = { creating: 'CREATING', online: 'ONLINE', deleting: 'DELETING' };

export type Instance = z.output<typeof instanceSchema>;

export interface NewInstance {
  readonly name: string;
  readonly fanciness_level: number;
  /** If it is absent, the cloud chooses. */
  readonly version?: string;
  /** The cloud never returns it. */
  readonly password: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly network_id?: string;
}

/**
 * The fields that can be changed. Tags are replaced as a whole. An instance can join a network, and cannot leave it.
 */
export type InstanceChange = Partial<
  Pick<NewInstance, 'fanciness_level' | 'password' | 'tags' | 'network_id'>
>;

const networkSchema = z.object({
  /** The id that the cloud assigned. */
  id: text,
  display_name: text.default(''),
  cidr: text,
  status: text,
  tags: tags.default({}),
});
export type CloudNetwork = z.output<typeof networkSchema>;

export interface NewNetwork {
  readonly display_name?: string;
  /** For example `10.0.0.0/16`. If it is absent, the cloud chooses. */
  readonly cidr?: string;
  readonly tags?: Readonly<Record<string, string>>;
}
export type NetworkChange = Pick<NewNetwork, 'display_name' | 'tags'>;

/** A client of Favourite Cloud's API. */
export interface FavouriteCloudClient {
  readonly instances: CloudCollection<Instance, NewInstance, InstanceChange>;
  /** By id. */
  readonly networks: CloudCollection<CloudNetwork, NewNetwork, NetworkChange>;
}

export type FavouriteCloudOptions = Omit<HttpClientOptions, 'cloud'>;

/** The codes of a 409 answer that is no conflict. */
const errorClasses: Readonly<Record<string, ExternalErrorClass>> = {
  InstanceQuotaExceeded: 'QuotaExceeded',
  InUse: 'NotReady',
  NotReady: 'NotReady',
};

export function favouriteCloudClient(options: FavouriteCloudOptions): FavouriteCloudClient {
  const http = httpClient({ ...options, cloud: 'Favourite Cloud', errorClasses });
  const pageSize = { page_size: '500' };
  const nextPage = ({ next_page_token: token }: Readonly<Record<string, unknown>>) =>
    typeof token === 'string' && token !== '' ? { page_token: token } : undefined;
  return {
    instances: cloudCollection<Instance, NewInstance, InstanceChange>({
      http,
      noun: 'instance',
      path: '/v1/instances',
      missingCode: 'InstanceNotFound',
      schema: instanceSchema,
      page: (answer) => ({ items: answer.instances, next: nextPage(answer) }),
      pageSize,
      secretOf: ({ password }) => password,
      nameOf: ({ name }) => name,
      idOf: ({ name }) => name,
    }),
    networks: cloudCollection<CloudNetwork, NewNetwork, NetworkChange>({
      http,
      noun: 'network',
      path: '/v1/networks',
      missingCode: 'NetworkNotFound',
      schema: networkSchema,
      page: (answer) => ({ items: answer.networks, next: nextPage(answer) }),
      pageSize,
      nameOf: () => undefined,
      idOf: ({ id }) => id,
    }),
  };
}
