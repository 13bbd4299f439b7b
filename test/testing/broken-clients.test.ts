import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import isEqual from 'lodash/isEqual.js';
import isNull from 'lodash/isNull.js';
import omitBy from 'lodash/omitBy.js';
import type { DetailsOf } from '../../apis/core/v1alpha1/connection-details.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ExternalClient, PollingClient } from '../../controllers/managed/connecting/external-client.ts';
import { heldCredentials } from '../../controllers/provider/credential-sources.ts';
import { providerFacts } from '../../controllers/provider/provider-credentials.ts';
import { judge } from '../../testing/conformance.ts';
import { rules } from '../../testing/rules/rules.ts';
import type { Conformance, World } from '../../testing/scenario.ts';
import type { Box, BoxCloud, BoxParts, BoxWorldOptions } from './box-cloud.ts';
import { boxClient, boxParts, boxScenario, boxWorld, slowBoxClient } from './box-cloud.ts';

type Open = Conformance<Box>['open'];

const conformance = (open: Open): Conformance<Box> => ({ ...boxScenario, open });

/** The outcome of each rule that did not pass: `broken`, or the reason why it was skipped. */
async function brokenRules(open: Open): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const rule of rules) {
    const verdict = await judge(rule, conformance(open));
    if (verdict.type !== 'kept') found[rule.name] = verdict.message;
  }
  return found;
}

/** The rules that are skipped if the system does not assign names. */
const knownNames = {
  'an assigned name of no external resource is reported and nothing is created for it':
    'the system does not assign names',
};

/** The rules that are skipped for a client whose operations end before the call returns. */
const promptly = {
  'poll changes nothing and does not treat a failure as the end of an operation':
    'create returns no name of an operation',
  ...knownNames,
};

test('a client that keeps them all passes all rules, and none that concerns it is skipped', async () => {
  assert.deepEqual(await brokenRules((given) => boxWorld(given)), promptly);
});

test('a client whose calls answer with names of operations passes every rule', async () => {
  const open: Open = (given) => boxWorld(given, { client: (cloud) => () => slowBoxClient(cloud) });
  assert.deepEqual(await brokenRules(open), knownNames);
});

test('an answer of the system to `foreign` is no name, if the system does not assign names', async () => {
  const open: Open = (given) => {
    const world = boxWorld(given);
    return {
      ...world,
      foreign(name) {
        world.foreign?.(name);
        return 'OK';
      },
    };
  };
  assert.deepEqual(await brokenRules(open), promptly);
});

test('a missing part of a world is reported by name, and no other rule is skipped', async () => {
  const open: Open = (given) => {
    const { stack, credentials, externals } = boxWorld(given) as World;
    return { stack, credentials, externals };
  };
  assert.deepEqual(await brokenRules(open), {
    ...promptly,
    'a failure of the system is an error, not absence': 'the test provides no `world.fail`',
    'a creation whose answer was lost is found or reported as uncertain, and makes one external resource':
      'the test provides no `world.loseAnswer`',
    'create and update set the credential that they receive, and return none':
      'the test provides no `world.opens`',
    'an external resource of another owner is reported, and neither taken over nor changed':
      'the test provides no `world.foreign`',
    'a deletion ends and keeps an external resource of another owner': 'the test provides no `world.foreign`',
    'an empty answer of the system is an error, not absence': 'the test provides no `world.answer`',
    'the same error has the same message each time': 'the test provides no `world.fail`',
    'errors hold no secrets and no control characters': 'the test provides no `world.fail`',
    'an aborted call ends at once': 'the test provides no `world.hang`',
  });
});

/** A client that differs from the one that keeps all rules in what is given. */
interface BrokenClient extends Pick<BoxWorldOptions, 'connect'> {
  /** The one rule that it does not keep. */
  readonly rule: string;
  /** The text of the message. */
  readonly says: RegExp;
  readonly parts?: (cloud: BoxCloud) => Partial<BoxParts>;
  /** It differs from the one whose calls answer with names of operations. */
  readonly isSlow?: boolean;
  readonly methods?: (cloud: BoxCloud, sound: ExternalClient<Box>) => Partial<PollingClient<Box>>;
}

const nameOf = boxParts.nameOf;
const never = new AbortController().signal;

