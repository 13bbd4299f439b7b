import { after, before, describe } from 'node:test';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { startFancySQL } from './fancysql-fixture.ts';
import { testFieldTracking } from './field-tracking.ts';
import { testPlugin } from './plugin.ts';
import type { StackProcess } from './stack-harness.ts';

/** Suites that share one process, with claims, classes and resources of different names. */
describe('on a real API server, with the real process', () => {
  let fixture: FancySQLFixture;
  let stack: StackProcess;

  before(async () => {
    fixture = await startFancySQL();
    // Within the hour a controller observes a resource only because an object changed.
    stack = fixture.cluster.startProcess(['--stacks', 'fcp', '--poll-interval', '1h']);
  });
  after(async (context) => {
    await fixture?.stop();
    if ('error' in context && context.error) console.error(stack?.log());
  });

  testFieldTracking(() => fixture);
  testPlugin(() => fixture);
});
