import type { CloudCollection, HttpClientOptions } from '../../../../../http.ts';
import { cloudCollection, httpClient } from '../../../../../http.ts';
import { z } from '../../../../../schema.ts';

const tinyGadgetSchema = z.object({
  name: z.string(),
  size: z.int(),
  version: z.string(),
  /** One of {@link toyShopStates}, or a state that the cloud adds in the future. */
  state: z.string(),
  username: z.string(),
  /** Null during the creation. */
  endpoint: z.object({ host: z.string(), port: z.int() }).nullable(),
  tags: z.record(z.string(), z.string()).default({}),
});

/** A tiny gadget in the cloud's answers. */
export type CloudTinyGadget = z.output<typeof tinyGadgetSchema>;

export interface NewTinyGadget {
  readonly name: string;
  readonly size: number;
  /** Absent: the cloud chooses. */
  readonly version?: string;
  /** The cloud never returns it. */
  readonly password: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** The fields that can be changed. Tags are replaced as a whole. */
export type TinyGadgetChange = Partial<Pick<NewTinyGadget, 'size' | 'password' | 'tags'>>;

/** The cloud's names of the states that this client handles. */
export const toyShopStates = { creating: 'CREATING', online: 'ONLINE', deleting: 'DELETING' };

/** Toy Shop's API. It has nothing to do with Kubernetes. */
export interface ToyShopClient {
  readonly tinyGadgets: CloudCollection<CloudTinyGadget, NewTinyGadget, TinyGadgetChange>;
}

/** Toy Shop over HTTP. The paths, error codes and pages are those of its documentation. */
export function toyShopClient(options: Omit<HttpClientOptions, 'cloud'>): ToyShopClient {
  const http = httpClient({ ...options, cloud: 'Toy Shop' });
  return {
    tinyGadgets: cloudCollection<CloudTinyGadget, NewTinyGadget, TinyGadgetChange>({
      http,
      noun: 'tiny gadget',
      path: '/v1/tiny-gadgets',
      missingCode: 'TinyGadgetNotFound',
      schema: tinyGadgetSchema,
      page: ({ items, next }) => ({ items, next: typeof next === 'string' ? { page: next } : undefined }),
      pageSize: { limit: '500' },
      secretOf: ({ password }) => password,
      nameOf: ({ name }) => name,
      idOf: ({ name }) => name,
    }),
  };
}
