import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { ReadPage } from '../../runtime/client/answer.ts';
import { pagesOf } from '../../runtime/client/answer.ts';
import { apiErrorIn } from '../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import type { CoreEvent } from '../../runtime/events/event-kind.ts';
import { EventKind } from '../../runtime/events/event-kind.ts';
import type { Found } from '../model/findings.ts';
import type { Source } from './source.ts';

const pageSize = 500;

/** Reads from the API server. A missing right is a finding; every other failure is thrown as ApiError. */
export function apiSource(client: Pick<KubernetesClient, 'get' | 'list'>, signal?: AbortSignal): Source {
  return {
    get: (kind, key) => finding(client.get(kind, key, signal)),
    list(kind, namespace) {
      const limited = { limit: pageSize, ...(namespace !== undefined && { namespace }) };
      return finding(all((token) => client.list(kind, { ...limited, ...token }, signal)));
    },
    eventsOf: (object) => finding(eventsAbout(object)),
  };

  function eventsAbout({ kind, metadata: { name, namespace = 'default', uid } }: KubernetesObject) {
    const about = { kind, name, ...(uid !== undefined && { uid }) };
    const fieldSelector = Object.entries(about)
      .map(([field, value]) => `involvedObject.${field}=${value}`)
      .join(',');
    const limited = { namespace, fieldSelector, limit: pageSize };
    return all<CoreEvent>((token) => client.list(EventKind, { ...limited, ...token }, signal));
  }
}

const all = async <T>(read: ReadPage<T>): Promise<readonly T[]> =>
  (await Array.fromAsync(pagesOf(read))).flat();

async function finding<T>(reading: Promise<T>): Promise<Found<T>> {
  try {
    return { is: 'there', value: await reading };
  } catch (error) {
    const { code } = apiErrorIn(error) ?? {};
    // 404 without the reason NotFound: the server does not have this kind.
    if (code === 404) return { is: 'absent' };
    if (code === 403) return { is: 'withheld' };
    throw error;
  }
}
