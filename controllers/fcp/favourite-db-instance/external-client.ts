import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { FavouriteDBInstance } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { isConflicting } from '../../../clients/cloud-error.ts';
import type { FavouriteCloudClient, Instance } from '../../../clients/favourite-cloud.ts';
import { claimCandidate, ownerOf } from '../../author/ownership.ts';
import type { ExternalClient } from '../../core/managed/external-client.ts';
import { detailsOf, differenceOf, newInstance, observationOf } from './desired-state.ts';

export interface FavouriteDBInstanceOptions {
  readonly cloud: Pick<FavouriteCloudClient, 'instances'>;
  /** Yields a new one at each call. */
  readonly generatePassword: () => string;
}

/** FavouriteDB instances in Favourite Cloud. Their names are known before they are created. */
export function favouriteDBInstanceClient({
  cloud: { instances },
  generatePassword,
}: FavouriteDBInstanceOptions): ExternalClient<FavouriteDBInstance> {
  return {
    async observe(managed, known, signal) {
      const instance = await instances.get(nameOf(managed), signal);
      if (instance === undefined || claim(managed, instance) === 'notOurs') {
        return { exists: false, isUpToDate: false };
      }
      return observationOf(managed, instance, known, ownerOf(managed));
    },

    async create(managed, known, signal) {
      const name = nameOf(managed);
      // A password that was published once stays: applications may hold it.
      const password = known.password ?? generatePassword();
      const wanted = newInstance(managed, { name, owner: ownerOf(managed), password });
      try {
        return { details: detailsOf(await instances.create(wanted, signal), password) };
      } catch (error) {
        if (!isConflicting(error)) throw error;
        const existing = await instances.get(name, signal);
        if (existing === undefined) throw error;
        claim(managed, existing);
        // From an attempt whose answer was lost, and its password with it: the next look asks for a new one.
        return {};
      }
    },

    async update(managed, known, signal) {
      const name = nameOf(managed);
      const instance = await instances.get(name, signal);
      if (instance === undefined) throw new Error(`instance "${name}" does not exist any more`);
      claim(managed, instance);
      const { change, needsPassword, immutable } = differenceOf(managed, instance, known, ownerOf(managed));
      const password = needsPassword ? generatePassword() : undefined;
      const wanted = { ...change, ...(password === undefined ? {} : { password }) };
      const changed =
        Object.keys(wanted).length === 0 ? instance : await instances.update(name, wanted, signal);
      // A new password must get out of here first; what cannot be changed is reported the next time.
      if (immutable.length > 0 && password === undefined) {
        throw new Error(
          `cannot change ${immutable.join(' and ')}: immutable in the cloud; set it back, or create a new resource`,
        );
      }
      return { details: detailsOf(changed, password ?? known.password) };
    },

    async delete(managed, signal) {
      const name = nameOf(managed);
      // Since it was observed it may have become somebody else's.
      const instance = await instances.get(name, signal);
      if (instance !== undefined && claim(managed, instance) === 'ours') await instances.delete(name, signal);
    },
  };
}

const claim = (managed: FavouriteDBInstance, { id, name, tags }: Instance): 'ours' | 'notOurs' =>
  claimCandidate(managed, {
    what: `instance "${name}"`,
    tags,
    isKnown: managed.status?.id === id,
  });

const nameOf = (managed: FavouriteDBInstance): string => externalName(managed) ?? managed.metadata.name;
