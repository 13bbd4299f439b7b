import type { Filter, ResourceType, Tag, TagSpecification } from '@aws-sdk/client-ec2';
import { CloudError, nonsense } from '../../cloud-error.ts';
import type { AwsClient } from '../aws-client.ts';

/** Tags by their keys. */
export type Tags = Readonly<Record<string, string>>;

/** What a call is about: a region, and a thing in it. */
export interface Place {
  readonly region: string | undefined;
}

export const tagsIn = (tags: readonly Tag[] | undefined): Tags =>
  Object.fromEntries(
    (tags ?? []).flatMap(({ Key, Value }) => (Key === undefined ? [] : [[Key, Value ?? '']])),
  );

export const tagList = (tags: Tags): Tag[] => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** What passes only what carries all of these. */
export const tagFilters = (tags: Tags): Filter[] =>
  // A `*` stands for anything, unless it is told not to.
  Object.entries(tags).map(([key, value]) => ({
    Name: `tag:${key}`,
    Values: [value.replaceAll(/[*?\\]/g, '\\$&')],
  }));

/** Tags that something has from its first moment. */
export const tagsOfNew = (ResourceType: ResourceType, tags: Tags): TagSpecification[] => [
  { ResourceType, Tags: tagList(tags) },
];

/** Sets tags of a thing, and keeps its others. Throws CloudError. */
export async function setTags(
  aws: AwsClient,
  { region, id, noun, tags }: Place & { readonly id: string; readonly noun: string; readonly tags: Tags },
  signal: AbortSignal,
): Promise<void> {
  if (Object.keys(tags).length === 0) return;
  await aws.call(
    {
      ...{ service: 'ec2', region, what: `tag ${noun} "${id}"`, isRepeatable: true },
      fields: { tags: /\btags?\b/i },
      run: (ec2, http) => ec2.createTags({ Resources: [id], Tags: tagList(tags) }, http),
    },
    signal,
  );
}

/**
 * What AWS must tell, an empty list too. Throws CloudError if it does not: the official client makes an answer without
 * anything of whatever comes with a status of 200, as the page of a gateway.
 */
export function told<T>(what: string, field: string, value: T | undefined): T {
  if (value !== undefined) return value;
  throw nonsense(what, `it has no ${field}`);
}

/** The result, or undefined if the service says that there is no such thing. */
export async function unlessMissing<T>(missing: RegExp, result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof CloudError && missing.test(error.code)) return undefined;
    throw error;
  }
}
