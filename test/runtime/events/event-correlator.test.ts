import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import type { EventCorrelator } from '../../../runtime/events/event-correlator.ts';
import { createEventCorrelator } from '../../../runtime/events/event-correlator.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { stored, widget } from '../widgets.ts';

const facts = (message: string, rest: Partial<EventFacts> = {}): EventFacts => ({
  type: 'Normal',
  reason: 'Tested',
  message,
  ...rest,
});
const warning = (message: string): EventFacts => facts(message, { type: 'Warning' });
const minuteMs = 60_000;

describe('event correlator', () => {
  test('the same Warning is recorded at most once in 10 minutes, with the number of those left out', () => {
    const correlator = createEventCorrelator();
    const at = (nowMs: number) => correlator.observe(stored('a', 1), warning('m'), 'me', nowMs);
    const first = at(1000);
    assert.deepEqual([first?.count, first?.firstMs, first?.lastMs], [1, 1000, 1000]);
    for (let nowMs = 2000; nowMs < 10 * minuteMs + 1000; nowMs += 1000) assert.equal(at(nowMs), undefined);
    const second = at(10 * minuteMs + 1000);
    assert.deepEqual([second?.count, second?.firstMs, second?.lastMs], [601, 1000, 601_000]);
    assert.equal(second?.name, first?.name);
  });

  test('a Normal event says that something was done, and is recorded each time', () => {
    const correlator = createEventCorrelator();
    const at = (nowMs: number) => correlator.observe(stored('a', 1), facts('m'), 'me', nowMs);
    assert.deepEqual([at(0)?.count, at(1)?.count, at(2)?.count], [1, 2, 3]);
  });

  test('the failures of 10,000 objects are recorded as rarely', () => {
    const correlator = createEventCorrelator();
    let reported = 0;
    for (let minute = 0; minute < 12; minute += 1) {
      for (let index = 0; index < 10_000; index += 1) {
        const event = correlator.observe(stored(`o${index}`, 1), warning('m'), 'me', minute * minuteMs);
        if (event !== undefined) reported += 1;
      }
    }
    assert.equal(reported, 2 * 10_000);
  });

  test('an event starts a new series after two hours without a record', () => {
    const correlator = createEventCorrelator();
    const first = correlator.observe(stored('a', 1), warning('m'), 'me', 0);
    const again = correlator.observe(stored('a', 1), warning('m'), 'me', 120 * minuteMs);
    const later = correlator.observe(stored('a', 1), warning('m'), 'me', 240 * minuteMs + 1);
    assert.deepEqual([first?.count, again?.count, later?.count], [1, 2, 1]);
    assert.notEqual(later?.name, first?.name);
  });

  test('object, UID, type, reason, message and source each make another event', () => {
    const correlator = createEventCorrelator();
    const a = stored('a', 1);
    const different = [
      [a, facts('m'), 'me'],
      [stored('b', 1), facts('m'), 'me'],
      [widget('a', { metadata: { uid: 'other' } }), facts('m'), 'me'],
      [a, facts('m', { type: 'Warning' }), 'me'],
      [a, facts('m', { reason: 'Other' }), 'me'],
      [a, facts('n'), 'me'],
      [a, facts('m'), 'you'],
    ] as const;
    const events = different.map(([of, given, source]) => correlator.observe(of, given, source, 0));
    assert.deepEqual(map(events, 'count'), [1, 1, 1, 1, 1, 1, 1]);
    assert.equal(new Set(map(events, 'name')).size, 7);
  });

  test('the tenth message of one reason begins a combined event, which then counts', () => {
    const correlator = createEventCorrelator();
    const events = Array.from({ length: 12 }, (_, index) =>
      correlator.observe(stored('a', 1), facts(`m${index}`), 'me', index),
    );
    const combined = ['m9', 'm10', 'm11'].map((text) => `(combined from similar events): ${text}`);
    assert.deepEqual(map(events.slice(8), 'message'), ['m8', ...combined]);
    assert.deepEqual(map(events.slice(8), 'count'), [1, 1, 2, 3]);
    assert.equal(new Set(map(events.slice(9), 'name')).size, 1);
  });

  test('messages are told apart again after 10 quiet minutes', () => {
    const correlator = createEventCorrelator();
    for (let index = 0; index < 12; index += 1) {
      correlator.observe(stored('a', 1), facts(`m${index}`), 'me', 0);
    }
    const later = correlator.observe(stored('a', 1), facts('later'), 'me', 10 * minuteMs + 1);
    assert.equal(later?.message, 'later');
  });

  let reasons = 0;
  /** How many of a number of different events are recorded. */
  const accepted = (correlator: EventCorrelator, name: string, times: number, nowMs: number): number =>
    Array.from({ length: times }, () => {
      reasons += 1;
      return correlator.observe(stored(name, 1), facts('m', { reason: `R${reasons}` }), 'me', nowMs);
    }).filter((event) => event !== undefined).length;

  test('an object has 25 events at once and one more per 5 minutes', () => {
    const correlator = createEventCorrelator();
    assert.equal(accepted(correlator, 'a', 100, 0), 25);
    assert.equal(accepted(correlator, 'a', 10, 4 * minuteMs), 0);
    assert.equal(accepted(correlator, 'a', 10, 5 * minuteMs), 1);
    assert.equal(accepted(correlator, 'a', 10, 16 * minuteMs), 2);
    assert.equal(accepted(correlator, 'a', 100, 24 * 60 * minuteMs), 25);
  });

  test('a noisy object leaves the others their share', () => {
    const correlator = createEventCorrelator();
    accepted(correlator, 'noisy', 100, 0);
    assert.equal(accepted(correlator, 'quiet', 3, 0), 3);
  });

  test('an event that was left out is counted in the next recorded event', () => {
    const correlator = createEventCorrelator();
    accepted(correlator, 'a', 25, 0);
    const at = (nowMs: number) => correlator.observe(stored('a', 1), facts('m'), 'me', nowMs);
    assert.deepEqual([at(0), at(1), at(2)], [undefined, undefined, undefined]);
    assert.equal(at(5 * minuteMs)?.count, 4);
  });

  test('a clock that goes back refills nothing', () => {
    const correlator = createEventCorrelator();
    assert.equal(accepted(correlator, 'a', 25, 10 * minuteMs), 25);
    assert.equal(accepted(correlator, 'a', 5, 0), 0);
  });

  const messages: Record<string, readonly [message: string, ends: string]> = {
    'a long one is cut': ['x'.repeat(5000), 'x…'],
    'it is cut between characters': ['ü'.repeat(2000), 'ü…'],
    'one of the greatest length is whole': ['x'.repeat(1024), 'x'],
  };
  for (const [name, [message, ends]] of Object.entries(messages)) {
    test(`message: ${name}`, () => {
      const event = createEventCorrelator().observe(stored('a', 1), facts(message), 'me', 0);
      assert.ok(Buffer.byteLength(event?.message ?? '') <= 1024);
      assert.ok(event?.message.endsWith(ends), event?.message.slice(-3));
      assert.equal(event?.message.includes('\ufffd'), false);
    });
  }

  test('text of users is made printable, in the message and in annotations', () => {
    const given = facts('a\n\u001b[31mb', { annotations: { 'external-name': 'x\u202ey\u0007' } });
    const event = createEventCorrelator().observe(stored('a', 1), given, 'me', 0);
    assert.deepEqual(
      [event?.message, event?.annotations],
      ['a \\u{1b}[31mb', { 'external-name': 'x\\u{202e}y\\u{7}' }],
    );
  });

  test('the name of an Event begins with that of the object and is valid, however long that is', () => {
    const name = `${'a'.repeat(235)}.${'b'.repeat(17)}`;
    const event = createEventCorrelator().observe(stored(name, 1), facts('m'), 'me', 0);
    assert.match(event?.name ?? '', /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);
    assert.doesNotMatch(event?.name ?? '', /\.\./);
    assert.ok((event?.name.length ?? 999) <= 253);
  });
});
