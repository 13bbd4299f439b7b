import { AwsProblem } from '../problem.ts';

export interface Cidr {
  readonly first: number;
  readonly last: number;
  readonly prefix: number;
}

/** Throws AwsProblem if it is none, or has bits beside its prefix. */
export function cidrOf(text: string): Cidr {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text)?.slice(1).map(Number);
  const [a = 256, b = 256, c = 256, d = 256, prefix = 33] = parts ?? [];
  if (Math.max(a, b, c, d) > 255 || prefix > 32) {
    throw new AwsProblem(
      'InvalidParameterValue',
      `Value (${text}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`,
    );
  }
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const size = 2 ** (32 - prefix);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1, prefix };
}

export const isWithin = (inner: Cidr, outer: Cidr): boolean =>
  inner.first >= outer.first && inner.last <= outer.last;

export const overlap = (a: Cidr, b: Cidr): boolean => a.first <= b.last && b.first <= a.last;

/** The address of that number, from 0. */
export function addressIn({ first }: Cidr, number: number): string {
  const address = first + number;
  return [2 ** 24, 2 ** 16, 2 ** 8, 1].map((unit) => Math.floor(address / unit) % 256).join('.');
}
