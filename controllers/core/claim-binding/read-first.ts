import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { restrictsNamespaces } from '../claim/may-claim.ts';
import { failing } from '../step-failure.ts';
import type { BindingCall, ReadFirst } from './decision.ts';
import type { Observed, ObserveOptions, RunMemory } from './observe.ts';
import { secretKeyOfClaim } from './observe-secrets.ts';
import { cannotBind, cannotRead } from './outcome.ts';

/**
 * Reads from the API server what has to be certain before a call. `news`: something was read, and is decided on. `gone`:
 * the claim does not exist any more. `nothing`: make the call. Throws a conflict if the claim was changed.
 */
export function readingFirst({ claims, managedResources, secrets, namespaces }: ObserveOptions) {
  return async function readFirst(
    decision: BindingCall,
    { claim, managed }: Observed,
    run: RunMemory,
    signal: AbortSignal,
  ): Promise<'news' | 'gone' | 'nothing'> {
    const reads: Readonly<Record<Exclude<ReadFirst, 'claim'>, () => Promise<unknown> | undefined>> = {
      claimSecret: () => readClaimSecret(claim, run, signal),
      namespace: () => (restrictsNamespaces(managed) ? readNamespace(claim, run, signal) : undefined),
      namedResource: () => readNamedResource(claim, signal),
    };
    let hasNews = false;
    for (const one of decision.readFirst ?? []) {
      if (one === 'claim' || run.hasRead.has(one)) continue;
      const reading = reads[one]();
      run.hasRead.add(one);
      await reading;
      hasNews ||= reading !== undefined;
    }
    if (hasNews) return 'news';
    if (decision.readFirst?.includes('claim') !== true) return 'nothing';
    const confirming = claims.confirm(claim, signal);
    const confirmed = await failing('cannot get resource claim', confirming, cannotBind);
    return confirmed === undefined ? 'gone' : 'nothing';
  };

  /** A Secret of another type than connection Secrets have is not in the store. */
  function readClaimSecret(claim: Claim, run: RunMemory, signal: AbortSignal): Promise<void> | undefined {
    const key = secretKeyOfClaim(claim);
    if (key === undefined || secrets.get(key) !== undefined) return undefined;
    const reading = secrets.fetch(key, signal).then((secret) => {
      run.target = secret;
    });
    return failing('cannot get connection secret', reading, cannotBind);
  }

  async function readNamespace(
    { metadata: { namespace = '' } }: Claim,
    run: RunMemory,
    signal: AbortSignal,
  ): Promise<void> {
    const reading = namespaces.now(namespace, signal);
    run.namespace = await failing('cannot get the namespace of the claim', reading, cannotRead);
  }

  /** The store may not have a resource that was just created for the claim. */
  function readNamedResource({ spec }: Claim, signal: AbortSignal): Promise<unknown> | undefined {
    const name = spec.resourceRef?.name;
    if (name === undefined) return undefined;
    return failing('cannot get managed resource', managedResources.fetch({ name }, signal), cannotRead);
  }
}
