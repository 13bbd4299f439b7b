import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import type { ExternalClient } from '../../controllers/managed/connecting/external-client.ts';
import type { Bench, Ready } from '../bench.ts';
import type { ExternalCall } from '../managed-process.ts';
import { messageOf, outcomeOf } from '../outcome.ts';
import { putCredentials } from '../provider.ts';
import { expect, needed, Skipped } from '../verdict.ts';
import type { Rule } from './rule.ts';

const calls: readonly ExternalCall[] = ['observe', 'create', 'update', 'delete'];

/** One call for an existing external resource; `create` is called for one that does not exist. */
async function call(
  bench: Bench,
  name: ExternalCall,
  { managed, credential }: Ready,
  signal: AbortSignal,
): Promise<(client: ExternalClient) => Promise<unknown>> {
  const edited = { ...managed.spec.forProvider, ...bench.conformance.changes?.[0] };
  const differing = { ...managed, spec: { ...managed.spec, forProvider: edited } };
  const absent = bench.draft('absent', bench.another());
  const ways: Readonly<Record<ExternalCall, (client: ExternalClient) => Promise<unknown>>> = {
    observe: (client) => client.observe(managed, credential, signal),
    create: (client) => client.create(absent, credential, signal),
    update: (client) => client.update(differing, credential && { ...credential, isApplied: false }, signal),
    delete: async (client) => client.delete(bench.leaving(managed), signal),
  };
  return ways[name];
}

/** The message of a failing call; empty if it succeeds. */
async function messageFrom(bench: Bench, name: ExternalCall, ready: Ready): Promise<string> {
  const client = await bench.client(ready.managed);
  const make = await call(bench, name, ready, new AbortController().signal);
  return messageOf(await outcomeOf(bench.settled(make(client), name)));
}

const areStable: Rule = {
  name: 'the same error has the same message each time',
  async check(bench) {
    needed(bench.world.fail, 'world.fail');
    const ready = await bench.ready();
    bench.world.fail?.('the system is out of order');
    for (const name of calls) {
      const first = await messageFrom(bench, name, ready);
      await bench.passTime(1_500);
      const second = await messageFrom(bench, name, ready);
      expect(
        first === second,
        `${name} fails first with "${first}" and then with "${second}"`,
        'leave times, counts and request ids out of messages: each new message is a write of the status and an Event',
      );
    }
  },
};

/** Colours, a title and a bell, as from a system that writes to a terminal. */
const controls = '\u001b[31mred\u001b[0m\u0007\r\n';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about them
const control = /[\u0000-\u001f\u007f-\u009f]/;

const areFitToPrint: Rule = {
  name: 'errors hold no secrets and no control characters',
  async check(bench) {
    needed(bench.world.fail, 'world.fail');
    const ready = await bench.ready();
    const secrets = bench.secrets(ready.known);
    bench.world.fail?.(`${controls} out of order; the request was ${bench.secrets().join(' ')}`);
    const messages = new Map<string, string>();
    for (const name of calls) messages.set(`the error of ${name}`, await messageFrom(bench, name, ready));
    await bench.passes('first', 3);
    for (const [where, message] of messages) {
      expect(
        !control.test(message),
        `${where} has control characters: ${JSON.stringify(message)}`,
        'make texts of other systems printable',
      );
    }
    const { status } = bench.existing('first');
    for (const output of bench.output) messages.set(`the output (${output.slice(0, 40)}…)`, output);
    for (const { type, message = '' } of status?.conditions ?? []) messages.set(`condition ${type}`, message);
    for (const [where, message] of messages) expectNoSecret(where, message, secrets);
  },
};

function expectNoSecret(where: string, message: string, secrets: readonly string[]): void {
  const found = secrets.find((secret) => message.includes(secret));
  const shown = message.replaceAll(found ?? '\u0000', '***');
  expect(found === undefined, `${where} holds a secret: ${shown}`, 'remove sent values from received texts');
}

const honoursAbort: Rule = {
  name: 'an aborted call ends at once',
  async check(bench) {
    needed(bench.world.hang, 'world.hang');
    const ready = await bench.ready();
    const client = await bench.client(ready.managed);
    bench.world.hang?.();
    for (const name of calls) {
      const aborting = new AbortController();
      const make = await call(bench, name, ready, aborting.signal);
      const work = outcomeOf(make(client));
      await bench.clock.settle();
      aborting.abort(new Error('the run has ended'));
      const ended = await bench.settled(work, name, 1_000).then(
        () => true,
        () => false,
      );
      expect(
        ended,
        `${name} continues although its signal was aborted`,
        'pass the signal to each request and each wait',
      );
    }
  },
};

/** A rule for credentials that were never valid. */
const tellsBadCredentials: Rule = {
  name: 'invalid credentials are reported but never quoted',
  async check(bench) {
    const { credentials } = bench.world;
    // The controllers remove the whole text from messages, but not a part of it.
    const beginning = 'not-what';
    const wrong = `${beginning}-was-to-be-here`;
    const entries: ConnectionDetails =
      typeof credentials === 'string'
        ? { credentials: wrong }
        : Object.fromEntries(Object.keys(credentials).map((key) => [key, wrong]));
    putCredentials(bench.cluster, entries);
    bench.put('first');
    await bench.passes('first', 3);
    const { status, message } = bench.condition('first', 'Synced');
    if (status === 'True') throw new Skipped('the system accepts any credentials');
    expect(message !== '', 'invalid credentials are not reported', 'throw an Error');
    const output = [message, ...bench.output].find((text) => text.includes(beginning));
    expect(
      output === undefined,
      `the output quotes the credentials: ${output}`,
      'name the Secret, not its contents',
    );
  },
};

export const errors: readonly Rule[] = [areStable, areFitToPrint, honoursAbort, tellsBadCredentials];
