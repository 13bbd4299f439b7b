import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDuration } from '../../../runtime/time/duration.ts';

describe('a duration as Go writes it', () => {
  const durations: Record<string, number> = {
    '500ms': 500,
    '30s': 30_000,
    '1m': 60_000,
    '1h30m': 5_400_000,
    '1.5h': 5_400_000,
    '1m30s500ms': 90_500,
    '0m1s': 1000,
  };
  for (const [text, ms] of Object.entries(durations)) {
    test(`${text} is ${ms} ms`, () => assert.equal(parseDuration(text), ms));
  }
  for (const text of [
    '',
    '5',
    '0',
    '0s',
    '-1s',
    '1d',
    '1s ',
    ' 1s',
    'm',
    '1.s',
    '.5s',
    '1e3s',
    '1m30',
    '∞',
  ]) {
    test(`"${text}" is none`, () => assert.equal(parseDuration(text), undefined));
  }
});
