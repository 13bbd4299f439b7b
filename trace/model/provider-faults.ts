import omit from 'lodash/omit.js';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../apis/core/v1alpha1/reference.ts';
import { wasBound } from '../../controllers/core/claim/ownership.ts';
import { deploymentOf } from './controller-faults.ts';
import { credentialsKeyOf } from './credentials-key.ts';
import type { Failure } from './external-trouble.ts';
import { externalTrouble, isOfClass } from './external-trouble.ts';
import type { Find } from './fault-finding.ts';
import { adviceOf, keyOf, meantIn } from './fault-finding.ts';
import { thereOf, unsought } from './findings.ts';
import { ofTaken } from './holding.ts';
import { named } from './link-parts.ts';
import { annotate, describeKey, describeObject, kubectl, lookAgain, making, putCredentials } from './mend.ts';
import type { Fault } from './trace.ts';
import type { View } from './view.ts';
import { readyOf, syncedOf } from './view.ts';

/** Nothing says where it is to be made. */
export const missingProvider: Find = (view) => {
  const { provider, providerName, theManaged } = view;
  if (provider.is !== 'absent' || providerName === undefined) return undefined;
  if (theManaged !== undefined && wasDeleted(theManaged) && !hasFinalizer(theManaged, finalizerNames.managed))
    return undefined;
  const { kind, name, kindOf } = providerName;
  const create = making({ kind, name });
  return {
    link: 'provider',
    cause: `${kind} ${name} (${apiVersionOf(kindOf)}) does not exist, so that nobody knows where to make it, nor as whom.`,
    ...adviceOf(meantIn(view), create.advice),
    mend: create.mend,
  };
};

/** `Provider a, ProviderConfig b have their`: who else has credentials from a provider's secret; undefined: nobody known. */
function whoShares({ sharing = unsought }: View): { readonly who: string; readonly has: string } | undefined {
  const others = thereOf(sharing) ?? [];
  if (others.length === 0) return undefined;
  return { who: named(others.map(describeObject)), has: others.length === 1 ? 'has its' : 'have their' };
}

/**
 * What puts other credentials where the provider has its own; nothing where they are in no secret. A secret that others
 * have theirs from, too, or may have, is not changed: it might lead their resources elsewhere. Nor is one that somebody
 * else writes.
 */
function otherCredentials(view: View): Pick<Fault, 'advice' | 'mend'> {
  const { provider, providerName, credentials, sharing } = view;
  const edit = providerName === undefined ? [] : [kubectl('edit', providerName.kindOf, providerName)];
  const reference = credentialsKeyOf(thereOf(provider));
  if (reference === undefined) return { mend: edit };
  const isThere = credentials?.secret.is !== 'absent';
  const others = whoShares(view);
  const { advice, mend } = putCredentials(reference, { isThere, entries: providerName?.credentialEntries });
  if (!isThere) {
    // Whoever else waits for it is served by it, too.
    const too =
      others && `${others.who} ${others.has} credentials from there, too: it must lead where those mean.`;
    return { ...adviceOf(too, advice), mend };
  }
  const secret = credentials && thereOf(credentials.secret)?.secret;
  const writer = secret && controllerOf(secret);
  const anew = 'make a secret of its own for this one, and name it there:';
  if (writer !== undefined) {
    return {
      advice: `What is in the secret is for ${writer.kind} ${writer.name} to write, which controls it. Have it put right there, or ${anew}`,
      mend: edit,
    };
  }
  if (others !== undefined) {
    return {
      advice: `${others.who} ${others.has} credentials from the same secret, which a change would lead elsewhere, too. Unless that is meant, ${anew}`,
      mend: edit,
    };
  }
  if (sharing?.is === 'withheld') {
    return {
      advice: `Whether others have their credentials from the same secret, you may not see: who may can change it. Or ${anew}`,
      mend: edit,
    };
  }
  return { ...adviceOf(advice), mend };
}

/** Their secret, or the key in it, is not there. */
export const missingCredentials: Find = (view) => {
  const { provider, providerName, credentials } = view;
  const reference = credentialsKeyOf(thereOf(provider));
  if (credentials === undefined || reference === undefined || providerName === undefined) return undefined;
  const who = `${providerName.kind} ${providerName.name}`;
  const { secret } = credentials;
  const mending = otherCredentials(view);
  if (secret.is === 'absent') {
    return {
      link: 'credentials',
      cause: `The secret ${describeKey(credentials.key)} with the credentials of ${who} does not exist.`,
      ...mending,
    };
  }
  if (secret.is !== 'there') return undefined;
  if (!secret.value.keys.includes(reference.key)) {
    const has = secret.value.keys.length === 0 ? 'nothing' : secret.value.keys.join(', ');
    return {
      link: 'credentials',
      cause: `The secret ${describeKey(credentials.key)} of ${who} has no key "${reference.key}"; it has ${has}.`,
      ...mending,
    };
  }
  if (!secret.value.emptyKeys.includes(reference.key)) return undefined;
  return {
    link: 'credentials',
    cause: `The key "${reference.key}" of the secret ${describeKey(credentials.key)} of ${who} is empty.`,
    ...mending,
  };
};

