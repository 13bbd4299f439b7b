import { existsUnshown, isConflicting } from '../../../package/http.ts';
import type { Observation, PollingClient } from '../../../package/stack.ts';
import {
  checkOwnership,
  ownedByAnother,
  redisDetails,
  refuse,
  wantsDetails,
} from '../../../package/stack.ts';
import { advised } from '../advised.ts';
import type { GoogleCloudClient } from '../client/google-cloud.ts';
import type { MemorystoreInstance } from '../client/memorystore.ts';
import { memorystoreStates } from '../client/memorystore.ts';
import type { CloudMemorystoreInstance } from '../kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { CloudMemorystoreInstanceKind } from '../kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { countedLabels, labelOwner } from '../labels.ts';
import { progressOf } from '../progress.ts';
import { accessTo, differenceOf, idOf, newInstance, observationOf } from './desired-state.ts';

/**
 * Memorystore instances of Google Cloud. We choose their names and they carry our labels, so that an instance from an
 * earlier attempt is found again. All changes are operations that take minutes. The cloud generates the password, and
 * returns it in each read.
 */
export function cloudMemorystoreInstanceClient({
  memorystore,
}: Pick<GoogleCloudClient, 'memorystore'>): PollingClient<CloudMemorystoreInstance> {
  return {
    async observe(managed, _credential, signal) {
      const instance = await find(managed, signal);
      if (instance === undefined) return { exists: false, isUpToDate: false };
      const another = ownedByAnother(managed, instance.labels ?? {}, labelOwner(managed));
      // guard: otherwise it reads the password of another owner
      const details = another === undefined ? await detailsOf(managed, instance, signal) : undefined;
      return { ...observationOf(managed, instance), ...(details !== undefined && { details }), ...another };
    },

    async create(managed, _credential, signal) {
      const id = idOf(managed);
      const wanted = newInstance(managed);
      try {
        return { operation: await memorystore.create(id, wanted, signal) };
      } catch (error) {
        if (!isConflicting(error)) throw advised(error, CloudMemorystoreInstanceKind);
        // It exists from an attempt whose answer was lost, or has another owner.
        // guard: otherwise it adopts an instance that is not shown
        if ((await find(managed, signal)) === undefined) throw existsUnshown(error);
        return {};
      }
    },

    async update(managed, _credential, signal) {
      const id = idOf(managed);
      const instance = await find(managed, signal);
      if (instance === undefined) throw new Error(`instance "${id.name}" does not exist any more`);
      const { redisVersion, change, mask, refused, drifted } = differenceOf(managed, instance);
      countedLabels(change.labels ?? {});
      try {
        // One operation at a time: the new configuration may need the new version.
        if (redisVersion !== undefined) {
          return { operation: await memorystore.upgrade(id, redisVersion, signal) };
        }
        if (mask.length > 0) return { operation: await memorystore.update(id, { change, mask }, signal) };
      } catch (error) {
        throw advised(error, CloudMemorystoreInstanceKind);
      }
      refuse({ refused, drifted });
      return {};
    },

    async delete(managed, signal) {
      // The owner may have changed since the observation.
      if ((await find(managed, signal)) === undefined) return {}; // guard: otherwise it deletes an instance that has a new owner
      const operation = await memorystore.delete(idOf(managed), signal);
      return operation === undefined ? {} : { operation };
    },

    poll: (name, signal) => progressOf(memorystore, { name, kind: CloudMemorystoreInstanceKind, signal }),
  };

  /** The instance of the recorded name, if we own it; throws like `checkOwnership`. */
  async function find(
    managed: CloudMemorystoreInstance,
    signal: AbortSignal,
  ): Promise<MemorystoreInstance | undefined> {
    const id = idOf(managed);
    const instance = await memorystore.get(id, signal).catch((error: unknown) => {
      throw advised(error, CloudMemorystoreInstanceKind);
    });
    if (instance === undefined) return undefined;
    const { labels = {}, createTime } = instance;
    const recorded = managed.status?.atProvider?.createTime;
    const candidate = {
      what: `instance "${id.name}" in ${id.region}`,
      tags: labels,
      // guard: otherwise it adopts a later instance of this name
      isKnown: recorded !== undefined && recorded === createTime,
    };
    // guard: otherwise it adopts another owner's instance
    return checkOwnership(managed, candidate, labelOwner(managed)) === 'ours' ? instance : undefined;
  }

  /** The connection details of an instance. The AUTH string is read only if connection details are wanted. */
  async function detailsOf(
    managed: CloudMemorystoreInstance,
    instance: MemorystoreInstance,
    signal: AbortSignal,
  ): Promise<Observation<CloudMemorystoreInstance>['details']> {
    // During an operation, the published details stay.
    // guard: otherwise it reads the password while it changes
    const access = instance.state === memorystoreStates.ready ? accessTo(instance) : undefined;
    if (!wantsDetails(managed) || access === undefined) return undefined;
    const password = instance.authEnabled ? await memorystore.authString(idOf(managed), signal) : undefined;
    return redisDetails({ ...access, password });
  }
}
