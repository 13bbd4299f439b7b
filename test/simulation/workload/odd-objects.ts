/**
 * Odd objects: some fields have values at the limits of the definition, odd texts, or names of objects of others. Malformed
 * objects have any value in any field, as a definition without a schema admits. `hostile.ts` writes them into scenarios.
 */
import set from 'lodash/set.js';
import type { Definition } from '../../../apis/core/schema.ts';
import type { Kind, KubernetesObject, ObjectMeta } from '../../../apis/core/v1alpha1/kind.ts';
import { connectionSecretType, finalizerNames } from '../../../apis/core/v1alpha1/meta.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { ownerUidLabel } from '../../../controllers/connection/store-place.ts';
import type { Random } from '../../../runtime/time/random.ts';
import { merged } from '../../../testing/merged.ts';
import { admit } from '../../fakes/admission.ts';
import { definitions } from '../../fakes/defined-kinds.ts';
import { objectOf, referenceOf } from '../../fakes/object-of.ts';
import { readAnnotations } from './attacks.ts';
import { fresh } from './exemplars.ts';
import { patchOf } from './field-walks.ts';
import type { Field } from './fields.ts';
import { fieldsOf } from './fields.ts';
import { valuesOf } from './values.ts';

/** Names in the world of these objects, so that they refer to what there is. */
export interface Names {
  readonly objects: readonly string[];
  readonly namespaces: readonly string[];
  readonly uids: readonly string[];
}

/** The beginning of every secret text in odd Secrets. */
export const oddSecretText = 'hunter2';

/** Characters that a terminal, a log or a parser might interpret; names of JavaScript's own; long texts. */
const oddTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'red \u001b[31mtext\u001b[0m',
  'title \u001b]0;owned\u0007',
  'forged\n{"level":"error","msg":"line"}\r\n',
  'c1 \u009b31m',
  'left \u202eright',
  'line\u2028separator',
  '\ufeffbom',
  'zero\u200bwidth',
  'žluťoučký 🐎',
  '__proto__',
  'constructor',
  'toString',
  '../../secrets',
  'a/b/c',
  '%2e%2e%2f',
  'null',
  'true',
  '-1',
  '1e999',
  '"; DROP DATABASE postgres; --',
  '{"name":"x"}',
  ...[63, 64, 253, 254].map((length) => 'x'.repeat(length)),
  'ž'.repeat(5_000),
];

const oddNames = ['a', '0', 'constructor', 'x'.repeat(63), 'x'.repeat(253), `${'a'.repeat(57)}.b`, 'a.b.c'];
const times = ['2020-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999+14:00', '0001-01-01T00:00:00Z'];
const mapKeys = [
  'size',
  'tier',
  'example.com/team',
  'crossplane.io/credential',
  'to.propagate.crossplane.io/x',
];

/** A finalizer that no controller removes. */
const foreignFinalizer = 'example.com/hold';

const labelKeys = ['size', 'tier', 'example.com/constructor', 'constructor', ownerUidLabel];
const labelValues = ['', 'small', 'true', 'x'.repeat(63), 'uid-1', 'A.b_c'];
const annotationValues = ['true', '1s', '-5s', '9e99h', times[0]!, '{}', '[]', '{"name":7}', 'null'];
const detailKeys = ['password', 'username', 'endpoint', 'port', 'uri', '__proto__', 'constructor', '.'];

/** Values of the wrong type. */
const junk: readonly unknown[] = [
  ...[null, 0, -1, 1.5, true, '', 'text', [], {}, [null], [[]], [{}], ['*', 7]],
  ...[{ name: null }, { name: 7 }, { name: ['x'] }, { apiVersion: 1, kind: {}, name: 'small' }],
  { type: 'Ready' },
  Array.from({ length: 200 }).reduce<unknown>((inner) => ({ inner }), 'deep'),
];

/** How often an object is drawn again that the definition does not admit. */
const attempts = 20;

/** Writes odd objects. All of them follow from one sequence of chance. */
export class OddObjects {
  readonly #random: Random;
  readonly #names: Names;

  constructor(random: Random, names: Names) {
    this.#random = random;
    this.#names = names;
  }

  #has(share: number): boolean {
    return this.#random() < share;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }

