import isEqual from 'lodash/isEqual.js';
import { AwsProblem } from '../problem.ts';

/** A queue, as far as it is more than messages. */
export interface Queue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  /** Those that can be set, in the words of SQS. */
  readonly attributes: Texts;
  readonly tags: Texts;
  readonly changedAtMs: number;
}
export type Texts = Readonly<Record<string, string>>;

const whole = (min: number, max: number) => (value: string) =>
  /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
const flag = (value: string) => value === 'true' || value === 'false';
const any = () => true;

/** The attributes that a request may set, and the check of each value. */
const settable: Readonly<Record<string, (value: string) => boolean>> = {
  DelaySeconds: whole(0, 900),
  MaximumMessageSize: whole(1_024, 1_048_576),
  MessageRetentionPeriod: whole(60, 1_209_600),
  ReceiveMessageWaitTimeSeconds: whole(0, 20),
  VisibilityTimeout: whole(0, 43_200),
  KmsDataKeyReusePeriodSeconds: whole(60, 86_400),
  KmsMasterKeyId: any,
  Policy: (value) => value === '' || isObject(value),
  RedrivePolicy: (value) => value === '' || isObject(value),
  SqsManagedSseEnabled: flag,
  ContentBasedDeduplication: flag,
  DeduplicationScope: (value) => ['queue', 'messageGroup'].includes(value),
  FifoThroughputLimit: (value) => ['perQueue', 'perMessageGroupId'].includes(value),
};

/** Those of a queue that ends in `.fifo` only. */
const fifoAttributes = new Set(['ContentBasedDeduplication', 'DeduplicationScope', 'FifoThroughputLimit']);

const usual: Texts = {
  DelaySeconds: '0',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  VisibilityTimeout: '30',
};

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Throws AwsProblem for a name that SQS does not take. */
export function checkName(name: string, isFifo: boolean): void {
  const rule = 'only include alphanumeric characters, hyphens, or underscores';
  if (isFifo && !(name.length <= 80 && /^[\w-]+\.fifo$/.test(name))) {
    throw invalid(
      `The name of a FIFO queue can ${rule}, must end with .fifo suffix and be 1 to 80 in length`,
    );
  }
  if (!isFifo && !/^[\w-]{1,80}$/.test(name)) throw invalid(`Can ${rule}. 1 to 80 in length`);
}

/** The attributes of a queue that is asked for with these. Throws AwsProblem. */
export function newAttributes(requested: Texts): Texts {
  const { FifoQueue: fifo, ...given } = requested;
  if (fifo !== undefined && fifo !== 'true') throw wrongValue('FifoQueue');
  const isFifo = fifo === 'true';
  const own = isFifo
    ? {
        FifoQueue: 'true',
        ContentBasedDeduplication: 'false',
        DeduplicationScope: 'queue',
        FifoThroughputLimit: 'perQueue',
      }
    : {};
  return changed({ ...usual, ...own }, given);
}

/** The attributes of a queue, with these laid over them; an empty one is none. Throws AwsProblem. */
export function changed(attributes: Texts, given: Texts): Texts {
  const isFifo = attributes.FifoQueue === 'true';
  for (const [name, value] of Object.entries(given)) {
    const fits = Object.hasOwn(settable, name) ? settable[name] : undefined;
    if (fits === undefined || (fifoAttributes.has(name) && !isFifo)) {
      throw new AwsProblem('InvalidAttributeName', `Unknown Attribute ${name}.`);
    }
    if (!fits(value)) throw wrongValue(name);
  }
  const all = Object.fromEntries(
    Object.entries({ ...attributes, ...given }).filter(([, value]) => value !== ''),
  );
  const isOurKey = all.KmsMasterKeyId !== undefined;
  return {
    ...all,
    ...(isOurKey && { KmsDataKeyReusePeriodSeconds: all.KmsDataKeyReusePeriodSeconds ?? '300' }),
    SqsManagedSseEnabled: isOurKey
      ? 'false'
      : (given.SqsManagedSseEnabled ?? all.SqsManagedSseEnabled ?? 'true'),
  };
}

/** The first requested attribute of which an existing queue has another value; undefined: there is none. */
export const differingAttribute = ({ attributes }: Queue, requested: Texts): string | undefined =>
  Object.keys(requested).find((name) => !isSame(attributes[name], requested[name]));

const isSame = (is: string | undefined, requested: string | undefined): boolean =>
  is === requested ||
  (is !== undefined &&
    requested !== undefined &&
    isObject(is) &&
    isObject(requested) &&
    isEqual(JSON.parse(is), JSON.parse(requested)));

/** All attributes of a queue, as the API returns them. */
export const describedAttributes = ({ arn, attributes, changedAtMs }: Queue, createdAtMs: number): Texts => ({
  ...attributes,
  QueueArn: arn,
  CreatedTimestamp: String(Math.floor(createdAtMs / 1_000)),
  LastModifiedTimestamp: String(Math.floor(changedAtMs / 1_000)),
  ApproximateNumberOfMessages: '0',
  ApproximateNumberOfMessagesDelayed: '0',
  ApproximateNumberOfMessagesNotVisible: '0',
});

export const invalid = (message: string): AwsProblem =>
  new AwsProblem('InvalidParameterValueException', message, { queryCode: 'InvalidParameterValue' });

const wrongValue = (name: string): AwsProblem =>
  new AwsProblem('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
