import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { linesOfATurn } from '../../../runtime/log/lines-of-a-turn.ts';

describe('lines of a turn', () => {
  test('are passed on together, at the end of the turn', async () => {
    const writes: string[] = [];
    let turn = Promise.withResolvers<void>();
    const line = linesOfATurn((lines) => writes.push(lines), { nextTurn: () => turn.promise });
    const endTurn = async (): Promise<void> => {
      turn.resolve();
      await turn.promise;
      turn = Promise.withResolvers();
    };
    line('a\n');
    line('b\n');
    assert.deepEqual(writes, []);
    await endTurn();
    line('c\n');
    await endTurn();
    await endTurn();
    assert.deepEqual(writes, ['a\nb\n', 'c\n']);
  });

  const endings = { 'an exit': 'process.exit(3)', 'an uncaught error': 'throw new Error("crash")' };
  for (const [ending, code] of Object.entries(endings)) {
    test(`are not lost by ${ending}`, () => {
      const log = new URL('../../../runtime/log/log.ts', import.meta.url);
      const clock = new URL('../../../runtime/time/clock.ts', import.meta.url);
      const program = `
        import { createLogger } from '${log}';
        import { realClock } from '${clock}';
        const log = createLogger({ level: 'info', format: 'json', clock: realClock() });
        log.info('first');
        log.info('last');
        ${code};`;
      const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
      assert.match(stderr.toString(), /^\{.*"msg":"first"\}\n\{.*"msg":"last"\}\n/);
    });
  }
});
