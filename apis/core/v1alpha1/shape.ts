import type { z } from 'zod';

/** True: a JSON value certainly has the shape of a schema. False: it has another one, or the check cannot tell. */
type ShapeCheck = (value: unknown) => boolean;

/** By schema, so that each check is built once. */
const checks = new WeakMap<z.core.$ZodType, ShapeCheck>();

/**
 * The check that a value has an object, a list or a single value where its schema has one, and lacks no required object.
 * It knows no other faults and gives no reasons, so it takes a small part of the time of the schema's own check.
 */
export function shapeCheckOf(schema: z.core.$ZodType): ShapeCheck {
  const check = checks.get(schema) ?? built(schema);
  checks.set(schema, check);
  return check;
}

const unknown: ShapeCheck = () => false;

function built({ _zod: { def } }: z.core.$ZodType): ShapeCheck {
  switch (def.type) {
    case 'object':
      return objectCheck(def as z.core.$ZodObjectDef);
    case 'record':
      return recordCheck(def as z.core.$ZodRecordDef);
    case 'array': {
      const isElement = shapeCheckOf((def as z.core.$ZodArrayDef).element);
      return (value) => Array.isArray(value) && value.every(isElement);
    }
    case 'optional':
    case 'default': {
      const isInner = shapeCheckOf((def as z.core.$ZodOptionalDef).innerType);
      return (value) => value === undefined || isInner(value);
    }
    case 'string':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
      return (value) => typeof value !== 'object';
    default:
      return unknown;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function objectCheck({ shape, catchall }: z.core.$ZodObjectDef): ShapeCheck {
  if (catchall !== undefined) return unknown;
  const fields = Object.entries(shape).map(([name, schema]) => [name, shapeCheckOf(schema)] as const);
  return (value) => isObject(value) && fields.every(([name, isField]) => isField(value[name]));
}

function recordCheck({ keyType, valueType }: z.core.$ZodRecordDef): ShapeCheck {
  if (keyType._zod.def.type !== 'string') return unknown;
  const isValue = shapeCheckOf(valueType);
  return (value) => isObject(value) && Object.values(value).every(isValue);
}