const broken: Readonly<Record<string, BrokenClient>> = {
  'observe changes something': {
    rule: 'observe changes nothing and returns the same result twice',
    says: /^observe of a resource that differs by \{"size":5\} changed the external system/,
    methods: (cloud, sound) => ({
      async observe(box, credential, signal) {
        const stored = cloud.boxes.get(nameOf(box));
        if (stored?.owner === box.metadata.name && cloud.failure === undefined && !cloud.isHanging) {
          cloud.boxes.set(nameOf(box), { ...stored, size: box.spec.forProvider.size ?? stored.size });
        }
        return sound.observe(box, credential, signal);
      },
    }),
  },
  'a status field that the definition lacks': {
    rule: 'the result of observe fits the definition of the kind',
    says: /status\.weight: the definition has no such field/,
    methods: (_cloud, sound) => ({
      async observe(...given) {
        const observed = await sound.observe(...given);
        if (!observed.exists) return observed;
        return { ...observed, status: { weight: 3 } as object };
      },
    }),
  },
  'delete fails if nothing is there': {
    rule: 'observe reports an external resource that does not exist as absent, not as an error',
    says: /during its deletion, throws: box not found/,
    methods: (_cloud, sound) => ({
      async observe(box, credential, signal) {
        const observed = await sound.observe(box, credential, signal);
        if (!observed.exists && wasDeleted(box) && box.status === undefined) throw new Error('box not found');
        return observed;
      },
    }),
  },
  'a failure counts as absence': {
    rule: 'a failure of the system is an error, not absence',
    says: /^observe treats a failure of the system as absence/,
    methods: (cloud, sound) => ({
      async observe(...given) {
        return cloud.failure === undefined ? sound.observe(...given) : { exists: false, isUpToDate: false };
      },
    }),
  },
  'an empty answer counts as absence': {
    rule: 'an empty answer of the system is an error, not absence',
    says: /^observe treats the answer "" of the system as absence/,
    methods: (cloud, sound) => ({
      async observe(...given) {
        return cloud.isAnswerEmpty ? { exists: false, isUpToDate: false } : sound.observe(...given);
      },
    }),
  },
  'a resource that was only observed is never changed': {
    rule: 'a resource that was only observed, and then gets all policies, is taken over',
    says: /^a resource with managementPolicies \["Observe"\] and then \["\*"\] did not get the change to \{"size":5\}/,
    methods(_cloud, sound) {
      const looked = new Set<string>();
      return {
        async observe(box, credential, signal) {
          const observed = await sound.observe(box, credential, signal);
          if (isEqual(box.spec.managementPolicies, ['Observe'])) looked.add(box.metadata.name);
          const isLookedAt = looked.has(box.metadata.name) && observed.exists;
          return isLookedAt ? { ...observed, isUpToDate: true, credential: 'inForce' } : observed;
        },
      };
    },
  },
  'a declared detail is never published': {
    rule: 'all declared connection details are published',
    says: /^the connection Secret has no endpoint/,
    methods: (_cloud, sound) => ({
      async observe(...given) {
        const { details: { endpoint: _none, ...details } = {}, ...observed } = await sound.observe(...given);
        return { ...observed, details: details as never }; // the type of a kind tells it
      },
    }),
  },
  'update never ends': {
    rule: 'a resource in its desired state is not changed',
    says: /^a Ready resource without an edit is changed repeatedly: 5 calls of update in 5 observations/,
    methods(_cloud, sound) {
      // Later it is content: a call that has no effect for minutes is reported, which other rules find.
      let complaints = 0;
      return {
        async observe(box, credential, signal) {
          const { size, colour, label } = box.spec.forProvider;
          const observed = await sound.observe(box, credential, signal);
          const wasReady = box.status?.bindingPhase !== undefined;
          const isAsMade = size === 3 && colour === undefined && label === 'cups';
          if (!wasReady || !isAsMade || complaints === 40) return observed;
          complaints += 1;
          return { ...observed, isUpToDate: false };
        },
      };
    },
  },
  'create makes a second external resource': {
    rule: 'two calls of create make one external resource',
    says: /^create was called twice, and there are 2 external resources/,
    methods: (cloud, sound) => ({
      async create(box, credential, signal) {
        const stored = cloud.boxes.get(nameOf(box));
        if (stored?.owner !== box.metadata.name) return sound.create(box, credential, signal);
        cloud.boxes.set(`${nameOf(box)}-again`, stored);
        return { isExisting: true };
      },
    }),
  },
  'a lost answer makes a second external resource': {
    rule: 'a creation whose answer was lost is found or reported as uncertain, and makes one external resource',
    says: /^the answer of one creation was lost, and there are 2 external resources/,
    methods(cloud) {
      let attempt = 0;
      const client = () =>
        boxClient(cloud, { nameOf: (box) => (attempt === 0 ? nameOf(box) : `${nameOf(box)}-${attempt}`) });
      return {
        observe: (...given) => client().observe(...given),
        async create(...given) {
          try {
            return await client().create(...given);
          } catch (error) {
            attempt += 1;
            throw error;
          }
        },
        update: (...given) => client().update(...given),
        delete: (...given) => client().delete(...given),
      };
    },
  },
  'ownership is known to one process only': {
    rule: 'a process that dies during a creation leaves one external resource or reports that it is uncertain',
    says: /^after a process that was killed at step \d+ the resource did not become Ready .*is not ours/,
    methods(cloud, sound) {
      const made = new Set<string>();
      return {
        async observe(box, credential, signal) {
          const observed = await sound.observe(box, credential, signal);
          const isNew = box.status?.volume === undefined && !wasDeleted(box);
          if (observed.exists && isNew && !made.has(nameOf(box))) throw new Error('the box is not ours');
          return observed;
        },
        async create(box, credential, signal) {
          const isThere = cloud.boxes.has(nameOf(box));
          const creation = await sound.create(box, credential, signal).catch((error: unknown) => {
            if (cloud.boxes.has(nameOf(box)) && !isThere) made.add(nameOf(box));
            throw error;
          });
          made.add(nameOf(box));
          return creation;
        },
      };
    },
  },
  'values are compared in another form': {
    rule: 'each allowed change is applied once, and then nothing is called',
    says: /^after the change to \{"colour":"green"\} the resource is changed repeatedly: 5 calls of update/,
    parts: () => ({
      isPainted: ({ spec: { forProvider } }, { colour }) =>
        forProvider.colour === undefined || forProvider.colour === colour,
    }),
  },
  'a resource is found by a field that can be edited': {
    rule: 'each refused change is reported and creates no second external resource',
    says: /^after the change to \{"shelf":"high"\} there are 2 external resources instead of 1/,
    parts: () => ({
      nameOf({ spec: { forProvider }, ...box }) {
        const shelf = forProvider.shelf === undefined ? '' : `${forProvider.shelf}-`;
        return `${shelf}${nameOf({ spec: { forProvider }, ...box })}`;
      },
    }),
  },
  'a resource that exists counts as created': {
    rule: 'create and update set the credential that they receive, and return none',
    says: /^create found an existing external resource, did not return `isExisting`, and did not set the credential/,
    methods: (_cloud, sound) => ({
      async create(...given) {
        const { isExisting: _isExisting, ...answer } = await sound.create(...given);
        return answer;
      },
    }),
  },
  'a detail has the previous password': {
    rule: 'observe reports the details that contain the received credential, but not the credential itself',
    says: /^observe reports `uri` with another credential than the received one/,
    methods: (cloud, sound) => ({
      async observe(box, credential, signal) {
        const stored = cloud.boxes.get(nameOf(box));
        const value = stored?.password ?? credential?.value;
        return sound.observe(box, credential && { ...credential, ...(value && { value }) }, signal);
      },
    }),
  },
  'a password that does not work counts as in force': {
    rule: 'a credential that is lost with its Secret is replaced, also if the process dies',
    says: /^the credential in the Secret does not work/,
    methods: (_cloud, sound) => ({
      async observe(box, credential, signal) {
        const observed = await sound.observe(box, credential, signal);
        return { ...observed, ...(observed.exists && credential && { credential: 'inForce' }) };
      },
    }),
  },
  'a detail that is gone stays in the Secret': {
    rule: 'connection details that no longer exist are removed from the Secret',
    says: /^after the change to \{"isOpen":true\}, the connection Secret still has seal/,
    methods: (_cloud, sound) => ({
      async observe(...given) {
        const { details, ...observed } = await sound.observe(...given);
        return { ...observed, details: omitBy(details, isNull) as DetailsOf<Box> };
      },
    }),
  },
  'observe returns the values that were sent': {
    rule: 'a change by others in the external system is reverted',
    says: /^an external change to \{"size":5\} changed the external system: .*"size":3.* became .*"size":5/,
    methods(_cloud, sound) {
      const sent = new Set<string>();
      const textOf = (box: Box): string => JSON.stringify([nameOf(box), box.spec.forProvider]);
      return {
        async observe(box, credential, signal) {
          const observed = await sound.observe(box, credential, signal);
          const isBelieved = sent.has(textOf(box)) && observed.ready?.status === 'True';
          return isBelieved ? { ...observed, isUpToDate: true } : observed;
        },
        async create(box, credential, signal) {
          const creation = await sound.create(box, credential, signal);
          sent.add(textOf(box));
          return creation;
        },
      };
    },
  },
  'observe needs all fields': {
    rule: 'a resource that is only observed needs no parameters and is neither changed nor deleted',
    says: /is not Ready and Synced: spec\.forProvider\.size and spec\.initProvider\.size are missing/,
    methods: (_cloud, sound) => ({
      observe: async (box, credential, signal) => {
        const { forProvider, initProvider } = box.spec;
        if (!wasDeleted(box) && forProvider.size === undefined && initProvider?.size === undefined) {
          throw new Error('spec.forProvider.size and spec.initProvider.size are missing');
        }
        return sound.observe(box, credential, signal);
      },
    }),
  },
  'late values are returned in another form': {
    rule: 'a value that the system chooses is copied to the spec once',
    says: /^a resource created without label (is changed repeatedly: 5 calls of update|did not become)/,
    parts: () => ({ labelOf: ({ label }) => label.toUpperCase() }),
    methods: (cloud, sound) => ({
      // The boxes write labels as they like.
      async update(box, credential, signal) {
        const answer = await sound.update(box, credential, signal);
        const stored = cloud.boxes.get(nameOf(box));
        if (stored) cloud.boxes.set(nameOf(box), { ...stored, label: stored.label.toLowerCase() });
        return answer;
      },
    }),
  },
  'an absent field counts as 0': {
    rule: 'a value in initProvider is used at creation only',
    says: /^a resource with size in initProvider (did not become Ready|is changed repeatedly)/,
    parts: () => ({ isSized: ({ spec }, { size }) => (spec.forProvider.size ?? 0) === size }),
  },
  'delete is called once only': {
    rule: 'delete succeeds twice and for an external resource that does not exist',
    says: /^a second delete throws: box not found/,
    methods: (cloud, sound) => ({
      async delete(box, signal) {
        if (cloud.failure === undefined && !cloud.isHanging && !cloud.boxes.has(nameOf(box))) {
          throw new Error('box not found');
        }
        await sound.delete(box, signal);
      },
    }),
  },
  'a deletion is known to one process only': {
    rule: 'a deletion ends and leaves no external resource, also if the process dies',
    says: /^after a process that was killed at step \d+, these external resources remain: \[\["first"/,
    methods(_cloud, sound) {
      const seen = new Set<string>();
      const emptied = new Set<string>();
      return {
        async observe(box, credential, signal) {
          const found = await sound.observe(box, credential, signal);
          if (!wasDeleted(box)) seen.add(nameOf(box));
          return seen.has(nameOf(box)) ? found : { exists: false, isUpToDate: false };
        },
        async delete(box, signal) {
          if (emptied.has(nameOf(box))) await sound.delete(box, signal);
          else await sound.observe(box, undefined, signal);
          emptied.add(nameOf(box));
        },
      };
    },
  },
  'an external resource of another owner is changed': {
    rule: 'an external resource of another owner is reported, and neither taken over nor changed',
    says: /^update of an external resource that has another owner now changed the external system/,
    methods: (cloud, sound) => ({
      async update(box, credential, signal) {
        const stored = cloud.boxes.get(nameOf(box));
        if (stored === undefined || stored.owner === box.metadata.name)
          return sound.update(box, credential, signal);
        cloud.boxes.set(nameOf(box), { ...stored, size: box.spec.forProvider.size ?? 0 });
        return {};
      },
    }),
  },
  'an external resource of another owner is deleted': {
    rule: 'a deletion ends and keeps an external resource of another owner',
    says: /^delete of an external resource that has another owner now changed the external system/,
    methods: (cloud, sound) => ({
      async delete(box, signal) {
        const stored = cloud.boxes.get(nameOf(box));
        if (stored === undefined || stored.owner === box.metadata.name) await sound.delete(box, signal);
        else cloud.boxes.delete(nameOf(box));
      },
    }),
  },
  'details of another owner are published': {
    rule: 'no connection details are published of an external resource of another owner that is only observed',
    says: /^a resource that only observes an external resource of another owner publishes endpoint, seal/,
    methods: (cloud, sound) => ({
      observe(box, credential, signal) {
        const owner = cloud.boxes.get(nameOf(box))?.owner ?? box.metadata.name;
        const isObserver = box.spec.managementPolicies?.join() === 'Observe';
        const target = isObserver ? { ...box, metadata: { ...box.metadata, name: owner } } : box;
        return sound.observe(target, credential, signal);
      },
    }),
  },
  'an error differs each time': {
    rule: 'the same error has the same message each time',
    says: /^observe fails first with "the boxes answered: request \d+ failed" and then with/,
    parts() {
      let requests = 0;
      return {
        reported() {
          requests += 1;
          return `request ${requests} failed`;
        },
      };
    },
  },
  'an error has the password': {
    rule: 'errors hold no secrets and no control characters',
    says: /^the error of update holds a secret: cannot set password \*\*\*: /,
    methods: (_cloud, sound) => ({
      update: (box, credential, signal) =>
        sound.update(box, credential, signal).catch((error: unknown) => {
          throw credential === undefined
            ? error
            : new Error(`cannot set password ${credential.value}: ${error}`);
        }),
    }),
  },
  'an error has control characters': {
    rule: 'errors hold no secrets and no control characters',
    says: /^the error of observe has control characters: .*\\u001b\[31mred/,
    parts: () => ({ reported: ({ message }) => message.replaceAll('box-token', '***') }),
  },
  'a call ignores its signal': {
    rule: 'an aborted call ends at once',
    says: /^observe continues although its signal was aborted/,
    methods: (_cloud, sound) => ({ observe: (box, credential) => sound.observe(box, credential, never) }),
  },
  'an error quotes the credentials': {
    rule: 'invalid credentials are reported but never quoted',
    says: /^the output quotes the credentials/,
    connect: (cloud) => (env, kinds) => {
      const read = providerFacts(env, kinds);
      return async (managed) => {
        const { text } = heldCredentials((await read(managed)).credentials);
        if (!text.startsWith('{')) throw new Error(`"${text.slice(0, 10)}…" is no JSON`);
        return { client: cloud };
      };
    },
  },
  'a failure counts as the end of an operation': {
    rule: 'poll changes nothing and does not treat a failure as the end of an operation',
    says: /^poll treats a failure of the system as an answer/,
    isSlow: true,
    methods: (cloud, sound) => ({
      async poll(name, signal) {
        if (cloud.failure !== undefined) return { state: 'unknown' };
        return sound.poll?.(name, signal) ?? { state: 'unknown' };
      },
    }),
  },
  'an immutable field is not compared': {
    rule: 'a difference in an immutable field is reported',
    says: /^a difference from the original \{"material":"tin"\} is not reported: Synced is True/,
    parts: () => ({ isMadeOf: () => true }),
  },
  'a name that tags can change': {
    rule: 'tags of forProvider never change the owner of an external resource',
    says: /belongs to heir|is not Ready and Synced/,
    parts: () => ({
      ownerOf: ({ metadata, spec: { forProvider } }) =>
        forProvider.tags?.['crossplane-name'] ?? metadata.name,
    }),
  },
  'long names are cut': {
    rule: 'names of 63 characters work and stay different if they begin alike',
    says: /^a second resource with a name of 63 characters did not become Ready .*belongs to/,
    parts: () => ({ nameOf: (box) => nameOf(box).slice(0, 40) }),
  },
};

describe('a client that breaks a rule is found by that rule, and by no other', () => {
  for (const [name, { rule, says, parts, methods, connect, isSlow }] of Object.entries(broken)) {
    test(name, async () => {
      const open: Open = (given) =>
        boxWorld(given, {
          ...(connect && { connect }),
          client(cloud) {
            const sound = isSlow ? slowBoxClient(cloud) : boxClient(cloud, parts?.(cloud));
            const client = { ...sound, ...methods?.(cloud, sound) } as ExternalClient<Box>;
            return () => client;
          },
        });
      const skipped = isSlow ? knownNames : promptly;
      const found = omitBy(await brokenRules(open), (_message, each) => each in skipped);
      assert.deepEqual(Object.keys(found), [rule], JSON.stringify(found, null, 2));
      assert.match(found[rule] ?? '', says);
      assert.match(found[rule] ?? '', /\. To fix: /);
    });
  }

  test('each rule that a client can break has one', () => {
    const met = new Set(Object.values(broken).map(({ rule }) => rule));
    const others = rules.map(({ name }) => name).filter((name) => !met.has(name));
    assert.deepEqual(others, [
      // Without it nothing can be tried at all.
      'a created resource becomes available and is one external resource',
      // Held up by the framework, whatever a client does.
      'an edit of the external name is reported and creates no second external resource',
      // The boxes have names that are known beforehand.
      ...Object.keys(knownNames),
    ]);
  });
});
