import isString from 'lodash/isString.js';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import type { ReportedDetails } from '../../apis/core/v1alpha1/secret.ts';
import type {
  Created,
  Creation,
  DesiredCredential,
} from '../../controllers/managed/connecting/external-client.ts';
import type { Bench } from '../bench.ts';
import { expect, needed, Skipped } from '../verdict.ts';
import { finished, observe } from './calls.ts';
import type { Rule } from './rule.ts';

const { signal } = new AbortController();

/** The key of the credential. Throws Skipped if the kind or this object has no credential. */
function credentialKey(bench: Bench): string {
  const { credential } = bench.process.service.secretDetails ?? {};
  if (credential === undefined) throw new Skipped('the kind declares no `credential`');
  if (bench.newCredential() === undefined)
    throw new Skipped('a resource with this `forProvider` has no credential');
  return credential.key;
}

const setsWhatItReceives: Rule = {
  name: 'create and update set the credential that they receive, and return none',
  async check(bench) {
    const key = credentialKey(bench);
    const opens = needed(bench.world.opens, 'world.opens');
    let draft = bench.draft('first');
    const client = await bench.client(draft);
    const next = (): DesiredCredential => bench.newCredential(draft) ?? { value: '', isApplied: false };
    /** One call and its operation, to the end. */
    const call = async (name: 'create' | 'update', credential: DesiredCredential): Promise<Created> => {
      const answer: Creation<Managed, string> = await bench.settled(
        client[name](draft, credential, signal),
        name,
      );
      await finished(bench, client, answer);
      expectNone(name, answer.details, key);
      await bench.passTime(bench.longMs); // until the credential is in force
      return answer;
    };
    const isInForce = async (credential: DesiredCredential): Promise<boolean> => {
      const { details } = await observe(bench, draft, credential);
      return opens.call(bench.world, { ...withoutNulls(details), [key]: credential.value });
    };

    const [first, second, third] = [next(), next(), next()];
    const { externalName } = await call('create', first);
    if (externalName !== undefined) {
      draft = bench.draft('first', undefined, {
        annotations: { [annotationKeys.externalName]: externalName },
      });
    }
    expect(
      await isInForce(first),
      'the credential that create received does not work',
      'create the external resource with `credential.value`',
    );

    const { isExisting = false } = await call('create', second);
    expect(
      await isInForce(isExisting ? first : second),
      isExisting
        ? 'create returned `isExisting`, but has set the credential'
        : 'create found an existing external resource, did not return `isExisting`, and did not set the credential',
      'return `isExisting: true`, and do not set the credential; `create` of `MarkedAccounts` sets it instead',
    );

    await call('update', third);
    expect(
      await isInForce(third),
      'a credential that was not applied does not work after update',
      'set `credential.value` in update unless `credential.isApplied`',
    );
    await call('update', { ...next(), isApplied: true });
    expect(
      await isInForce(third),
      'update sets a credential that is already applied',
      'set `credential.value` in update only if it is not `credential.isApplied`',
    );
  },
};

const withoutNulls = (details: ReportedDetails = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(details).flatMap(([key, value]) => (isString(value) ? [[key, value]] : [])),
  );

const expectNone = (call: string, details: ReportedDetails | undefined, key: string): void =>
  expect(
    !isString(details?.[key]),
    `${call} returns \`${key}\` in the details`,
    'leave it out: the credential was received, and is in the Secret already',
  );

const reportsWhatContainsIt: Rule = {
  name: 'observe reports the details that contain the received credential, but not the credential itself',
  async check(bench) {
    const key = credentialKey(bench);
    const { managed, known, credential } = await bench.ready();
    const value = credential?.value ?? '';
    const other = bench.newCredential(managed) ?? { value: '', isApplied: false };
    const { details = {} } = await observe(bench, managed, other);
    expectNone('observe', details, key);
    for (const [name, text] of Object.entries(known)) {
      if (name === key || !text.includes(value)) continue;
      expect(
        details[name] === text.replaceAll(value, other.value),
        `observe reports \`${name}\` with another credential than the received one`,
        'build the details that contain the credential from `credential.value`',
      );
    }
  },
};

/** More steps than any change of a credential takes. */
const mostSteps = 20;

const followsSecret: Rule = {
  name: 'a credential that is lost with its Secret is replaced, also if the process dies',
  async check(bench) {
    const key = credentialKey(bench);
    await bench.ready();
    for (let steps = 0; steps <= mostSteps; steps += 1) {
      const { [key]: lost } = bench.published('first');
      bench.loseSecret('first');
      if (steps > 0) bench.process.stepsLeft = steps;
      const isReplaced = (): boolean => {
        const { [key]: now } = bench.published('first');
        return now !== undefined && now !== lost && bench.isReady('first');
      };
      await bench.pass('first');
      const unless = 'the Secret was deleted, but no new credential was set';
      await bench.until('first', () => bench.process.hasCrashed || isReplaced(), unless, fix);
      const hasSurvived = steps > 0 && !bench.process.hasCrashed;
      if (bench.process.hasCrashed) bench.restart();
      const when = steps === 0 ? '' : `after a process that was killed at step ${steps}, `;
      await bench.until('first', isReplaced, `${when}no new credential was set`, fix);
      const isGood = await bench.world.opens?.(bench.published('first'));
      expect(isGood !== false, `${when}the credential in the Secret does not work`, fix);
      const { length } = await bench.externals();
      expect(
        length === 1,
        `${when}there are ${length} external resources`,
        'set the credential of the existing external resource',
      );
      if (hasSurvived) break;
    }
  },
};

const fix =
  'set `credential.value` in update unless `credential.isApplied`, and return `inForce` in observe only for a tested credential';

export const credentials: readonly Rule[] = [setsWhatItReceives, reportsWhatContainsIt, followsSecret];
