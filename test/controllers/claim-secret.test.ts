import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SecretShape } from '../../apis/core/v1alpha1/claim-secret.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { decodeDetails, encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import type { Copy } from '../../controllers/claim-secret.ts';
import { copyFor, isCopy, isFrozen, whyNotCopied } from '../../controllers/claim-secret.ts';
import { claim, resourceClass, secretOf } from './objects.ts';

const details = { host: 'db', password: 'p w', type: 'postgresql', username: 'shop' };
const source = secretOf({ namespace: 'system', name: 'src' }, { data: encodeDetails(details) });
const empty = secretOf({ namespace: 'team', name: 'conn' });

const claiming = (shape: SecretShape = {}, hasClass = false) =>
  claim({
    writeConnectionSecretToRef: { name: 'conn', ...shape },
    ...(hasClass && { classRef: { kind: 'FavouriteDBInstanceClass', name: 'small' } }),
  });
const shaping = (claimSecret: SecretShape) => resourceClass('small', {}, { specTemplate: { claimSecret } });

const copied = (shape: SecretShape, target = empty, from: Class | undefined = undefined): Copy =>
  copyFor({ target, source, claim: claiming(shape), resourceClass: from });
const dataOf = ({ secret }: Copy) => decodeDetails(secret);
const { annotations: plainAnnotations } = copied({}).secret.metadata;
const record = 'crossplane.io/secret-shape';

