import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { JsonSchema } from '../../../apis/crd.ts';
import type { ObjectName } from '../scenario.ts';
import type { Draft } from './draft.ts';
import { exemplar } from './exemplars.ts';
import type { Field } from './fields.ts';
import { fields, writtenSchema } from './fields.ts';
import { valuesOf } from './values.ts';

/** How many fields are walked in a scenario of this theme. */
const walks = 4;

/**
 * Each theme leads one field of an object after another through its states, as Acto does (SOSP 2023):
 * absent, a value, another value, one at the limits or one that must be refused, absent. The seed selects
 * the fields, so that every field has its turn.
 */
export const fieldWalks = (draft: Draft): void => walkAmong(draft, fields, exemplar);

/** Of some fields; `exemplarOf` names an object of a kind, which is there or will be made. */
export function walkAmong(
  draft: Draft,
  among: readonly Field[],
  exemplarOf: (draft: Draft, kind: Kind) => ObjectName,
): void {
  for (let walk = 0; walk < walks; walk += 1) {
    const field = among[(draft.seed * walks + walk) % among.length] as Field;
    const own = draft.by('walk', walk);
    walkField(own, field, exemplarOf(own, field.kind));
  }
}

function walkField(draft: Draft, field: Field, of: ObjectName): void {
  const { fitting, extreme, refused } = valuesOf(field);
  const pickFitting = (name: string): unknown => draft.pick(fitting, name);
  const odd = [...extreme, ...refused];
  const states: readonly unknown[] = [
    ...(draft.has(0.3, 'first absent') ? [undefined] : []),
    pickFitting('one'),
    pickFitting('other'),
    ...(odd.length > 0 && draft.has(0.5, 'has odd') ? [draft.pick(odd, 'odd')] : []),
    ...(draft.has(0.7, 'absent') ? [undefined] : []),
    ...(draft.has(0.4, 'again') ? [pickFitting('again')] : []),
  ];
  const begin = draft.between(0.15, 0.6, 'begin');
  const end = draft.between(begin, 1, 'end');
  for (const [index, value] of states.entries()) {
    draft.edit(begin + ((end - begin) * index) / states.length, of, patchOf(field, value));
  }
}

/**
 * The JSON merge patch that gives a field a value; undefined: removes it. Fields that its parents require
 * are in the patch too. A field that its parent requires is removed with the first parent that may be
 * removed.
 */
export function patchOf({ kind, path }: Pick<Field, 'kind' | 'path'>, value: unknown): object {
  const patchAt = (schema: JsonSchema, depth: number): unknown => {
    const name = path[depth];
    if (name === undefined) return value;
    const inner = schema.properties?.[name] ?? {};
    const rest = patchAt(inner, depth + 1);
    if (rest === undefined) {
      const mayGo = depth === 0 || !schema.required?.includes(name);
      return mayGo || depth === 1 ? { [name]: null } : undefined;
    }
    return {
      ...(depth > 1 && value !== undefined ? required(schema, path.slice(0, depth)) : {}),
      [name]: rest,
    };
  };
  const required = (schema: JsonSchema, at: readonly string[]): object =>
    Object.fromEntries(
      (schema.required ?? []).map((name) => {
        const inner = { kind, path: [...at, name], schema: schema.properties?.[name] ?? {} };
        return [name, firstOf(inner)];
      }),
    );
  const firstOf = (field: Field): unknown =>
    field.schema.properties === undefined ? valuesOf(field).fitting[0] : required(field.schema, field.path);
  return patchAt(writtenSchema(kind), 0) as object;
}
