import { z } from 'zod';
import type { CloudCollection, HttpClientOptions } from '../../../package/http.ts';
import { cloudCollection, httpClient } from '../../../package/http.ts';

/** A longer text is the answer of something else, such as a gateway. */
const text = z.string().max(1_000);

const databaseSchema = z.object({
  uuid: text,
  databaseName: text,
  ambivalence: z.int(),
  engineVersion: text,
  /** `Provisioning`, `Available`, `Terminating`, or a later state of the cloud. */
  state: text,
  /** Null while it is being provisioned. */
  endpoint: z.object({ host: text, port: z.int() }).nullable(),
  adminUser: text,
  labels: z.record(text, text).default({}),
});
export type Database = z.output<typeof databaseSchema>;

export interface NewDatabase {
  readonly databaseName: string;
  readonly ambivalence: number;
  /** If it is absent, the cloud chooses. */
  readonly engineVersion?: string;
  /** The cloud never returns it. */
  readonly adminPassword: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The fields that can be changed. Labels are replaced as a whole. */
export type DatabaseChange = Partial<Pick<NewDatabase, 'ambivalence' | 'adminPassword' | 'labels'>>;

/** A client of Other Cloud's API. */
export interface OtherCloudClient {
  readonly databases: CloudCollection<Database, NewDatabase, DatabaseChange>;
}

export type OtherCloudOptions = Omit<HttpClientOptions, 'cloud'>;

export function otherCloudClient(options: OtherCloudOptions): OtherCloudClient {
  const http = httpClient({ ...options, cloud: 'Other Cloud' });
  return {
    databases: cloudCollection<Database, NewDatabase, DatabaseChange>({
      http,
      noun: 'database',
      path: '/v2/databases',
      missingCode: 'DatabaseNotFound',
      schema: databaseSchema,
      page: ({ databases, nextCursor }) => ({
        items: databases,
        next: typeof nextCursor === 'string' ? { cursor: nextCursor } : undefined,
      }),
      pageSize: { pageSize: '500' },
      secretOf: ({ adminPassword }) => adminPassword,
      nameOf: ({ databaseName }) => databaseName,
      idOf: ({ databaseName }) => databaseName,
    }),
  };
}
