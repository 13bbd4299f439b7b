import type { CloudCollection, HttpClientOptions } from '../../../../http.ts';
import { cloudCollection, httpClient } from '../../../../http.ts';
import { z } from '../../../../schema.ts';

const tinyGadgetSchema = z.object({
  name: z.string(),
  size: z.int(),
  version: z.string(),
  /** One of {@link toyShopStates}, or what the cloud comes up with one day. */
  state: z.string(),
  username: z.string(),
  /** Null while it is being made. */
  endpoint: z.object({ host: z.string(), port: z.int() }).nullable(),
  tags: z.record(z.string(), z.string()).default({}),
});

/** A tiny gadget as the cloud tells of it. */
export type CloudTinyGadget = z.output<typeof tinyGadgetSchema>;

export interface NewTinyGadget {
  readonly name: string;
  readonly size: number;
  /** The cloud chooses if it is absent. */
  readonly version?: string;
  /** Never given out again. */
  readonly password: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** What can be changed. Tags are replaced as a whole. */
export type TinyGadgetChange = Partial<Pick<NewTinyGadget, 'size' | 'password' | 'tags'>>;

/** The cloud's words for the states that mean something to us. */
export const toyShopStates = { creating: 'CREATING', online: 'ONLINE', deleting: 'DELETING' };

/** Toy Shop's API. It knows nothing of Kubernetes. */
export interface ToyShopClient {
  readonly tinyGadgets: CloudCollection<CloudTinyGadget, NewTinyGadget, TinyGadgetChange>;
}

/** Toy Shop over HTTP. What is listed here is what its documentation says: paths, codes of errors, pages. */
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
