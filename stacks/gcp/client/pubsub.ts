import { z } from 'zod';
import type { HttpClient } from '../../../package/http.ts';
import { isMissing, nonsense } from '../../../package/http.ts';
import { pathOf } from './google-api.ts';

const topicSchema = z.object({
  /** `projects/p/topics/t`. */
  name: z.string(),
  labels: z.record(z.string(), z.string()).optional(),
  messageStoragePolicy: z.object({ allowedPersistenceRegions: z.array(z.string()).default([]) }).optional(),
  kmsKeyName: z.string().optional(),
  messageRetentionDuration: z.string().optional(),
  state: z.string().optional(),
});
export type PubsubTopic = z.output<typeof topicSchema>;
export type NewPubsubTopic = Omit<PubsubTopic, 'name' | 'state'>;

/** Topics of Pub/Sub, v1, in one project. All methods throw CloudError. */
export interface Pubsub {
  /** Undefined if the cloud answers that there is no topic of that name. A missing project is an error. */
  get(name: string, signal?: AbortSignal): Promise<PubsubTopic | undefined>;
  /** Throws CloudError with status 409 if another topic has the name. */
  create(name: string, wanted: NewPubsubTopic, signal?: AbortSignal): Promise<PubsubTopic>;
  /** Changes the fields in the mask. A field that is in the mask and not in `change` is removed. */
  update(
    name: string,
    given: { readonly change: NewPubsubTopic; readonly mask: readonly string[] },
    signal?: AbortSignal,
  ): Promise<PubsubTopic>;
  /** A topic that was deleted before is no error. */
  delete(name: string, signal?: AbortSignal): Promise<void>;
}

export interface PubsubOptions {
  readonly http: HttpClient;
  readonly projectID: string;
}

export function pubsubClient({ http, projectID }: PubsubOptions): Pubsub {
  const pathTo = (name: string): string => pathOf('projects', projectID, 'topics', name);
  const topicIn = (what: string, name: string, answer: unknown): PubsubTopic => {
    const { success, data, error } = topicSchema.safeParse(answer);
    if (!success) throw nonsense(what, `its ${error.issues[0]?.path.join('.')} is not as documented`);
    // guard: otherwise an answer about another topic counts
    if (!data.name.endsWith(`/topics/${name}`)) throw nonsense(what, `it is about "${data.name}"`);
    return data;
  };

  return {
    async get(name, signal) {
      const what = `get topic "${name}"`;
      try {
        return topicIn(what, name, await http.request({ what, method: 'GET', path: pathTo(name) }, signal));
      } catch (error) {
        if (isMissing(error, 'NOT_FOUND')) return undefined;
        throw error;
      }
    },
    async create(name, wanted, signal) {
      const what = `create topic "${name}"`;
      const request = { what, method: 'PUT', path: pathTo(name), body: wanted } as const;
      return topicIn(what, name, await http.request(request, signal));
    },
    async update(name, { change, mask }, signal) {
      const what = `update topic "${name}"`;
      const topic = { ...change, name: `projects/${projectID}/topics/${name}` };
      const body = { topic, updateMask: mask.join(',') };
      return topicIn(
        what,
        name,
        await http.request({ what, method: 'PATCH', path: pathTo(name), body }, signal),
      );
    },
    async delete(name, signal) {
      try {
        await http.request({ what: `delete topic "${name}"`, method: 'DELETE', path: pathTo(name) }, signal);
      } catch (error) {
        if (!isMissing(error, 'NOT_FOUND')) throw error;
      }
    },
  };
}