  #some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: Math.floor(this.#random() * (most + 1)) }, make);
  }

  #oddText(): string {
    if (this.#has(0.8)) return this.#pick(oddTexts);
    const character = (): string => String.fromCodePoint(Math.floor(this.#random() * 0x11_0000));
    return this.#some(40, character).join('').toWellFormed();
  }

  #metadata(scope: Kind['scope'], name: string): ObjectMeta {
    const { objects, namespaces, uids } = this.#names;
    const annotation = (): string =>
      this.#has(0.05)
        ? 'x'.repeat(200_000)
        : this.#pick([
            this.#oddText(),
            this.#pick(annotationValues),
            this.#pick([...objects, ...uids]),
            `${this.#pick(namespaces)}/${this.#pick(objects)}`,
          ]);
    const owner = (controller: boolean) => ({
      ...referenceOf(this.#pick<Kind>(definitions), this.#pick(objects)),
      uid: this.#pick(uids),
      controller,
    });
    return {
      name,
      ...(scope === 'Namespaced' && { namespace: this.#pick(namespaces) }),
      ...(this.#has(0.5) && {
        labels: Object.fromEntries(this.#some(3, () => [this.#pick(labelKeys), this.#pick(labelValues)])),
      }),
      ...(this.#has(0.5) && {
        annotations: Object.fromEntries(
          this.#some(3, () => [this.#pick([...readAnnotations, 'example.com/constructor']), annotation()]),
        ),
      }),
      // The API server admits one controller.
      ...(this.#has(0.3) && { ownerReferences: [owner(this.#has(0.7)), owner(false)] }),
      ...(this.#has(0.3) && {
        finalizers: [this.#pick([foreignFinalizer, ...Object.values(finalizerNames)])],
      }),
    };
  }

  /** A value of a field: one that is expected, one at its limits, the name of what others have, or an odd text. */
  #value(field: Field): unknown {
    const { type, pattern, maxLength = Infinity } = field.schema;
    const { fitting, extreme } = valuesOf(field);
    if (type === 'object' && this.#has(0.5))
      return { [this.#pick([...mapKeys, this.#oddText()])]: this.#oddText() };
    const { objects, namespaces, uids } = this.#names;
    const text = this.#has(0.5) ? this.#pick([...objects, ...namespaces, ...uids]) : this.#oddText();
    const isFitting =
      type === 'string' &&
      field.schema.enum === undefined &&
      [...text].length <= Number(maxLength) &&
      (pattern === undefined || new RegExp(String(pattern), 'u').test(text));
    return isFitting && this.#has(0.8) ? text : this.#pick([...fitting, ...extreme]);
  }

  /** An object with odd values in some fields. Rules are not checked. */
  structural(kind: Kind, name: string): KubernetesObject {
    const fields = fieldsOf(kind).filter(({ path }) => path[0] !== 'metadata');
    const { metadata: _, ...base } = fresh(kind);
    const patched = this.#some(6, () => this.#pick(fields)).reduce<object>(
      (object, field) => merged(object, patchOf(field, this.#value(field))) as object,
      base,
    );
    return objectOf(kind, this.#metadata(kind.scope, name), patched);
  }

  /** An object that its definition admits, rules included. */
  admitted(kind: Definition, name: string): KubernetesObject {
    let object = this.structural(kind, name);
    for (let attempt = 1; attempt < attempts && !('object' in admit(kind, object)); attempt += 1)
      object = this.structural(kind, name);
    return object;
  }

  /** An object as a definition without a schema admits it: metadata is as it must be, and any value stands anywhere else. */
  malformed(kind: Kind, name: string): KubernetesObject {
    const object = structuredClone(this.structural(kind, name));
    const paths = fieldsOf(kind).flatMap(({ path }) => (path[0] === 'metadata' ? [] : [path]));
    const status = [['status'], ['status', 'conditions'], ['status', 'bindingPhase']];
    for (const path of [this.#pick(paths), ...this.#some(3, () => this.#pick([...paths, ...status]))]) {
      const depth = 1 + Math.floor(this.#random() * path.length);
      const value = this.#has(0.2) ? this.#oddText() : structuredClone(this.#pick(junk));
      set(object, path.slice(0, depth), value);
    }
    return object;
  }

  /** A Secret as the API server admits it: any content, up to 1 MiB or 3,000 keys. */
  secret(name: string): KubernetesObject {
    const large = { big: 'x'.repeat(1_040_000) };
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, nth) => [`key-${nth}`, oddSecretText]));
    const few = Object.fromEntries(
      this.#some(5, () => [this.#pick(detailKeys), `${oddSecretText}${this.#oddText()}`]),
    );
    const data = encodeDetails(this.#pick([few, few, few, few, few, few, large, many]));
    const type = this.#pick([connectionSecretType, connectionSecretType, 'Opaque']);
    return objectOf(SecretKind, this.#metadata(SecretKind.scope, name), { type, data });
  }

  /** The name of an odd object. */
  name(index: number): string {
    return this.#has(0.8) ? `odd-${index}` : this.#pick(oddNames);
  }
}