describe("a claim's Secret", () => {
  test('without a shape has the data of its source, no labels and no record', () => {
    const { secret, incomplete, hasDetails } = copied({});
    assert.deepEqual([secret.data, incomplete, hasDetails], [source.data, undefined, true]);
    assert.deepEqual([secret.metadata.labels, Object.keys(plainAnnotations ?? {}).length], [undefined, 3]);
  });

  test('gets the labels and annotations of the claim, and keeps those of others', () => {
    const target = {
      ...empty,
      metadata: { ...empty.metadata, labels: { a: 'other' }, annotations: { b: 'x' } },
    };
    const { labels, annotations } = copied({ labels: { team: 'shop' }, annotations: { note: 'n' } }, target)
      .secret.metadata;
    assert.deepEqual(labels, { a: 'other', team: 'shop' });
    assert.deepEqual(annotations, {
      ...plainAnnotations,
      b: 'x',
      note: 'n',
      [record]: '{"labels":["team"],"annotations":["note"],"entries":[],"only":false,"template":""}',
    });
  });

  test('loses a label and an annotation that the claim no longer has', () => {
    const { secret } = copied({ labels: { team: 'shop', more: 'm' }, annotations: { note: 'n' } });
    const later = copied({ labels: { more: 'm' } }, secret).secret;
    assert.deepEqual(later.metadata.labels, { more: 'm' });
    assert.equal(later.metadata.annotations?.note, undefined);
    const last = copied({}, later).secret;
    assert.deepEqual(last.metadata.labels, {});
    assert.deepEqual(last.metadata.annotations, plainAnnotations);
  });

  test('keeps the annotations of the controllers if a user edits the record', () => {
    const target = {
      ...empty,
      metadata: {
        ...empty.metadata,
        annotations: {
          [record]: '{"labels":[7],"annotations":["crossplane.io/paused","x"]}',
          'crossplane.io/paused': 'true',
        },
      },
    };
    const { annotations } = copied({}, target).secret.metadata;
    assert.deepEqual(annotations, { ...plainAnnotations, 'crossplane.io/paused': 'true' });
    for (const edited of ['', '[]', 'null', '{', '{"labels":{}}']) {
      const odd = { ...target, metadata: { ...target.metadata, annotations: { [record]: edited } } };
      assert.deepEqual(copied({}, odd).secret.metadata.annotations, plainAnnotations, edited);
    }
  });

  test('has further entries from the template', () => {
    const copy = copied({ template: { URL: 'x://{{ username }}:{{ password | uri }}@{{ host }}' } });
    assert.deepEqual(dataOf(copy), { ...details, URL: 'x://shop:p%20w@db' });
    assert.equal(isCopy(copy.secret, copied({ template: { URL: '{{ host }}' } }, copy.secret)), false);
    assert.ok(isCopy(copy.secret, { secret: copy.secret }));
  });

  test('with only has the entries of the template alone', () => {
    const copy = copied({ template: { type: 'x', URL: '{{ host }}' }, only: true });
    assert.deepEqual([dataOf(copy), copy.hasDetails], [{ type: 'x', URL: 'db' }, false]);
  });

  test('has the details if a definition without rules admits only without a template', () => {
    assert.deepEqual(dataOf(copied({ only: true })), details);
  });

  test('can have entries with the names of properties of all objects', () => {
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];
    const template = Object.fromEntries(names.map((name) => [name, '{{ host }}']));
    const copy = copied({ template, labels: { constructor: 'x' } });
    assert.deepEqual(
      Object.entries(dataOf(copy)).filter(([key]) => names.includes(key)),
      names.map((name) => [name, 'db']),
    );
    assert.deepEqual(Object.entries(copy.secret.metadata.labels ?? {}), [['constructor', 'x']]);
    assert.ok(
      isCopy(copy.secret, copied({ template, labels: copy.secret.metadata.labels ?? {} }, copy.secret)),
    );
  });

  test('has the shape of the class, and that of the claim wins', () => {
    const from = shaping({
      labels: { cost: '1', team: 'none' },
      template: { A: 'class', B: '{{ host }}' },
      only: true,
    });
    const { secret } = copied({ labels: { team: 'shop' }, template: { A: 'claim' } }, empty, from);
    assert.deepEqual(secret.metadata.labels, { cost: '1', team: 'shop' });
    assert.deepEqual(decodeDetails(secret), { A: 'claim', B: 'db' });
    assert.deepEqual(dataOf(copied({ only: false }, empty, from)), { ...details, A: 'class', B: 'db' });
  });

  test('keeps the entries of a class that was deleted, and says that they are not rendered again', () => {
    const owner = claiming({}, true);
    const of = { source, claim: owner };
    const from = shaping({ labels: { cost: '1' }, template: { URL: '{{ host }}' } });
    const { secret } = copyFor({ ...of, target: empty, resourceClass: from });
    const retained = copyFor({ ...of, target: secret, resourceClass: undefined });
    assert.deepEqual(
      [dataOf(retained), retained.secret.metadata.labels],
      [{ ...details, URL: 'db' }, { cost: '1' }],
    );
    assert.match(retained.incomplete ?? '', /^FavouriteDBInstanceClass small does not exist, .*: URL; /);
    const again = copyFor({ ...of, target: retained.secret, resourceClass: from });
    assert.deepEqual([again.secret, again.incomplete], [secret, undefined]);
    const gone = copyFor({ ...of, target: retained.secret, resourceClass: shaping({}) }).secret;
    assert.deepEqual([gone.data, gone.metadata.labels], [source.data, {}]);
  });

  test('keeps its whole shape if its class was deleted: only the entries of the template', () => {
    const owner = claiming({}, true);
    const of = { source, claim: owner };
    const from = shaping({ template: { URL: '{{ host }}', type: 'x' }, only: true });
    const { secret } = copyFor({ ...of, target: empty, resourceClass: from });
    const retained = copyFor({ ...of, target: secret, resourceClass: undefined });
    assert.deepEqual([dataOf(retained), retained.hasDetails], [{ URL: 'db', type: 'x' }, false]);
    const later = copyFor({ ...of, target: retained.secret, resourceClass: undefined });
    assert.ok(isCopy(retained.secret, later));
  });

  test('keeps an entry that replaces one of the details if its class was deleted', () => {
    const of = { source, claim: claiming({ template: { OWN: '{{ host }}' } }, true) };
    const from = shaping({ template: { host: 'proxy' } });
    const { secret } = copyFor({ ...of, target: empty, resourceClass: from });
    const retained = copyFor({ ...of, target: secret, resourceClass: undefined });
    assert.deepEqual(dataOf(retained), { ...details, host: 'proxy', OWN: 'db' });
    assert.match(retained.incomplete ?? '', /former password: host; /);
  });

  test('without a shape does not need its class', () => {
    const { secret } = copyFor({
      target: empty,
      source,
      claim: claiming({}, true),
      resourceClass: undefined,
    });
    const edited = { ...secret, data: { ...secret.data, more: '' } };
    const again = copyFor({ target: edited, source, claim: claiming({}, true), resourceClass: undefined });
    assert.deepEqual([again.secret, again.incomplete], [secret, undefined]);
  });
});