/** What a ProviderConfig says of itself. */
export const providerTold: Find = (view) => {
  const { provider, providerName, subject } = view;
  const object = thereOf(provider);
  if (object === undefined || providerName === undefined || subject.known.sort !== 'provider')
    return undefined;
  const { status } = object as {
    readonly status?: { readonly conditions?: Parameters<typeof getCondition>[0] };
  };
  const ready = getCondition(status?.conditions, 'Ready');
  if (ready.status !== 'False') return undefined;
  const isSilent = ready.reason === 'NoAnswer';
  return {
    link: isSilent ? 'server' : 'credentials',
    cause: `${describeObject(object)} is not ready: ${ready.message ?? ready.reason}.`,
    ...(isSilent ? { mend: [] } : otherCredentials(view)),
  };
};

/** What those say that failed: the managed resource; of a class or provider those that use it; and the provider itself. */
function reportedFailures({ theManaged, provider, users, subject }: View): readonly Failure[] {
  const { sort } = subject.known;
  const looked = sort === 'class' || sort === 'provider' ? (thereOf(users) ?? []) : [theManaged];
  const own = thereOf(provider) as Parameters<typeof readyOf>[0];
  return [...looked.map(syncedOf), readyOf(own)].flatMap(failureIn);
}

/** The failure that a condition reports; none if it is not False, or says nothing. */
const failureIn = ({ status, message, error }: ReturnType<typeof syncedOf>): readonly Failure[] =>
  status === 'False' && message !== undefined ? [{ message, error }] : [];

/** The provider leads to another system than the one in which something was made. */
export const otherSystem: Find = (view) => {
  const { theManaged, managedService, providerName } = view;
  const words = reportedFailures(view).find(({ error }) => isOfClass(error, 'OtherSystem'))?.message;
  if (words === undefined || providerName === undefined) return undefined;
  const one =
    theManaged === undefined || managedService === undefined
      ? `the annotation ${annotationKeys.adoptIdentity}=true`
      : annotate(managedService.kind, keyOf(theManaged), `${annotationKeys.adoptIdentity}=true`);
  const isSecret = credentialsKeyOf(thereOf(view.provider)) !== undefined;
  const others = whoShares(view);
  const too =
    others &&
    `${others.who} ${others.has} credentials from the same secret: what is changed there leads the resources of ${others.has === 'has its' ? 'that' : 'those'}, too.`;
  const where = isSecret
    ? 'the secret with its credentials, the secret that it names, or what else its spec says, as a project or a region'
    : 'what leads there';
  // Neither is for pasting: whoever does not know which of the two is so makes everything anew in another system.
  return {
    link: isSecret ? 'credentials' : 'provider',
    cause: `${providerName.kind} ${providerName.name} leads to another system by now: ${words}.`,
    ...adviceOf(
      too,
      `Either somebody led it elsewhere by mistake: put back ${where}. Or both are known to be one system, by another name: say so, of this resource, with ${one}. Nothing is lost while nothing is done.`,
    ),
    mend: [kubectl('get', providerName.kindOf, providerName, '-o', 'yaml')],
  };
};

/** The controllers may not read or write a secret where it is. */
export const secretOutOfReach: Find = (view) => {
  const { theClaim, credentials, source, lease, subject } = view;
  const ofClaim = subject.known.sort === 'claim' ? [syncedOf(theClaim), readyOf(theClaim)] : [];
  const found = [...reportedFailures(view), ...ofClaim.flatMap(failureIn)].find(({ error }) =>
    isOfClass(error, 'SecretsForbidden', 'SecretsExcluded'),
  );
  if (found === undefined) return undefined;
  const isExcluded = isOfClass(found.error, 'SecretsExcluded');
  const namespace = found.error?.namespace;
  const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  const { namespace: place, name } = deploymentOf(lease);
  const link =
    credentials?.key.namespace === namespace
      ? 'credentials'
      : source?.key.namespace === namespace
        ? 'resource secret'
        : 'claim secret';
  return {
    link,
    cause: `The controllers may not touch the secrets of ${where}: ${found.message}.`,
    advice: !isExcluded
      ? 'Bind the role for secrets to their service account there, or keep the secret where they may.'
      : 'Add the namespace to --secret-namespaces, and the Role there; or keep the secret in one that is among them.',
    mend: [
      !isExcluded
        ? `kubectl -n ${namespace} get rolebindings -o wide`
        : `kubectl -n ${place} edit deployment ${name}`,
    ],
  };
};

