import { CloudError, invalidAnswer } from '../../cloud-error.ts';
import type { AwsClient } from '../aws-client.ts';

/** The attributes of a queue that can be set, as SQS calls them; all values are texts. */
export type QueueAttribute =
  | 'ContentBasedDeduplication'
  | 'DelaySeconds'
  | 'FifoQueue'
  | 'KmsDataKeyReusePeriodSeconds'
  | 'KmsMasterKeyId'
  | 'MaximumMessageSize'
  | 'MessageRetentionPeriod'
  | 'Policy'
  | 'ReceiveMessageWaitTimeSeconds'
  | 'RedrivePolicy'
  | 'VisibilityTimeout';

/** What a queue is to have. */
export type QueueAttributes = Readonly<Partial<Record<QueueAttribute, string>>>;

/** A queue as SQS tells of it. */
export interface CloudQueue {
  readonly name: string;
  /** As SQS assigned it. */
  readonly url: string;
  /** Those that can be set, and others, such as `QueueArn`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

export interface QueuesOptions {
  readonly aws: Pick<AwsClient, 'call'>;
  /** Absent: that of the provider. */
  readonly region: string | undefined;
}

/** The queues of an account in a region. All throw CloudError. */
export interface Queues {
  /** Undefined: SQS says itself that there is none of that name. */
  get(name: string, signal: AbortSignal): Promise<CloudQueue | undefined>;
  /**
   * Yields the URL. SQS answers with that of a queue that is there already, where its attributes are the same; whose that
   * one is, only its tags say.
   */
  create(
    name: string,
    queue: { readonly attributes: QueueAttributes; readonly tags: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<string>;
  setAttributes(queue: CloudQueue, attributes: QueueAttributes, signal: AbortSignal): Promise<void>;
  tag(queue: CloudQueue, tags: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  untag(queue: CloudQueue, keys: readonly string[], signal: AbortSignal): Promise<void>;
  /** Deleting what is gone is success. */
  delete(queue: CloudQueue, signal: AbortSignal): Promise<void>;
}

/** What SQS calls the absence of a queue; the second one where it answers as it did before it spoke JSON. */
const absent: readonly string[] = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'];

const isAbsent = (error: unknown): boolean => error instanceof CloudError && absent.includes(error.code);

/** Fields of `forProvider`, by what SQS calls them when it refuses something. */
const fields = {
  contentBasedDeduplication: /ContentBasedDeduplication/,
  delaySeconds: /DelaySeconds/,
  fifoQueue: /FifoQueue|\.fifo\b/,
  kmsDataKeyReusePeriodSeconds: /KmsDataKeyReusePeriodSeconds/,
  kmsMasterKeyId: /KmsMasterKeyId|^Kms/,
  maximumMessageSize: /MaximumMessageSize/,
  messageRetentionPeriod: /MessageRetentionPeriod/,
  policy: /attribute Policy|\bPolicy\b/,
  receiveMessageWaitTimeSeconds: /ReceiveMessageWaitTimeSeconds/,
  redrivePolicy: /RedrivePolicy|[Dd]ead letter/,
  visibilityTimeout: /VisibilityTimeout/,
  tags: /\b[Tt]ag/,
};

/** The door to Amazon SQS. */
export function sqsQueues({ aws, region }: QueuesOptions): Queues {
  const facts = { service: 'sqs', region, fields, isRepeatable: true } as const;

  return {
    async get(name, signal) {
      const what = `get queue "${name}"`;
      try {
        // By its name each time: a URL that somebody wrote may lead anywhere.
        const { QueueUrl: url } = await aws.call(
          { ...facts, what, run: (sqs, http) => sqs.getQueueUrl({ QueueName: name }, http) },
          signal,
        );
        checkUrl(what, name, url);
        const { Attributes: attributes } = await aws.call(
          {
            ...{ ...facts, what },
            run: (sqs, http) => sqs.getQueueAttributes({ QueueUrl: url, AttributeNames: ['All'] }, http),
          },
          signal,
        );
        const { Tags: tags } = await aws.call(
          { ...{ ...facts, what }, run: (sqs, http) => sqs.listQueueTags({ QueueUrl: url }, http) },
          signal,
        );
        return { name, url, attributes: { ...attributes }, tags: { ...tags } };
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },

    async create(name, { attributes, tags }, signal) {
      const what = `create queue "${name}"`;
      const { QueueUrl: url } = await aws.call(
        {
          ...{ ...facts, what },
          run: (sqs, http) =>
            sqs.createQueue({ QueueName: name, Attributes: { ...attributes }, tags: { ...tags } }, http),
        },
        signal,
      );
      checkUrl(what, name, url);
      return url;
    },

    async setAttributes({ name, url }, attributes, signal) {
      const what = `change queue "${name}"`;
      await aws.call(
        {
          ...{ ...facts, what },
          run: (sqs, http) => sqs.setQueueAttributes({ QueueUrl: url, Attributes: { ...attributes } }, http),
        },
        signal,
      );
    },

    async tag({ name, url }, tags, signal) {
      const what = `tag queue "${name}"`;
      await aws.call(
        {
          ...{ ...facts, what },
          run: (sqs, http) => sqs.tagQueue({ QueueUrl: url, Tags: { ...tags } }, http),
        },
        signal,
      );
    },

    async untag({ name, url }, keys, signal) {
      const what = `untag queue "${name}"`;
      await aws.call(
        {
          ...{ ...facts, what },
          run: (sqs, http) => sqs.untagQueue({ QueueUrl: url, TagKeys: [...keys] }, http),
        },
        signal,
      );
    },

    async delete({ name, url }, signal) {
      const what = `delete queue "${name}"`;
      try {
        await aws.call(
          { ...{ ...facts, what }, run: (sqs, http) => sqs.deleteQueue({ QueueUrl: url }, http) },
          signal,
        );
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },
  };
}

/** The URL of a queue ends with its name. */
function checkUrl(what: string, name: string, url: string | undefined): asserts url is string {
  if (url?.endsWith(`/${name}`)) return;
  const why = url === undefined ? 'names no URL' : `is about "${url}"`;
  throw invalidAnswer(`cannot ${what}: the answer of AWS SQS ${why}`);
}
