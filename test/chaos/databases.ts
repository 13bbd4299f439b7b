import { isDeepStrictEqual } from 'node:util';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import { eventually } from '../cluster/stack-harness.ts';
import type { World } from './world.ts';

/** Called with an object and its fault. */
export type Blame = (object: string, problem: string) => void;

/** Databases in which a tenant has created objects, and the objects. */
export type MarkedDatabases = ReadonlyMap<string, string>;

/** Leaves something in each database of these claims (`namespace/name`), as its tenant. */
export async function markDatabases(world: World, claims: readonly string[]): Promise<MarkedDatabases> {
  const marked = new Map<string, string>();
  for (const claim of claims) {
    const [namespace = '', name = ''] = claim.split('/');
    const uri = await uriIn(world, { namespace, name: `${name}-connection` });
    if (uri === undefined) continue;
    await world.sql('CREATE TABLE kept (note text)', uri);
    await world.sql(`INSERT INTO kept VALUES ('${claim}')`, uri);
    marked.set(databaseIn(uri), claim);
  }
  return marked;
}

/** Each PostgreSQL claim's secret opens its database, and what its tenant left there is there. */
export async function tryClaims(world: World, marked: MarkedDatabases, blame: Blame): Promise<void> {
  const list = () => world.client.list(PostgreSQLInstanceKind, {});
  for (const { kind, metadata } of (await eventually('claims are listed', list)).items) {
    const { namespace = '', name } = metadata;
    const tell = (problem: string) => blame(`${kind} ${namespace}/${name}`, problem);
    await tryLogin(world, { namespace, name: `${name}-connection` }, marked, tell);
  }
}

/** The same of databases whose claims are gone, and which a policy keeps. */
export async function tryKnownCredentials(
  world: World,
  marked: MarkedDatabases,
  blame: Blame,
): Promise<void> {
  const { managed } = await eventually('all is seen', () => world.observe());
  for (const { kind, metadata, spec } of managed) {
    const to = spec.writeConnectionSecretToRef;
    if (kind !== 'PostgreSQLDatabase' || to === undefined) continue;
    await tryLogin(world, to, marked, (problem) => blame(`${kind} ${metadata.name}`, problem));
  }
}

interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

async function tryLogin(
  world: World,
  secret: SecretName,
  marked: MarkedDatabases,
  tell: (problem: string) => void,
): Promise<void> {
  try {
    const uri = (await uriIn(world, secret)) ?? '';
    const note = marked.get(databaseIn(uri));
    const query = note === undefined ? "SELECT '' AS note" : 'SELECT note FROM kept';
    const notes = (await world.sql<{ note: string }>(query, uri)).map((row) => row.note);
    if (!isDeepStrictEqual(notes, [note ?? ''])) tell(`its data are not as they were: ${notes.join(', ')}`);
  } catch (error) {
    tell(`its secret does not work: ${messageOf(error)}`);
  }
}

async function uriIn({ client }: World, secret: SecretName): Promise<string | undefined> {
  try {
    return decodeDetails(await client.get(SecretKind, secret)).uri;
  } catch {
    return undefined;
  }
}

const databaseIn = (uri: string): string => decodeURIComponent(new URL(uri).pathname.slice(1));
