import { existsUnshown, isConflicting } from '../../../package/http.ts';
import type { PromptClient } from '../../../package/stack.ts';
import { checkOwnership, nameOf, ownedByAnother, refuse } from '../../../package/stack.ts';
import { advised } from '../advised.ts';
import type { GoogleCloudClient } from '../client/google-cloud.ts';
import type { PubsubTopic } from '../client/pubsub.ts';
import type { Topic } from '../kinds/pubsub/v1alpha1/topic.ts';
import { TopicKind } from '../kinds/pubsub/v1alpha1/topic.ts';
import { countedLabels, labelOwner } from '../labels.ts';
import { differenceOf, newTopic, observationOf } from './desired-state.ts';

/** Topics of Pub/Sub. They are usable at once, we choose their names, and they carry our labels. */
export function topicClient({
  pubsub,
  projectID,
}: Pick<GoogleCloudClient, 'pubsub' | 'projectID'>): PromptClient<Topic> {
  return {
    async observe(managed, _credential, signal) {
      const topic = await find(managed, signal);
      if (topic === undefined) return { exists: false, isUpToDate: false };
      const details = { topic: nameOf(managed), projectName: projectID };
      const another = ownedByAnother(managed, topic.labels ?? {}, labelOwner(managed));
      return { ...observationOf(managed, topic), details, ...another };
    },

    async create(managed, _credential, signal) {
      try {
        await pubsub.create(nameOf(managed), newTopic(managed), signal);
      } catch (error) {
        if (!isConflicting(error)) throw advised(error, TopicKind);
        // It exists from an attempt whose answer was lost, or has another owner.
        // guard: otherwise it adopts a topic that is not shown
        if ((await find(managed, signal)) === undefined) throw existsUnshown(error);
      }
      return {};
    },

    async update(managed, _credential, signal) {
      const topic = await find(managed, signal);
      if (topic === undefined) throw new Error(`topic "${nameOf(managed)}" does not exist any more`);
      const { change, mask, refused, drifted } = differenceOf(managed, topic);
      countedLabels(change.labels ?? {});
      try {
        if (mask.length > 0) await pubsub.update(nameOf(managed), { change, mask }, signal);
      } catch (error) {
        throw advised(error, TopicKind);
      }
      refuse({ refused, drifted });
      return {};
    },

    async delete(managed, signal) {
      // The owner may have changed since the observation.
      // guard: otherwise it deletes a topic that has a new owner
      if ((await find(managed, signal)) !== undefined) await pubsub.delete(nameOf(managed), signal);
    },
  };

  /** The topic of the recorded name, if we own it; throws like `checkOwnership`. */
  async function find(managed: Topic, signal: AbortSignal): Promise<PubsubTopic | undefined> {
    const name = nameOf(managed);
    const topic = await pubsub.get(name, signal);
    if (topic === undefined) return undefined;
    const candidate = { what: `topic "${name}"`, tags: topic.labels ?? {} };
    // guard: otherwise it adopts another owner's topic
    return checkOwnership(managed, candidate, labelOwner(managed)) === 'ours' ? topic : undefined;
  }
}
