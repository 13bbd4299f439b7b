import { CloudError, invalidAnswer } from '../../../../package/http.ts';
import type { AwsClient } from '../aws-client.ts';

/** The attributes of a queue that can be set, by their names in SQS. All values are texts. */
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

/** The attributes and tags of a new queue. */
export type QueueAttributes = Readonly<Partial<Record<QueueAttribute, string>>>;

/** A queue in the answers of SQS. */
export interface CloudQueue {
  readonly name: string;
  /** The URL that SQS assigned. */
  readonly url: string;
  /** The attributes that can be set, and others, such as `QueueArn`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

export interface QueuesOptions {
  readonly aws: Pick<AwsClient, 'call'>;
  /** Absent: the provider's region. */
  readonly region: string | undefined;
}

/** The queues of an account in a region. All methods throw CloudError. */
export interface Queues {
  /** Undefined: SQS itself answers that there is no queue of that name. */
  get(name: string, signal: AbortSignal): Promise<CloudQueue | undefined>;
  /**
   * Returns the URL. If a queue of that name with the same attributes exists, SQS returns its URL. Only its tags show
   * the owner.
   */
  create(
    name: string,
    queue: { readonly attributes: QueueAttributes; readonly tags: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<string>;
  setAttributes(queue: CloudQueue, attributes: QueueAttributes, signal: AbortSignal): Promise<void>;
  tag(queue: CloudQueue, tags: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  untag(queue: CloudQueue, keys: readonly string[], signal: AbortSignal): Promise<void>;
  /** A queue that was deleted before is no error. */
  delete(queue: CloudQueue, signal: AbortSignal): Promise<void>;
}

/** The codes of SQS for a queue that does not exist. The second code is from the API before JSON. */
const absent: readonly string[] = ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue'];

// guard: otherwise a bare 404 proves absence
const isAbsent = (error: unknown): boolean => error instanceof CloudError && absent.includes(error.code);

/** Fields of `forProvider`, by the names that SQS uses in its refusals. */
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

/** A client for Amazon SQS. */
export function sqsQueues({ aws, region }: QueuesOptions): Queues {
  const facts = { service: 'sqs', region, fields, isRepeatable: true } as const;

  return {
    async get(name, signal) {
      const what = `get queue "${name}"`;
      try {
        // Each call looks the queue up by its name: a user may have written any URL into the annotation.
        const { QueueUrl: url } = await aws.call(
          { ...facts, what, run: (sqs, http) => sqs.getQueueUrl({ QueueName: name }, http) },
          signal,
        );
        checkUrl(what, name, url); // guard: otherwise an answer about another queue counts
        const { Attributes: attributes } = await aws.call(
          {
            ...facts,
            what,
            run: (sqs, http) => sqs.getQueueAttributes({ QueueUrl: url, AttributeNames: ['All'] }, http),
          },
          signal,
        );
        const { Tags: tags } = await aws.call(
          { ...facts, what, run: (sqs, http) => sqs.listQueueTags({ QueueUrl: url }, http) },
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
          ...facts,
          what,
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
          ...facts,
          what,
          run: (sqs, http) => sqs.setQueueAttributes({ QueueUrl: url, Attributes: { ...attributes } }, http),
        },
        signal,
      );
    },

    async tag({ name, url }, tags, signal) {
      const what = `tag queue "${name}"`;
      await aws.call(
        {
          ...facts,
          what,
          run: (sqs, http) => sqs.tagQueue({ QueueUrl: url, Tags: { ...tags } }, http),
        },
        signal,
      );
    },

    async untag({ name, url }, keys, signal) {
      const what = `untag queue "${name}"`;
      await aws.call(
        {
          ...facts,
          what,
          run: (sqs, http) => sqs.untagQueue({ QueueUrl: url, TagKeys: [...keys] }, http),
        },
        signal,
      );
    },

    async delete({ name, url }, signal) {
      const what = `delete queue "${name}"`;
      try {
        await aws.call(
          { ...facts, what, run: (sqs, http) => sqs.deleteQueue({ QueueUrl: url }, http) },
          signal,
        );
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },
  };
}

/** The last part of a queue's URL is its name. */
function checkUrl(what: string, name: string, url: string | undefined): asserts url is string {
  if (url?.endsWith(`/${name}`)) return;
  const why = url === undefined ? 'names no URL' : `is about "${url}"`;
  throw invalidAnswer(`cannot ${what}: the answer of AWS SQS ${why}`);
}
