import type { Message, MessageShape } from './message.ts';
import { readFieldMask, readMessage, snakeCase } from './message.ts';
import { errorInfo, invalid, Problem } from './problem.ts';
import type { Replica, SavedReplica } from './replica.ts';
import { createReplica } from './replica.ts';
import type { Call, Route, Service } from './service.ts';

/** A topic, as the emulator stores it. */
export interface StoredTopic {
  /** For example `projects/p/topics/t`. */
  readonly name: string;
  readonly project: string;
  readonly fields: Message;
  /** How many messages have been published. */
  readonly published: number;
}

export interface PubsubOptions {
  /** Clock in milliseconds. */
  readonly now: () => number;
  readonly readDelayMs: number;
  readonly saved?: SavedReplica<StoredTopic>;
}

/** Pub/Sub, with direct access to its inventory. */
export interface Pubsub {
  readonly service: Service;
  /** The current topics. */
  readonly topics: Replica<StoredTopic>;
}

const settable: MessageShape = {
  labels: 'labels',
  messageStoragePolicy: {
    message: { allowedPersistenceRegions: { list: 'string' }, enforceInTransit: 'bool' },
  },
  kmsKeyName: 'string',
  schemaSettings: {
    message: {
      schema: 'string',
      encoding: { enum: ['ENCODING_UNSPECIFIED', 'JSON', 'BINARY'], of: 'google.pubsub.v1.Encoding' },
      firstRevisionId: 'string',
      lastRevisionId: 'string',
    },
  },
  messageRetentionDuration: 'duration',
};

/** `Topic` of the Pub/Sub API, v1, but for ingestion and transforms. */
const topicShape: MessageShape = { ...settable, name: 'string', satisfiesPzs: 'bool', state: 'string' };
/** The key of a topic cannot change. */
const updatable = Object.keys(settable).filter((name) => name !== 'kmsKeyName');
const messageShape: MessageShape = {
  data: 'string',
  attributes: 'labels',
  messageId: 'string',
  publishTime: 'timestamp',
  orderingKey: 'string',
};

export function createPubsub(options: PubsubOptions): Pubsub {
  const topics = createReplica<StoredTopic>(options, options.saved);
  return {
    topics,
    service: {
      name: 'pubsub.googleapis.com',
      title: 'Cloud Pub/Sub API',
      routes: topicRoutes(topics),
      scopes: { read: ['cloud-platform', 'pubsub'], write: ['cloud-platform', 'pubsub'] },
      denied: (permission, resource) =>
        new Problem('PERMISSION_DENIED', 'User not authorized to perform this action.', {
          details: [errorInfo('IAM_PERMISSION_DENIED', 'iam.googleapis.com', { permission, resource })],
        }),
      noProject: (project) =>
        new Problem(
          'NOT_FOUND',
          `Requested project not found or user does not have access to it (project=${project}). Make sure to specify the unique project identifier and not the Google Cloud Console display name.`,
        ),
    },
  };
}

type Topics = Replica<StoredTopic>;

const collection = '/v1/projects/{project}/topics';
const one = `${collection}/{topic}`;

/** The methods on topics. */
const topicRoutes = (topics: Topics): readonly Route[] => [
  {
    verb: 'GET',
    template: collection,
    permission: 'pubsub.topics.list',
    query: ['pageSize', 'pageToken'],
    act: (call) => listTopics(topics, call),
  },
  {
    verb: 'PUT',
    template: one,
    permission: 'pubsub.topics.create',
    act: (call) => createTopic(topics, call),
  },
  {
    verb: 'GET',
    template: one,
    permission: 'pubsub.topics.get',
    act: (call) => topicJson(readTopic(topics, call)),
  },
  {
    verb: 'PATCH',
    template: one,
    permission: 'pubsub.topics.update',
    act: (call) => updateTopic(topics, call),
  },
  {
    verb: 'DELETE',
    template: one,
    permission: 'pubsub.topics.delete',
    act(call) {
      topics.remove(currentTopic(topics, call).name);
      return {};
    },
  },
  {
    verb: 'POST',
    template: `${one}:publish`,
    permission: 'pubsub.topics.publish',
    act: (call) => publish(topics, call),
  },
  {
    verb: 'GET',
    template: `${one}/subscriptions`,
    permission: 'pubsub.topics.get',
    query: ['pageSize', 'pageToken'],
    act(call) {
      readTopic(topics, call);
      return {};
    },
  },
];

function listTopics(topics: Topics, { path, query }: Call): object {
  const size = Number(query.get('pageSize') ?? 0) || 1000;
  const after = query.get('pageToken') ?? '';
  const found = topics.readAll().filter(({ project, name }) => project === path.project && name > after);
  const page = found.slice(0, size);
  return {
    ...(page.length > 0 && { topics: page.map(topicJson) }),
    ...(found.length > size && { nextPageToken: page.at(-1)?.name }),
  };
}

