import { jsonProtocol } from '../json-protocol.ts';
import { AwsProblem } from '../problem.ts';
import { queryProtocol } from '../query-protocol.ts';
import { jsonRefusals } from '../refusals.ts';
import type { Call, Service } from '../service.ts';
import { isXmlText } from '../xml.ts';
import type { Queue, Texts } from './queue.ts';
import {
  changed,
  checkName,
  describedAttributes,
  differingAttribute,
  invalid,
  newAttributes,
} from './queue.ts';

const sort = 'sqs/queue';
const mostAtOnce = 1_000;

/**
 * Queues without messages. A name is free again once a deletion is over, as is how long deletions take: a minute in AWS. The
 * official clients speak JSON; those of before 2023, such as Debian's command line, the query protocol.
 */
export const sqs: Service = {
  name: 'sqs',
  protocols: [
    jsonProtocol({ target: 'AmazonSQS', namespace: 'com.amazonaws.sqs' }),
    queryProtocol({ namespace: 'http://queue.amazonaws.com/doc/2012-11-05/' }),
  ],
  refusals: {
    ...jsonRefusals,
    throttled: () =>
      new AwsProblem('RequestThrottled', 'Request is throttled.', {
        status: 403,
        queryCode: 'RequestThrottled',
      }),
  },
  actions: {
    CreateQueue(call) {
      const { params, account, region, now } = call;
      const name = text(params.QueueName);
      const requested = pairs(params.Attributes ?? params.Attribute, 'Name');
      const tags = newTags(params.tags ?? params.Tag);
      checkName(
        name,
        requested.FifoQueue === 'true' || (requested.FifoQueue === undefined && name.endsWith('.fifo')),
      );
      if (name.endsWith('.fifo') && requested.FifoQueue === undefined) {
        throw invalid('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length');
      }
      const queues = call.collection<Queue>(sort);
      const existing = queues.get(name);
      if (existing?.phase === 'deleting') {
        throw new AwsProblem(
          'QueueDeletedRecently',
          'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
          { queryCode: 'AWS.SimpleQueueService.QueueDeletedRecently' },
        );
      }
      if (existing !== undefined) {
        const other = differingAttribute(existing.item, requested);
        if (other === undefined) return { QueueUrl: existing.item.url };
        throw new AwsProblem(
          'QueueNameExists',
          `A queue already exists with the same name and a different value for attribute ${other}`,
          { queryCode: 'QueueAlreadyExists' },
        );
      }
      const queue: Queue = {
        name,
        url: `https://sqs.${region}.amazonaws.com/${account.id}/${name}`,
        arn: `arn:aws:sqs:${region}:${account.id}:${name}`,
        attributes: newAttributes(requested),
        tags,
        changedAtMs: now(),
      };
      checkTarget(call, queue);
      queues.add(name, queue);
      return { QueueUrl: queue.url };
    },

    GetQueueUrl(call) {
      const { params, account } = call;
      const owner = params.QueueOwnerAWSAccountId;
      if (owner !== undefined && owner !== account.id) throw missing();
      return { QueueUrl: visibleQueue(call, text(params.QueueName)).item.url };
    },

    GetQueueAttributes(call) {
      const { item, createdAtMs } = visibleQueue(call, nameIn(call));
      const wanted = [call.params.AttributeNames ?? call.params.AttributeName ?? []].flat().map(text);
      const attributes = Object.entries(describedAttributes(item, createdAtMs)).filter(
        ([name]) => wanted.includes('All') || wanted.includes(name),
      );
      if (call.protocol === 'json')
        return attributes.length === 0 ? {} : { Attributes: Object.fromEntries(attributes) };
      return { Attribute: attributes.map(([Name, Value]) => ({ Name, Value })) };
    },

    SetQueueAttributes(call) {
      const given = pairs(call.params.Attributes ?? call.params.Attribute, 'Name');
      return change(call, (queue) => {
        const next = { ...queue, attributes: changed(queue.attributes, given), changedAtMs: call.now() };
        checkTarget(call, next);
        return next;
      });
    },

    ListQueues(call) {
      const { params, protocol } = call;
      const prefix = text(params.QueueNamePrefix ?? '');
      const most = params.MaxResults === undefined ? mostAtOnce : Number(params.MaxResults);
      const from = Number(params.NextToken ?? 0);
      const all = call
        .collection<Queue>(sort)
        .allVisible()
        .filter(({ phase, id }) => phase !== 'deleting' && id.startsWith(prefix));
      const urls = all.slice(from, from + most).map(({ item }) => item.url);
      const more = params.MaxResults !== undefined && from + most < all.length;
      return {
        ...(urls.length > 0 && (protocol === 'json' ? { QueueUrls: urls } : { QueueUrl: urls })),
        ...(more && { NextToken: String(from + most) }),
      };
    },

    ListQueueTags(call) {
      const { tags } = visibleQueue(call, nameIn(call)).item;
      const all = Object.entries(tags);
      if (call.protocol === 'json') return all.length === 0 ? {} : { Tags: tags };
      return { Tag: all.map(([Key, Value]) => ({ Key, Value })) };
    },

    TagQueue: (call) =>
      change(call, (queue) => ({
        ...queue,
        tags: { ...queue.tags, ...newTags(call.params.Tags ?? call.params.Tag) },
      })),

    UntagQueue(call) {
      const keys = [call.params.TagKeys ?? call.params.TagKey ?? []].flat().map(text);
      return change(call, (queue) => ({
        ...queue,
        tags: Object.fromEntries(Object.entries(queue.tags).filter(([key]) => !keys.includes(key))),
      }));
    },

    DeleteQueue(call) {
      const { item } = visibleQueue(call, nameIn(call));
      call.collection<Queue>(sort).remove(item.name);
      return {};
    },
  },
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A map, as JSON has it, or as the query protocol lists it. Throws AwsProblem for what that could not tell. */
function pairs(given: unknown, key: 'Name' | 'Key'): Texts {
  const all = Array.isArray(given)
    ? (given as readonly Texts[]).map((pair): [string, string] => [pair[key] ?? '', pair.Value ?? ''])
    : Object.entries((given ?? {}) as Texts);
  for (const [name, value] of all) {
    if (isXmlText(`${name}${value}`)) continue;
    const where = key === 'Key' ? 'Tag' : 'Attribute';
    throw invalid(`${where} ${JSON.stringify(name)} contains characters that are not allowed.`);
  }
  return Object.fromEntries(all);
}

/** Checks the tags of a request. Throws AwsProblem. */
function newTags(given: unknown): Texts {
  const tags = pairs(given, 'Key');
  if (!Object.keys(tags).some((key) => /^aws:/i.test(key))) return tags;
  throw invalid('aws: prefixed tag key names are not allowed for external use.');
}

/** The name of the queue, from the URL in the request. */
function nameIn({ params, account }: Call): string {
  const url = text(params.QueueUrl);
  const [, owner, name = ''] = URL.canParse(url) ? new URL(url).pathname.split('/') : [];
  if (name === '') {
    throw new AwsProblem('InvalidAddress', `The address ${url} is not valid for this endpoint.`, {
      status: 404,
      queryCode: 'InvalidAddress',
    });
  }
  if (owner !== account.id) throw jsonRefusals.denied(`arn:aws:iam::${account.id}:root`, url);
  return name;
}

function visibleQueue(call: Call, name: string) {
  const queue = call.collection<Queue>(sort).visible(name);
  if (queue === undefined || queue.phase === 'deleting') throw missing();
  return queue;
}

function change(call: Call, make: (queue: Queue) => Queue): object {
  const queues = call.collection<Queue>(sort);
  const name = nameIn(call);
  if ((queues.get(name)?.phase ?? 'deleting') === 'deleting') throw missing();
  queues.change(name, make);
  return {};
}

/** Throws AwsProblem if what takes its dead letters is not there. */
function checkTarget(call: Call, { attributes: { RedrivePolicy: policy, FifoQueue: fifo } }: Queue): void {
  if (policy === undefined) return;
  const { deadLetterTargetArn: arn, maxReceiveCount: count } = JSON.parse(policy) as {
    readonly deadLetterTargetArn?: unknown;
    readonly maxReceiveCount?: unknown;
  };
  const refused = (why: string) =>
    invalid(`Value ${policy} for parameter RedrivePolicy is invalid. Reason: ${why}`);
  const most = Number(count);
  if (!(most >= 1 && most <= 1_000))
    throw refused('Invalid value for maxReceiveCount: must be between 1 and 1000.');
  const target = call
    .collection<Queue>(sort)
    .all()
    .find(({ item, phase }) => item.arn === arn && phase !== 'deleting');
  if (target === undefined) throw refused('Dead letter target does not exist.');
  if (target.item.attributes.FifoQueue !== fifo) {
    throw refused('Dead-letter queue must be same type of queue as the source.');
  }
}

const missing = (): AwsProblem =>
  new AwsProblem('QueueDoesNotExist', 'The specified queue does not exist.', {
    queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
  });
