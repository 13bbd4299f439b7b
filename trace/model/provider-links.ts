import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { credentialsKeyOf } from './credentials-key.ts';
import { thereOf } from './findings.ts';
import { going, link, missing, named } from './link-parts.ts';
import type { Link } from './trace.ts';
import type { View } from './view.ts';
import { conditionsOf, readyOf, syncedOf } from './view.ts';

/** The provider, with its credentials and its external system. */
export function providerLinks(view: View, more: readonly Link[] = []): readonly Link[] {
  const { provider, providerName, now } = view;
  if (providerName === undefined) return [];
  const { kind, name, kindOf } = providerName;
  const title = `${kind} ${name} (${kindOf.group})`;
  const object = thereOf(provider);
  if (object === undefined) return [link('provider', title, missing(provider))];
  const { users } = (object as { readonly status?: { readonly users?: number } }).status ?? {};
  return [
    link('provider', title, {
      state: wasDeleted(object) || readyOf(object).status === 'False' ? 'waits' : 'ok',
      says: [
        ...(users === undefined ? [] : [`${users} user${users === 1 ? '' : 's'}`]),
        ...going(object, now),
      ],
      conditions: conditionsOf(object),
      links: [credentialsLink(view), serverLink(view), ...more],
    }),
  ];
}

function credentialsLink({ provider, credentials }: View): Link {
  const object = thereOf(provider);
  const reference = credentialsKeyOf(object);
  if (object !== undefined && reference === undefined) {
    const { spec } = object as { readonly spec: { readonly credentials?: { readonly source?: string } } };
    const source = spec.credentials?.source ?? 'nowhere';
    return link('credentials', `credentials from ${source}`, {
      state: 'unknown',
      says: ['they are not in a secret, so that only the controllers see them'],
    });
  }
  if (reference === undefined || credentials === undefined)
    return link('credentials', 'credentials', { state: 'none' });
  const title = `credentials: secret ${objectKeyText(reference)}`;
  const { secret } = credentials;
  if (secret.is === 'unsought')
    return link('credentials', title, { state: 'unknown', says: ['not read here'] });
  if (secret.is !== 'there') return link('credentials', title, missing(secret));
  const has = secret.value.keys.includes(reference.key);
  return link('credentials', title, {
    state: has && !secret.value.emptyKeys.includes(reference.key) ? 'ok' : 'waits',
    says: [`there, ${has ? 'has' : 'has no'} key "${reference.key}"`],
  });
}

/** The result of the last call of the external system, for the managed resource or for any user of the provider. */
function serverLink(view: View): Link {
  const { theManaged, provider, users } = view;
  const ofProvider = readyOf(thereOf(provider));
  if (theManaged === undefined && ofProvider.status !== 'Unknown') {
    return link('server', 'external system', {
      state: ofProvider.status === 'True' ? 'ok' : 'waits',
      says: [ofProvider.message ?? ofProvider.reason ?? ofProvider.status],
    });
  }
  const observed = (theManaged === undefined ? (thereOf(users) ?? []) : [theManaged]).map(syncedOf);
  const isGood = observed.some(({ status }) => status === 'True');
  const bad = observed.find(({ status, reason }) => status === 'False' && reason !== 'ReconcilePaused');
  if (isGood) return link('server', 'external system', { says: ['answered the last call'] });
  if (bad === undefined) {
    return link('server', 'external system', { state: 'unknown', says: ['not called yet'] });
  }
  return link('server', 'external system', { state: 'waits', says: [bad.message ?? bad.reason ?? 'fails'] });
}

/** The managed resources that use a class or provider. */
export function usersLink({ users }: View): Link {
  const all = thereOf(users);
  if (all === undefined) return link('users', 'used by', missing(users));
  const ready = all.filter((one) => readyOf(one).status === 'True').length;
  const names = all.map(({ metadata }) => metadata.name).toSorted();
  return link('users', 'used by', {
    says: [`${all.length} managed resources, ${ready} ready${names.length === 0 ? '' : `: ${named(names)}`}`],
  });
}