function createTopic(topics: Topics, call: Call): object {
  const name = topicName(call);
  checkTopicId(String(call.path.topic), name);
  const message = readMessage(call.json(), topicShape, 'topic');
  if (message.name !== undefined && message.name !== name) {
    throw invalid('name', `The name in the URL and in the topic must be the same: ${message.name}`);
  }
  const fields = checked(setFields(message));
  if (topics.get(name) !== undefined) {
    throw new Problem(
      'ALREADY_EXISTS',
      `Resource already exists in the project (resource=${call.path.topic}).`,
    );
  }
  const topic = { name, project: String(call.path.project), fields, published: 0 };
  topics.put(name, topic);
  return topicJson(topic);
}

function updateTopic(topics: Topics, call: Call): object {
  const shape: MessageShape = { topic: { message: topicShape }, updateMask: 'string' };
  const { topic: given = {}, updateMask } = readMessage(call.json(), shape, '');
  const mask = readFieldMask(updateMask as string | undefined);
  if (mask.length === 0) {
    throw new Problem('INVALID_ARGUMENT', 'The update_mask in the UpdateTopicRequest must be set');
  }
  const topic = currentTopic(topics, call);
  const fields: Record<string, unknown> = { ...topic.fields };
  for (const path of mask) {
    if (!updatable.includes(path)) throw badMask(path);
    fields[path] = (given as Message)[path];
  }
  const changed = { ...topic, fields: checked(fields) };
  topics.put(topic.name, changed);
  return topicJson(changed);
}

function publish(topics: Topics, call: Call): object {
  const shape: MessageShape = { messages: { list: { message: messageShape } } };
  const { messages = [] } = readMessage(call.json(), shape, '') as { messages?: readonly Message[] };
  if (messages.length === 0) {
    throw new Problem(
      'INVALID_ARGUMENT',
      'The value for message_count is too small. You passed 0 in the request, but the minimum value is 1.',
    );
  }
  const topic = currentTopic(topics, call);
  topics.drift(topic.name, { ...topic, published: topic.published + messages.length });
  return { messageIds: messages.map((_, index) => String(topic.published + index + 1)) };
}

const topicName = ({ path }: Call): string => `projects/${path.project}/topics/${path.topic}`;

/** The topic that the path names, as readers see it. Throws Problem. */
function readTopic(topics: Topics, call: Call): StoredTopic {
  const topic = topics.read(topicName(call));
  if (topic === undefined) throw notFound(call);
  return topic;
}

/** The topic that the path names, as it is now. Throws Problem. */
function currentTopic(topics: Topics, call: Call): StoredTopic {
  const topic = topics.get(topicName(call));
  if (topic === undefined) throw notFound(call);
  return topic;
}

/** The fields of a message that a caller may set. */
const setFields = (message: Message): Message =>
  Object.fromEntries(Object.entries(message).filter(([name]) => Object.hasOwn(settable, name)));

/** `Topic` of the API. Empty fields are omitted. */
function topicJson({ name, fields }: StoredTopic): Message {
  const all = { name, ...fields };
  return Object.fromEntries(
    Object.entries(all).filter(
      ([, value]) =>
        value !== undefined &&
        value !== '' &&
        !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  );
}

function checkTopicId(id: string, name: string): void {
  if (!/^(?!goog)[A-Za-z][\w.~+%-]{2,254}$/.test(id)) {
    throw new Problem(
      'INVALID_ARGUMENT',
      `Invalid [topics] name: (name=${name}). A topic ID has 3 to 255 letters, numbers, dashes, periods, underscores, tildes, plus signs and percent signs. It starts with a letter, and not with "goog".`,
    );
  }
}

/** Returns the fields. Throws Problem for an invalid field. */
function checked(fields: Message): Message {
  const { messageRetentionDuration: retention, messageStoragePolicy, labels } = fields;
  if (retention !== undefined) {
    const seconds = Number.parseFloat(String(retention));
    if (seconds < 600 || seconds > 31 * 86_400) {
      throw invalid(
        'message_retention_duration',
        'Topic message retention duration must be between 10 minutes and 31 days.',
        `Invalid value: ${retention}`,
      );
    }
  }
  const regions = (messageStoragePolicy as Message | undefined)?.allowedPersistenceRegions;
  for (const region of (regions ?? []) as readonly string[]) {
    if (!/^[a-z]+-[a-z]+\d+$/.test(region)) {
      throw invalid(
        'message_storage_policy.allowed_persistence_regions',
        `Invalid region in message storage policy: ${region}`,
      );
    }
  }
  for (const [key, value] of Object.entries((labels ?? {}) as Readonly<Record<string, string>>)) {
    if (!/^(?!goog-)[a-z][a-z0-9_-]{0,62}$/.test(key) || !/^[a-z0-9_-]{0,63}$/.test(value)) {
      throw invalid('labels', `Invalid label: ${key}=${value}`);
    }
  }
  return fields;
}

const notFound = ({ path }: Call): Problem =>
  new Problem('NOT_FOUND', `Resource not found (resource=${path.topic}).`);

const badMask = (path: string): Problem =>
  new Problem(
    'INVALID_ARGUMENT',
    `Invalid update_mask provided in the UpdateTopicRequest: '${snakeCase(path)}' is not a known Topic field. Note that field paths must be of the form 'schema_settings' rather than 'schemaSettings'.`,
  );
