import attempt from 'lodash/attempt.js';
import isEqual from 'lodash/isEqual.js';
import isError from 'lodash/isError.js';
import pickBy from 'lodash/pickBy.js';
import { timestamp } from '../../../package/schema.ts';
import type { Actual, Observation } from '../../../package/stack.ts';
import { available, comparison, observing, ownerOf } from '../../../package/stack.ts';
import type { CloudQueue, QueueAttribute, QueueAttributes } from '../client/sqs/queues.ts';
import type { Queue } from '../kinds/sqs/v1beta1/queue.ts';
import { QueueKind } from '../kinds/sqs/v1beta1/queue.ts';
import { ownTags, tagChange, tagsRule } from '../tags.ts';

type Parameters = NonNullable<Queue['spec']['forProvider']>;

/** The fields that are one attribute each, by the attribute's name. */
const attributeOf = {
  fifoQueue: 'FifoQueue',
  contentBasedDeduplication: 'ContentBasedDeduplication',
  delaySeconds: 'DelaySeconds',
  maximumMessageSize: 'MaximumMessageSize',
  messageRetentionPeriod: 'MessageRetentionPeriod',
  receiveMessageWaitTimeSeconds: 'ReceiveMessageWaitTimeSeconds',
  visibilityTimeout: 'VisibilityTimeout',
  policy: 'Policy',
  kmsMasterKeyId: 'KmsMasterKeyId',
  kmsDataKeyReusePeriodSeconds: 'KmsDataKeyReusePeriodSeconds',
} as const satisfies Partial<Record<keyof Parameters, QueueAttribute>>;

/** The wanted attributes, in the form of SQS: all are texts. */
export function attributesOf(
  wanted: Omit<Partial<Parameters>, 'redrivePolicy'> & {
    readonly redrivePolicy?: Partial<NonNullable<Parameters['redrivePolicy']>>;
  },
): QueueAttributes {
  const { redrivePolicy } = wanted;
  const given = Object.entries(attributeOf).flatMap(([field, attribute]) => {
    const value = wanted[field as keyof typeof attributeOf];
    // SQS does not accept `false` for attributes that are fixed at the creation.
    const isLeftOut = value === undefined || (attribute === 'FifoQueue' && value === false);
    return isLeftOut ? [] : [[attribute, String(value)]];
  });
  return {
    ...(Object.fromEntries(given) as QueueAttributes),
    ...(redrivePolicy !== undefined && { RedrivePolicy: JSON.stringify(redrivePolicy) }),
  };
}

const number = (value: string | undefined): number | undefined =>
  value === undefined || value === '' ? undefined : Number(value);

/** SQS's values for the fields of `forProvider`. */
function actualOf({ attributes: has, tags }: CloudQueue): Actual<Queue> {
  const redrive = json(has.RedrivePolicy) as Partial<NonNullable<Parameters['redrivePolicy']>> | undefined;
  const { deadLetterTargetArn, maxReceiveCount } = redrive ?? {};
  const isFifo = has.FifoQueue === 'true';
  return {
    fifoQueue: isFifo,
    contentBasedDeduplication: isFifo ? has.ContentBasedDeduplication === 'true' : undefined,
    delaySeconds: number(has.DelaySeconds),
    maximumMessageSize: number(has.MaximumMessageSize),
    messageRetentionPeriod: number(has.MessageRetentionPeriod),
    receiveMessageWaitTimeSeconds: number(has.ReceiveMessageWaitTimeSeconds),
    visibilityTimeout: number(has.VisibilityTimeout),
    policy: has.Policy || undefined,
    kmsMasterKeyId: has.KmsMasterKeyId || undefined,
    kmsDataKeyReusePeriodSeconds: has.KmsMasterKeyId ? number(has.KmsDataKeyReusePeriodSeconds) : undefined,
    redrivePolicy: {
      deadLetterTargetArn,
      maxReceiveCount: maxReceiveCount === undefined ? undefined : Number(maxReceiveCount),
    },
    tags: ownTags(tags),
  };
}

const isGiven = (value: unknown): boolean => value !== undefined;

/** The parsed JSON; undefined for an absent or invalid text. */
function json(text: string | undefined): unknown {
  const value: unknown = text ? attempt(JSON.parse, text) : undefined;
  return isError(value) ? undefined : value;
}

const compareQueue = comparison(QueueKind, {
  // SQS writes a policy in its own form.
  policy: { equals: (wanted, actual) => wanted === actual || isEqual(json(wanted) ?? wanted, json(actual)) },
  tags: tagsRule,
});

/** The differences of a queue that we own. */
export function differenceOf(managed: Queue, queue: CloudQueue) {
  const actual = actualOf(queue);
  const compared = compareQueue(managed, actual);
  const { tags: wanted, redrivePolicy, ...rest } = compared.change;
  const attributes = attributesOf({
    ...rest,
    // The policy is one text for SQS.
    ...(redrivePolicy && { redrivePolicy: pickBy({ ...actual.redrivePolicy, ...redrivePolicy }, isGiven) }),
  });
  const isChanging = Object.keys(attributes).length > 0;
  const tags = tagChange({ actual: queue.tags, wanted, owner: ownerOf(managed), isChanging });
  return { ...compared, attributes, tags };
}

/** The observation of a queue. */
export function observationOf(managed: Queue, queue: CloudQueue): Observation<Queue> {
  const { attributes, tags, ...compared } = differenceOf(managed, queue);
  const { QueueArn: arn, CreatedTimestamp: created } = queue.attributes;
  const createdAt = number(created);
  return {
    ...observing(compared, [...Object.keys(attributes), ...(tags === undefined ? [] : ['tags'])]),
    exists: true,
    ready: available(),
    details: { endpoint: queue.url },
    status: {
      atProvider: {
        url: queue.url,
        ...(arn && { arn }),
        ...(createdAt && { createdTimestamp: timestamp(new Date(createdAt * 1_000)) }),
      },
    },
  };
}
