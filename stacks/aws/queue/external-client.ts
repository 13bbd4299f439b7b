import omit from 'lodash/omit.js';
import { isUncertain } from '../../../package/http.ts';
import { nameProblem } from '../../../package/schema.ts';
import type { ExternalClient } from '../../../package/stack.ts';
import {
  annotationKeys,
  checkOwnership,
  coreAdvice,
  externalName,
  invalid,
  isObserver,
  leftBy,
  nothingThere,
  ownedByAnother,
  ownerOf,
  ownerTags,
  refuse,
  UncertainCreationError,
  wasDeleted,
  withNameAdvice,
  writtenNameProblem,
} from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import type { AwsClient } from '../client/aws-client.ts';
import type { CloudQueue, Queues } from '../client/sqs/queues.ts';
import { sqsQueues } from '../client/sqs/queues.ts';
import { countedTags } from '../client/tag-limit.ts';
import type { Queue } from '../kinds/sqs/v1beta1/queue.ts';
import { ownTags } from '../tags.ts';
import { attributesOf, differenceOf, observationOf } from './desired-state.ts';

/** The pattern of a queue's name in SQS; the name of a FIFO queue ends in `.fifo`. */
const names = { maxLength: 80, pattern: /[A-Za-z0-9_-]+(\.fifo)?/ };

/**
 * Queues in Amazon SQS. We choose the name. After the creation the external name is the URL that SQS assigned, stored
 * as it was returned (SQS Developer Guide, "Queue and message identifiers"). A name instead of the URL is also
 * accepted, as in provider-aws.
 *
 * `create` looks for a queue of that name before and after the call. If a queue with the same attributes exists, SQS
 * answers as if it had just been created, whatever its owner. If the answer to a creation is lost, the queue is
 * looked for. If it is not found, a user has to decide.
 */
export function queueClient(aws: AwsClient): ExternalClient<Queue> {
  const queuesOf = ({ spec: { forProvider } }: Queue): Queues =>
    sqsQueues({ aws, region: forProvider.region });

  return {
    async observe(managed, _credential, signal) {
      const queue = await find(managed, signal);
      // guard: otherwise a deletion waits for the queue of another owner
      if (queue === undefined || claim(managed, queue) === 'notOurs') {
        return nothingThere(problemOf(managed));
      }
      return {
        ...(externalName(managed) === undefined && { externalName: queue.url }),
        ...observationOf(managed, queue),
        ...ownedByAnother(managed, queue.tags),
      };
    },

    async create(managed, _credential, signal) {
      const name = nameOf(managed);
      const queues = queuesOf(managed);
      const found = async (): Promise<CloudQueue | undefined> => {
        const queue = await queues.get(name, signal);
        if (queue !== undefined) claim(managed, queue); // guard: otherwise it adopts another owner's queue
        return queue;
      };
      const existing = await found(); // guard: otherwise a creation with other attributes is refused
      if (existing !== undefined) return createdAs(managed, existing.url);
      const { tags, ...forProvider } = managed.spec.forProvider;
      let url: string;
      try {
        const wanted = {
          attributes: attributesOf(forProvider),
          tags: countedTags({ ...ownTags(tags), ...ownerTags(ownerOf(managed)) }),
        };
        url = await queues.create(name, wanted, signal);
      } catch (error) {
        if (!isUncertain(error)) throw error;
        // guard: otherwise a failed search hides the uncertain creation
        const created = await found().catch(() => undefined);
        if (created !== undefined) return createdAs(managed, created.url);
        // guard: otherwise it creates a second one after a lost answer
        throw new UncertainCreationError((error as Error).message, { cause: error });
      }
      // Another user may have created the queue since the first look-up. Once its URL is recorded, its tags are not
      // checked any more.
      const made = await queues.get(name, signal).catch(() => undefined);
      if (made !== undefined) claim(managed, made); // guard: otherwise it adopts a queue that was created in between
      return createdAs(managed, url);
    },

    async update(managed, _credential, signal) {
      const queue = await find(managed, signal);
      if (queue === undefined) throw new Error(`queue "${nameOf(managed)}" does not exist any more`);
      claim(managed, queue); // guard: otherwise it changes a queue that has a new owner
      const queues = queuesOf(managed);
      const { attributes, tags, refused, drifted } = differenceOf(managed, queue);
      if (tags !== undefined) countedTags({ ...omit(queue.tags, tags.remove), ...tags.set });
      if (Object.keys(attributes).length > 0) await queues.setAttributes(queue, attributes, signal);
      if (tags !== undefined && Object.keys(tags.set).length > 0) await queues.tag(queue, tags.set, signal);
      if (tags !== undefined && tags.remove.length > 0) await queues.untag(queue, tags.remove, signal);
      refuse({ refused, drifted });
      return {};
    },

    async delete(managed, signal) {
      // The owner may have changed since the observation.
      const queue = await find(managed, signal);
      // guard: otherwise it deletes a queue that has a new owner
      if (queue !== undefined && claim(managed, queue) === 'ours')
        await queuesOf(managed).delete(queue, signal);
    },
  };

  /**
   * The queue of the recorded name. A managed resource without a name has no queue, with two exceptions. If it only
   * observes, it changes nothing, so the name of the object is enough. If it is being deleted, it may have crashed during
   * the creation, and no other object would delete that queue.
   */
  async function find(managed: Queue, signal: AbortSignal): Promise<CloudQueue | undefined> {
    const given = externalName(managed);
    const wasBegun = managed.metadata.annotations?.[annotationKeys.externalIdentity] !== undefined;
    // guard: otherwise an interrupted creation stays
    if (given === undefined && !(wasDeleted(managed) ? wasBegun : isObserver(managed))) return undefined;
    // No queue can have a name that SQS refuses.
    if (nameProblem(nameOf(managed), names) !== undefined) return undefined;
    const named = given === undefined ? undefined : partsOf(given);
    if (named !== undefined && !wasDeleted(managed)) {
      const account = await aws.account(managed.spec.forProvider.region, signal);
      // guard: otherwise it uses a queue of another account
      if (named.account !== account) {
        throw invalid(
          `the annotation ${annotationKeys.externalName} names a queue of account ${named.account}, and the provider connects to account ${account}`,
          { kinds: ['ChooseExternalName'] },
        );
      }
    }
    const queue = await leftBy(managed, queuesOf(managed).get(nameOf(managed), signal), undefined);
    // guard: otherwise it uses a queue by the URL of another one
    if (queue === undefined || named === undefined || isUrlOf(managed, queue)) return queue;
    // A managed resource that is being deleted also deletes the queue with our tags, even if its external name was
    // edited since.
    if (wasDeleted(managed)) return queue;
    throw invalid(
      `the annotation ${annotationKeys.externalName} is ${given}, and the URL of queue "${queue.name}" is ${queue.url}`,
      { kinds: ['ChooseExternalName'] },
    );
  }
}

