import { after, before, describe } from 'node:test';
import { testClaims } from './claims.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { startFancySQL } from './fancysql-fixture.ts';
import { testFieldTracking } from './field-tracking.ts';
import { testPlugin } from './plugin.ts';
import type { StackProcess } from './stack-harness.ts';

/** Suites that share one control plane, with claims, classes and resources of different names. One process runs at a time. */
describe('on a real API server, with the real process', () => {
  let fixture: FancySQLFixture;

  before(async () => {
    fixture = await startFancySQL();
  });
  after(() => fixture?.stop());

  describe('with polls so rare that a resource is observed only because an object changed', () => {
    let stack: StackProcess;

    before(() => {
      stack = fixture.cluster.startProcess(['--stacks', 'fcp', '--poll-interval', '1h']);
    });
    after(async (context) => {
      await stack?.end('SIGKILL');
      if ('error' in context && context.error) console.error(stack?.log());
    });

    testFieldTracking(() => fixture);
    testPlugin(() => fixture);
  });
  testClaims(() => fixture);
});
