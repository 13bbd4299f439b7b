import type { Collection, Snapshot } from '../collection.ts';
import { AwsProblem } from '../problem.ts';

/** A refusal of an id that nothing has. */
type Missing = (id: string) => AwsProblem;

const missing =
  (code: string, noun: string): Missing =>
  (id) =>
    new AwsProblem(`Invalid${code}ID.NotFound`, `The ${noun} ID '${id}' does not exist`);

export const noVpc = missing('Vpc', 'vpc');
export const noSubnet = missing('Subnet', 'subnet');
export const noInstance = missing('Instance', 'instance');

/** A thing as it is. Throws AwsProblem if there is none. */
export function existing<T>(collection: Collection<T>, id: string, refusal: Missing): Snapshot<T> {
  const found = collection.get(id);
  if (found === undefined) throw refusal(id);
  return found;
}
