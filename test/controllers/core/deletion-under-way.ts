import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { finalizers, Scene } from './managed-scene.ts';
import { deletionTimestamp, managed, managedKind } from './objects.ts';

const shared = { [annotationKeys.externalName]: 'shared' };

/**
 * A managed resource that is to be created under a name that another one has outside, too, while a call deletes what that
 * one had: it is gone already, and the call has not ended. `end` ends it, `ended` is the other one's run.
 */
export async function besideOneThatIsBeingDeleted({
  name = 'shared',
  system,
}: {
  /** What it is to be called outside. */
  readonly name?: string;
  /** The system that the other one is in, if any says which it is. */
  readonly system?: string;
} = {}): Promise<{ scene: Scene; end: (error?: Error) => void; ended: Promise<unknown> }> {
  const scene = new Scene({}, { annotations: { [annotationKeys.externalName]: name } });
  const { cluster, external } = scene;
  const other = { name: 'other', uid: 'uid-other', annotations: shared, finalizers };
  cluster.put(
    managedKind,
    managed({ writeConnectionSecretToRef: { namespace: 'infra', name: 'other' } }, other),
  );
  cluster.delete(managedKind, { name: 'other' }, deletionTimestamp);
  external.put('shared');
  external.system = system;
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  external.afterCall = (method) => {
    if (method !== 'delete') return;
    asked.resolve();
    return answer.promise;
  };
  const ended = scene.run(undefined, 'other');
  await asked.promise;
  return { scene, ended, end: (error) => (error === undefined ? answer.resolve() : answer.reject(error)) };
}
