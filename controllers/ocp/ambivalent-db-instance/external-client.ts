import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { AmbivalentDBInstance } from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { isConflicting } from '../../../clients/cloud-error.ts';
import type { Database, OtherCloudClient } from '../../../clients/other-cloud.ts';
import { claimCandidate, ownerOf } from '../../author/ownership.ts';
import type { ExternalClient } from '../../core/managed/external-client.ts';
import { detailsOf, differenceOf, newDatabase, observationOf } from './desired-state.ts';

export interface AmbivalentDBInstanceOptions {
  readonly cloud: OtherCloudClient;
  /** Yields a new one at each call. */
  readonly generatePassword: () => string;
}

/** AmbivalentDB databases in Other Cloud. Their names are known before they are created. */
export function ambivalentDBInstanceClient({
  cloud: { databases },
  generatePassword,
}: AmbivalentDBInstanceOptions): ExternalClient<AmbivalentDBInstance> {
  return {
    async observe(managed, known, signal) {
      const database = await databases.get(nameOf(managed), signal);
      if (database === undefined || claim(managed, database) === 'notOurs') {
        return { exists: false, isUpToDate: false };
      }
      return observationOf(managed, database, known, ownerOf(managed));
    },

    async create(managed, known, signal) {
      const name = nameOf(managed);
      // A password that was published once stays: applications may hold it.
      const password = known.password ?? generatePassword();
      const wanted = newDatabase(managed, { name, owner: ownerOf(managed), password });
      try {
        return { details: detailsOf(await databases.create(wanted, signal), password) };
      } catch (error) {
        if (!isConflicting(error)) throw error;
        const existing = await databases.get(name, signal);
        if (existing === undefined) throw error;
        claim(managed, existing);
        // From an attempt whose answer was lost, and its password with it: the next look asks for a new one.
        return {};
      }
    },

    async update(managed, known, signal) {
      const name = nameOf(managed);
      const database = await databases.get(name, signal);
      if (database === undefined) throw new Error(`database "${name}" does not exist any more`);
      claim(managed, database);
      const { change, needsPassword, immutable } = differenceOf(managed, database, known, ownerOf(managed));
      const adminPassword = needsPassword ? generatePassword() : undefined;
      const wanted = { ...change, ...(adminPassword === undefined ? {} : { adminPassword }) };
      const changed =
        Object.keys(wanted).length === 0 ? database : await databases.update(name, wanted, signal);
      // A new password must get out of here first; what cannot be changed is reported the next time.
      if (immutable.length > 0 && adminPassword === undefined) {
        throw new Error(
          `cannot change ${immutable.join(' and ')}: immutable in the cloud; set it back, or create a new resource`,
        );
      }
      return { details: detailsOf(changed, adminPassword ?? known.password) };
    },

    async delete(managed, signal) {
      const name = nameOf(managed);
      // Since it was observed it may have become somebody else's.
      const database = await databases.get(name, signal);
      if (database !== undefined && claim(managed, database) === 'ours') await databases.delete(name, signal);
    },
  };
}

const claim = (managed: AmbivalentDBInstance, { uuid, databaseName, labels }: Database): 'ours' | 'notOurs' =>
  claimCandidate(managed, {
    what: `database "${databaseName}"`,
    tags: labels,
    isKnown: managed.status?.uuid === uuid,
  });

const nameOf = (managed: AmbivalentDBInstance): string => externalName(managed) ?? managed.metadata.name;
