import type { catalogue } from './catalogue.ts';

/** Advice that no row plays, with the reason. */
export const unplayed = {
  lookForEffect: 'it takes five minutes: test/controllers/managed/effect.test.ts',
  correctRegion: "the name of AWS's own server does not resolve: a test has no other DNS",
  trustAuthority: 'the process would have to start again with another variable',
  renewCertificate: 'the owner of the server does that; the message needs nothing of ours',
  usePrimary:
    'a standby with its primary takes too long to start; test/stacks/postgresql/server/clients/refusals.test.ts has one',
  addSpace: 'a test cannot fill a disk',
  addMemory: 'a test cannot fill the memory of a machine',
  flushHosts: 'the server blocks no host of its own machine',
  allowHost: 'the other administrators of the server may come from any host, so it refuses none',
  joinCluster: 'a test has no Galera cluster',
  useMariadb: 'a test has no MySQL server',
  allowCreation:
    'a class must be older than the definition that requires another field: tried by hand with two versions of a kind',
  checkPooler: 'the pooler is in test/stacks/postgresql/server/clients/refusals.test.ts',
} as const satisfies Partial<Record<keyof typeof catalogue, string>>;