/** The parts of a queue's URL; undefined for other texts, such as a name. */
function partsOf(given: string): { readonly account: string; readonly name: string } | undefined {
  const path = /^https?:\/\/[^/?#@]+\/(\d+)\/([^/?#]+)$/.exec(given);
  const [, account, name] = path ?? [];
  return account !== undefined && name !== undefined ? { account, name } : undefined;
}

/** Whether the external name is the URL of that queue, as SQS returned it now or in the last observation. */
const isUrlOf = (managed: Queue, { url }: CloudQueue): boolean => {
  const given = externalName(managed);
  return given === url || (given !== undefined && given === managed.status?.atProvider?.url);
};

/** The reason why SQS would not create a queue of that name, or would create another one. */
function problemOf(managed: Queue): string | undefined {
  const name = nameOf(managed);
  const problem = nameProblem(name, names);
  if (problem !== undefined) return withNameAdvice(managed, problem);
  const contradiction = fifoProblem(managed, name);
  if (contradiction !== undefined) return contradiction;
  const isUrl = partsOf(externalName(managed) ?? '') !== undefined;
  return isUrl ? writtenNameProblem(managed, 'queue') : undefined; // guard: otherwise it creates a queue although a URL is given
}

/** The contradiction between a name and the fields of the queue. */
function fifoProblem({ spec: { forProvider } }: Queue, name: string): string | undefined {
  const isFifo = forProvider.fifoQueue === true;
  if (name.endsWith('.fifo') === isFifo) return undefined;
  return isFifo
    ? `the name "${name}" must end in .fifo, because spec.forProvider.fifoQueue is true; ${coreAdvice.setExternalName}`
    : `the name "${name}" is that of a FIFO queue; ${advice.setFifo}, or ${coreAdvice.setExternalName}`;
}

/** The name of the queue in SQS: the name in its URL, the name that a user chose, or the name of the object. */
function nameOf(managed: Queue): string {
  const given = externalName(managed) ?? managed.metadata.name;
  return partsOf(given)?.name ?? given;
}

/** A name that a user chose is kept: the user may apply the same manifest again. */
const createdAs = (managed: Queue, url: string) => ({
  ...(externalName(managed) === undefined && { externalName: url }),
  details: { endpoint: url },
});

/** A user writes a URL on purpose. A queue that is found by its name needs our tags, or an earlier observation. */
const claim = (managed: Queue, { name, url, tags }: CloudQueue): 'ours' | 'notOurs' =>
  checkOwnership(managed, {
    what: `queue "${name}"`,
    tags,
    isKnown: externalName(managed) === url || managed.status?.atProvider?.url === url,
  });
