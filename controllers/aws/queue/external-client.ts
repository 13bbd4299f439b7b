import type { Queue } from '../../../apis/aws/sqs/v1beta1/queue.ts';
import { annotationKeys, externalName, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { AwsClient } from '../../../clients/aws/aws-client.ts';
import type { CloudQueue, Queues } from '../../../clients/aws/sqs/queues.ts';
import { sqsQueues } from '../../../clients/aws/sqs/queues.ts';
import { isUncertain } from '../../../clients/cloud-error.ts';
import { ownerTags } from '../../../clients/ownership-tags.ts';
import { refuse } from '../../author/comparison.ts';
import { ownerOf, whoseIs } from '../../author/whose-is.ts';
import { leftBy, nothingThere, writtenNameProblem } from '../../author/written-name.ts';
import type { ExternalClient } from '../../core/managed/connecting/external-client.ts';
import { UncertainCreationError } from '../../core/managed/connecting/external-client.ts';
import { nameProblem } from '../../core/name-limits.ts';
import { ownTags } from '../tags.ts';
import { attributesOf, differenceOf, observationOf } from './desired-state.ts';

/** What SQS takes for a name; that of a FIFO queue ends in `.fifo`. */
const names = { maxLength: 80, pattern: /[A-Za-z0-9_-]+(\.fifo)?/ };

/**
 * Queues in Amazon SQS. What we call one is what it is named; what it is called from then on is the URL that SQS
 * assigns, which is to be stored as it was returned (SQS Developer Guide, "Queue and message identifiers"). A name in
 * place of the URL will do too, as provider-aws had it.
 *
 * `create` looks whether there is one of that name, before and after: SQS answers the creation of a queue that exists, with
 * the same attributes, as if it had just made it, whosever that is. A creation whose answer is lost is looked for as well, and if
 * it does not show, it is left to a human.
 */
export function queueClient(aws: AwsClient): ExternalClient<Queue> {
  const queuesOf = ({ spec: { forProvider } }: Queue): Queues =>
    sqsQueues({ aws, region: forProvider.region });

  return {
    async observe(managed, _credential, signal) {
      const queue = await find(managed, signal);
      if (queue === undefined || claim(managed, queue) === 'notOurs') {
        return nothingThere(problemOf(managed));
      }
      return observationOf(managed, queue);
    },

    async create(managed, _credential, signal) {
      const name = nameOf(managed);
      const queues = queuesOf(managed);
      const found = async (): Promise<CloudQueue | undefined> => {
        const queue = await queues.get(name, signal);
        if (queue !== undefined) claim(managed, queue);
        return queue;
      };
      const existing = await found();
      if (existing !== undefined) return createdAs(managed, existing.url);
      const { tags, ...forProvider } = managed.spec.forProvider;
      let url: string;
      try {
        const wanted = {
          attributes: attributesOf(forProvider),
          tags: { ...ownTags(tags), ...ownerTags(ownerOf(managed)) },
        };
        url = await queues.create(name, wanted, signal);
      } catch (error) {
        if (!isUncertain(error)) throw error;
        const created = await found().catch(() => undefined);
        if (created !== undefined) return createdAs(managed, created.url);
        throw new UncertainCreationError((error as Error).message, { cause: error });
      }
      // Somebody may have made it since the look. Once its URL is on record, nobody asks for its tags any more.
      const made = await queues.get(name, signal).catch(() => undefined);
      if (made !== undefined) claim(managed, made);
      return createdAs(managed, url);
    },

    async update(managed, _credential, signal) {
      const queue = await find(managed, signal);
      if (queue === undefined) throw new Error(`queue "${nameOf(managed)}" does not exist any more`);
      claim(managed, queue);
      const queues = queuesOf(managed);
      const { attributes, tags, refused, drifted } = differenceOf(managed, queue);
      if (Object.keys(attributes).length > 0) await queues.setAttributes(queue, attributes, signal);
      if (tags !== undefined && Object.keys(tags.set).length > 0) await queues.tag(queue, tags.set, signal);
      if (tags !== undefined && tags.remove.length > 0) await queues.untag(queue, tags.remove, signal);
      refuse({ refused, drifted });
      return {};
    },

    async delete(managed, signal) {
      // Since it was observed it may have become somebody else's.
      const queue = await find(managed, signal);
      if (queue !== undefined && claim(managed, queue) === 'ours')
        await queuesOf(managed).delete(queue, signal);
    },
  };

  /**
   * The queue that it names. One that names none has none, unless it goes: then it may have been cut off in its creation, and
   * nobody else would ever delete what that made.
   */
  async function find(managed: Queue, signal: AbortSignal): Promise<CloudQueue | undefined> {
    const given = externalName(managed);
    const wasBegun = managed.metadata.annotations?.[annotationKeys.externalIdentity] !== undefined;
    if (given === undefined && !(wasDeleted(managed) && wasBegun)) return undefined;
    // There is none of a name that SQS would not take.
    if (nameProblem(nameOf(managed), names, '') !== undefined) return undefined;
    const told = given === undefined ? undefined : partsOf(given);
    if (told !== undefined && !wasDeleted(managed)) {
      const account = await aws.account(managed.spec.forProvider.region, signal);
      if (told.account !== account) {
        throw new Error(
          `the annotation ${annotationKeys.externalName} names a queue of account ${told.account}, and the provider leads to account ${account}`,
        );
      }
    }
    const queue = await leftBy(managed, queuesOf(managed).get(nameOf(managed), signal), undefined);
    if (queue === undefined || told === undefined || isUrlOf(managed, queue)) return queue;
    // What goes takes along what carries our tags, whatever was written down since.
    if (wasDeleted(managed)) return queue;
    throw new Error(
      `the annotation ${annotationKeys.externalName} is ${given}, and the URL of queue "${queue.name}" is ${queue.url}; correct the annotation`,
    );
  }
}

/** What the URL of a queue holds; undefined for what is no such URL, as a name. */
function partsOf(given: string): { readonly account: string; readonly name: string } | undefined {
  const path = /^https?:\/\/[^/?#@]+\/(\d+)\/([^/?#]+)$/.exec(given);
  const [, account, name] = path ?? [];
  return account !== undefined && name !== undefined ? { account, name } : undefined;
}

/** Whether the external name is the URL of that queue, as SQS assigned it now or when it was last seen. */
const isUrlOf = (managed: Queue, { url }: CloudQueue): boolean => {
  const given = externalName(managed);
  return given === url || (given !== undefined && given === managed.status?.atProvider?.url);
};

/** Why SQS would make no queue of that name, or not the one that is meant. */
function problemOf(managed: Queue): string | undefined {
  const name = nameOf(managed);
  const problem = nameProblem(name, names, annotationKeys.externalName) ?? fifoProblem(managed, name);
  if (problem !== undefined) return problem;
  const isUrl = partsOf(externalName(managed) ?? '') !== undefined;
  return isUrl ? writtenNameProblem(managed, 'queue') : undefined;
}

/** What is wrong with a name that says something else of a queue than its fields do. */
function fifoProblem({ spec: { forProvider } }: Queue, name: string): string | undefined {
  const isFifo = forProvider.fifoQueue === true;
  if (name.endsWith('.fifo') === isFifo) return undefined;
  const advice = `give another one in the annotation ${annotationKeys.externalName}`;
  return isFifo
    ? `the name "${name}" is to end in .fifo, for spec.forProvider.fifoQueue is true; ${advice}`
    : `the name "${name}" is that of a FIFO queue; set spec.forProvider.fifoQueue to true, or ${advice}`;
}

/** The name of the queue in SQS: that in its URL, or what somebody chose, or that of the object. */
function nameOf(managed: Queue): string {
  const given = externalName(managed) ?? managed.metadata.name;
  return partsOf(given)?.name ?? given;
}

/** A name that somebody chose stays what it is: a manifest that has it may be applied again. */
const createdAs = (managed: Queue, url: string) => ({
  ...(externalName(managed) === undefined && { externalName: url }),
  details: { endpoint: url },
});

/** A URL is not written down by chance; what a name leads to is ours by its tags, or because it was seen before. */
const claim = (managed: Queue, { name, url, tags }: CloudQueue): 'ours' | 'notOurs' =>
  whoseIs(managed, {
    what: `queue "${name}"`,
    tags,
    isKnown: externalName(managed) === url || managed.status?.atProvider?.url === url,
  });
