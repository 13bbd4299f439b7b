import { wantsDetails } from '../../../apis/core/v1alpha1/managed.ts';
import type { CloudMemorystoreInstance } from '../../../apis/gcp/cache/v1beta1/cloud-memorystore-instance.ts';
import { CloudMemorystoreInstanceKind } from '../../../apis/gcp/cache/v1beta1/cloud-memorystore-instance.ts';
import { isConflicting } from '../../../clients/cloud-error.ts';
import type { GoogleCloudClient } from '../../../clients/gcp/google-cloud.ts';
import type { MemorystoreInstance } from '../../../clients/gcp/memorystore.ts';
import { memorystoreStates } from '../../../clients/gcp/memorystore.ts';
import { redisDetails } from '../../../clients/redis-details.ts';
import { refuse } from '../../author/comparison.ts';
import { whoseIs } from '../../author/whose-is.ts';
import type { Observation, PollingClient } from '../../core/managed/connecting/external-client.ts';
import { advised } from '../advice.ts';
import { labelOwner } from '../labels.ts';
import { progressOf } from '../progress.ts';
import { accessTo, differenceOf, idOf, newInstance, observationOf } from './desired-state.ts';

/**
 * Memorystore instances of Google Cloud, which are named by us and carry our labels, so that whatever became of an earlier
 * attempt is found again. All changes are operations that take minutes; the cloud makes the password, and tells it whenever
 * it is asked.
 */
export function cloudMemorystoreInstanceClient({
  memorystore,
}: Pick<GoogleCloudClient, 'memorystore'>): PollingClient<CloudMemorystoreInstance> {
  return {
    async observe(managed, _credential, signal) {
      const instance = await find(managed, signal);
      if (instance === undefined) return { exists: false, isUpToDate: false };
      const details = await detailsOf(managed, instance, signal);
      return { ...observationOf(managed, instance), ...(details !== undefined && { details }) };
    },

    async create(managed, _credential, signal) {
      const id = idOf(managed);
      const wanted = newInstance(managed);
      try {
        return { operation: await memorystore.create(id, wanted, signal) };
      } catch (error) {
        if (!isConflicting(error)) throw advised(error, CloudMemorystoreInstanceKind);
        // From an attempt whose answer was lost, or somebody else's.
        if ((await find(managed, signal)) === undefined) throw error;
        return {};
      }
    },

    async update(managed, _credential, signal) {
      const id = idOf(managed);
      const instance = await find(managed, signal);
      if (instance === undefined) throw new Error(`instance "${id.name}" does not exist any more`);
      const { redisVersion, change, mask, refused, drifted } = differenceOf(managed, instance);
      try {
        // One at a time: new configuration may need the new version.
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
      // Since it was observed it may have become somebody else's.
      if ((await find(managed, signal)) === undefined) return {};
      const operation = await memorystore.delete(idOf(managed), signal);
      return operation === undefined ? {} : { operation };
    },

    poll: (name, signal) => progressOf(memorystore, { name, kind: CloudMemorystoreInstanceKind, signal }),
  };

  /** The instance that it names, if that is ours; throws as `whoseIs` does. */
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
    const seen = managed.status?.atProvider?.createTime;
    const candidate = {
      what: `instance "${id.name}" in ${id.region}`,
      tags: labels,
      isKnown: seen !== undefined && seen === createTime,
    };
    return whoseIs(managed, candidate, labelOwner(managed)) === 'ours' ? instance : undefined;
  }

  /** How an instance is reached; the AUTH string is asked for only where connection details are wanted. */
  async function detailsOf(
    managed: CloudMemorystoreInstance,
    instance: MemorystoreInstance,
    signal: AbortSignal,
  ): Promise<Observation['details']> {
    // While it is at something else, what was published counts.
    const access = instance.state === memorystoreStates.ready ? accessTo(instance) : undefined;
    if (!wantsDetails(managed) || access === undefined) return undefined;
    const password = instance.authEnabled ? await memorystore.authString(idOf(managed), signal) : undefined;
    return redisDetails({ ...access, password });
  }
}
