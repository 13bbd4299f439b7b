import { restrictsNamespaces } from '../claim/may-claim.ts';
import { failing } from '../step-failure.ts';
import type { BindingContext, RunMemory } from './context.ts';
import type { BindingCall, BindingFacts, ReadFirst } from './decision.ts';
import { readClaimSecret } from './observe.ts';
import { secretKeyOfClaim } from './observe-secrets.ts';
import { cannotBind, cannotRead } from './outcome.ts';

/**
 * Reads from the API server the objects on which the call depends. Returns `news` if it read any (the caller then
 * decides again), `gone` if the claim does not exist, else `nothing`. Throws a conflict if the claim has changed.
 */
export function readingFirst({ env, claims, secrets, namespaces }: BindingContext) {
  return async function readFirst(
    { readFirst: wanted = [] }: BindingCall,
    observed: BindingFacts,
    run: RunMemory,
    signal: AbortSignal,
  ): Promise<'news' | 'gone' | 'nothing'> {
    const needed = wanted.filter((one) => !run.hasRead.has(one) && isNeeded(one, observed, run));
    for (const one of needed) {
      run.hasRead.add(one);
      await read(one, observed, run, signal);
    }
    if (needed.length > 0) return 'news';
    if (!wanted.includes('claim')) return 'nothing';
    const confirming = claims.confirm(observed.claim, signal);
    const confirmed = await failing('cannot get resource claim', confirming, cannotBind);
    return confirmed === undefined ? 'gone' : 'nothing';
  };

  function isNeeded(
    one: ReadFirst,
    { claim, managed, service }: BindingFacts,
    { deleted }: RunMemory,
  ): boolean {
    const secretKey = secretKeyOfClaim(claim);
    switch (one) {
      case 'claim':
        return false; // `confirm` above reads it right before the call
      case 'claimSecret': // the cache has only Secrets of the connection type
        return secretKey !== undefined && secrets.get(secretKey) === undefined;
      case 'namespace':
        return restrictsNamespaces(managed);
      case 'namedResource': {
        // The cache may lack a resource that was just created for the claim. One that this run deleted is known.
        const { name } = claim.spec.resourceRef ?? {};
        if (service === undefined || name === undefined) return false;
        return !deleted.has(env.resource(service.managed).get({ name })?.metadata.uid);
      }
    }
  }

  async function read(one: ReadFirst, { claim, service }: BindingFacts, run: RunMemory, signal: AbortSignal) {
    const { namespace = '' } = claim.metadata;
    const { name = '' } = claim.spec.resourceRef ?? {};
    if (one === 'claimSecret') await readClaimSecret(secrets, claim, run, signal);
    if (one === 'namespace') {
      const reading = namespaces.now(namespace, signal);
      run.namespace = await failing('cannot get the namespace of the claim', reading, cannotRead);
    }
    if (one === 'namedResource' && service !== undefined) {
      const reading = env.resource(service.managed).fetch({ name }, signal);
      await failing('cannot get managed resource', reading, cannotRead);
    }
  }
}