describe('a part of the shape that cannot be written', () => {
  const keys = 'the keys are host, password, type, username';
  const correct = 'correct spec.writeConnectionSecretToRef of the claim';
  const cases: Readonly<Record<string, readonly [SecretShape, want: string]>> = {
    'names the entry, the key and the keys that exist': [
      { template: { OK: 'x', URL: 'secret {{ pasword }}' } },
      `entry URL needs the key "pasword"; ${keys}; ${correct}`,
    ],
    'names no more than three': [
      { template: { A: '{{ a }}', B: '{{ b }}', C: '{{ c }}', D: '{{ d }}', E: '{{ e }}' } },
      `entry A needs the key "a", entry B needs the key "b", entry C needs the key "c", and 2 more; ${keys}; ${correct}`,
    ],
    'is a template that is not well-formed': [
      { template: { A: 'secret {{' } },
      `entry A is not well-formed; ${keys}; ${correct}`,
    ],
    'is an entry of Service Binding beside the details': [
      { template: { type: 'x' } },
      `entry type belongs to Service Binding; ${keys}; ${correct}`,
    ],
    'is an entry that no Secret can have': [
      { template: { '../a': 'x' } },
      `entry ../a has a key that does not consist of at most 253 letters, digits, "-", "_" and "."; ${keys}; ${correct}`,
    ],
    'is named by the beginning of a key that is too long': [
      { template: { ['a'.repeat(254)]: 'x' } },
      `entry ${'a'.repeat(99)}… has a key that does not consist of at most 253 letters, digits, "-", "_" and "."; ${keys}; ${correct}`,
    ],
    'is a label or annotation of the controllers or of Kubernetes': [
      {
        labels: { 'crossplane.io/claim-name': 'x', 'my-crossplane.io/a': 'y' },
        annotations: { 'app.kubernetes.io/a': 'x', 'k8s.io/b': 'x' },
      },
      `label crossplane.io/claim-name belongs to Kubernetes or to these controllers, annotation app.kubernetes.io/a belongs to Kubernetes or to these controllers, annotation k8s.io/b belongs to Kubernetes or to these controllers; ${keys}; ${correct}`,
    ],
  };
  for (const [rule, [shape, want]] of Object.entries(cases)) {
    test(rule, () => assert.equal(copied(shape).incomplete, want));
  }

  test('is left out, and the others are written', () => {
    const shape = {
      template: { type: 'x', A: '{{ nothing }}', B: 'b' },
      labels: { 'k8s.io/a': 'x', 'a..b/x': 'x', b: 'y' },
    };
    const copy = copied(shape);
    assert.deepEqual(dataOf(copy), { ...details, B: 'b' });
    assert.deepEqual(copy.secret.metadata.labels, { b: 'y' });
  });

  test('of the class is for an administrator to correct', () => {
    const { incomplete } = copied({}, empty, shaping({ template: { A: '{{ a }}' } }));
    assert.match(
      incomplete ?? '',
      /; have an administrator correct specTemplate.claimSecret of class small$/,
    );
  });

  test('of the class is for the claim to correct if only the claim refuses `only`', () => {
    const from = shaping({ template: { type: 'x' }, only: true });
    assert.match(copied({ only: false }, empty, from).incomplete ?? '', /; correct spec.writeConn/);
  });

  test('is an entry that makes the Secret larger than the API server accepts', () => {
    const big = { ...source, data: encodeDetails({ ca: 'a'.repeat(600_000) }) };
    const template = { A: '{{ ca }}', B: 'b' };
    const copy = copyFor({
      target: empty,
      source: big,
      claim: claiming({ template }),
      resourceClass: undefined,
    });
    assert.deepEqual(Object.keys(copy.secret.data ?? {}), ['ca', 'B']);
    assert.match(copy.incomplete ?? '', /^entry A makes the Secret too large; /);
  });

  test('of 40 templates of 4 KiB is found in one pass', () => {
    const template = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`E${index}`, '{{ host }}}'.repeat(372)]),
    );
    assert.equal(copied({ template }).incomplete, undefined);
  });
});

describe('an existing Secret', () => {
  const shape = { template: { URL: '{{ host }}' }, only: true };
  const reason = (data: Record<string, string>, rest: object = {}) => {
    const target = secretOf(
      { namespace: 'team', name: 'conn' },
      { type: 'connection.crossplane.io/v1alpha1', data: encodeDetails(data), ...rest },
    );
    const facts = { target, source, claim: claiming(shape), resourceClass: undefined };
    return whyNotCopied(facts, copyFor(facts))?.split(' (')[0];
  };

  test('with data of its own is not overwritten by rendered entries', () => {
    assert.equal(
      reason({ URL: 'mine' }),
      'a secret with other data exists that these controllers did not write',
    );
    assert.equal(reason({ URL: 'db', host: 'db' }), undefined);
  });

  test('that is immutable stays if it has the rendered entries', () => {
    assert.equal(reason({ URL: 'db' }, { immutable: true }), undefined);
    assert.ok(isFrozen({ ...empty, immutable: true }, copied(shape)));
  });
});
