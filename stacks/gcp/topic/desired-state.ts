import type { Observation } from '../../../package/stack.ts';
import { available, comparison, inAnyOrder, observing } from '../../../package/stack.ts';
import type { NewPubsubTopic, PubsubTopic } from '../client/pubsub.ts';
import type { Topic } from '../kinds/pubsub/v1alpha1/topic.ts';
import { TopicKind } from '../kinds/pubsub/v1alpha1/topic.ts';
import { areLabelsEqual, changedLabels, newLabels, usersLabels } from '../labels.ts';

/** The topic that a managed resource asks for. Only here initProvider counts. */
export function newTopic(managed: Topic): NewPubsubTopic {
  const parameters = { ...managed.spec.initProvider, ...managed.spec.forProvider };
  return { ...(parameters as NewPubsubTopic), labels: newLabels(managed, parameters.labels) };
}

type Policy = NonNullable<Topic['spec']['forProvider']['messageStoragePolicy']>;

const compare = comparison(TopicKind, {
  labels: { equals: areLabelsEqual },
  // This field is sent as a whole.
  messageStoragePolicy: {
    equals: (wanted: Policy, actual: Policy) =>
      inAnyOrder(wanted.allowedPersistenceRegions, actual.allowedPersistenceRegions),
  },
});

/** The differences of a topic that we own, and the field mask of the possible changes. */
export function differenceOf(managed: Topic, topic: PubsubTopic) {
  const { labels, messageStoragePolicy, kmsKeyName, messageRetentionDuration } = topic;
  const compared = compare(managed, {
    labels: usersLabels(labels),
    messageStoragePolicy,
    kmsKeyName: kmsKeyName || undefined,
    messageRetentionDuration,
  });
  const changed = changedLabels(managed, {
    actual: labels,
    wanted: compared.change.labels,
    isChanging: compared.changed.length > 0,
  });
  const mask = compared.changed.filter((path) => path !== 'labels');
  return {
    ...compared,
    change: { ...compared.change, ...(changed !== undefined && { labels: changed }) } as NewPubsubTopic,
    mask: changed === undefined ? mask : [...mask, 'labels'],
  };
}

/** The observation of a topic. */
export function observationOf(managed: Topic, topic: PubsubTopic): Observation<Topic> {
  const { mask, ...compared } = differenceOf(managed, topic);
  const { name, state } = topic;
  return {
    ...observing(compared, mask),
    exists: true,
    ready: available(),
    status: { atProvider: { name, ...(state && { state }) } },
  };
}