/**
 * What was said of the last look at the external system: by the managed resource; of a class or provider by those that use
 * it, if none fares better; where none may be read, by the claim.
 */
function lastFailure({ theManaged, theClaim, managed, subject, users }: View): Failure | undefined {
  const { sort } = subject.known;
  if (sort === 'class' || sort === 'provider') {
    const looked = (thereOf(users) ?? []).map(syncedOf).filter(({ status }) => status !== 'Unknown');
    if (looked.some(({ status }) => status === 'True')) return undefined;
    return looked.flatMap(failureIn).find(({ error }) => externalTrouble(error) !== undefined);
  }
  if (theManaged !== undefined) return failureIn(syncedOf(theManaged))[0];
  if (managed.is !== 'withheld' || theClaim === undefined) return undefined;
  const told = [readyOf(theClaim), syncedOf(theClaim)].flatMap(({ message, error }) =>
    message === undefined ? [] : [{ message, error }],
  );
  return told.find(({ error }) => error !== undefined);
}

/** The fields that every claim has. */
const coreFields = ['writeConnectionSecretToRef', 'classSelector', 'classRef', 'resourceRef'];

/** What a claim asks for is fixed once it has a resource. */
function adviceToClaim({ theClaim }: View): string {
  const asked =
    theClaim === undefined || wasBound(theClaim) ? [] : Object.keys(omit(theClaim.spec, coreFields));
  if (asked.length === 0) return '';
  const fields = named(asked.map((field) => `spec.${field}`));
  return `What the claim asks for (${fields}) cannot be changed: if that is refused, create another claim that asks for something else. Otherwise: `;
}

/** The last call of the external system failed, with an error of these classes. */
export const outside =
  (...names: readonly string[]): Find =>
  (view) => {
    const failure = lastFailure(view);
    const trouble = externalTrouble(failure?.error);
    if (trouble === undefined || failure === undefined || !names.includes(trouble.name)) return undefined;
    const { message: words, error } = failure;
    const { theManaged, managedService, provider, providerName } = view;
    const who = providerName === undefined ? 'The provider' : `${providerName.kind} ${providerName.name}`;
    const reference = credentialsKeyOf(thereOf(provider));
    const itself =
      theManaged && managedService ? ([managedService.kind, keyOf(theManaged)] as const) : undefined;
    const again = itself === undefined ? [] : [lookAgain(...itself)];
    const edit = itself === undefined ? [] : [kubectl('edit', ...itself)];
    const { link } = trouble;
    const others = otherCredentials(view);
    switch (trouble.name) {
      case 'wrong credentials':
        // AWS refuses the wrong region as it refuses credentials, which may be good.
        if (providerName !== undefined && error?.advice?.includes('ChangeProvider')) {
          const mend = [kubectl('edit', providerName.kindOf, providerName)];
          return {
            link: 'provider',
            cause: `${who} signs requests for a region that does not take them: ${words}.`,
            mend,
          };
        }
        return {
          link,
          cause: `The credentials of ${who} are refused: ${words}.`,
          ...others,
        };
      case 'not allowed':
        return {
          link,
          cause: `The credentials of ${who} are known, and do not allow what is needed: ${words}.`,
          ...adviceOf(
            `Give them the right in the external system; or put in others, with which all that uses ${who} is served then.`,
            others.advice,
          ),
          mend: reference === undefined ? again : others.mend,
        };
      case 'provider down':
        return {
          link,
          cause: `The system that ${who} leads to does not answer as it should: ${words}.`,
          advice: 'Once it answers, all goes on by itself. To have it tried at once:',
          mend: again,
        };
      case 'rate limited':
        return {
          link,
          cause: `The system that ${who} leads to limits requests: ${words}.`,
          advice: 'It is tried again by itself; --max-external-calls-per-second asks less often.',
          mend: [],
        };
      case 'quota':
        return {
          link,
          cause: `The system that ${who} leads to has no room left for it: ${words}.`,
          advice: 'Have the quota raised there, or delete what nobody needs. To have it tried at once then:',
          mend: again,
        };
      case 'name taken':
        return { link, ...ofTaken(view, failure) };
      case 'refused':
        return {
          link,
          cause: `The external system refuses what is asked for: ${words}.`,
          advice: `${adviceToClaim(view)}Change what is asked for, in the managed resource and in the class that it was made from.`,
          mend: edit,
        };
    }
  };
