import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import type { FoundSecret } from './findings.ts';
import { thereOf } from './findings.ts';
import { link, missing, withheld } from './link-parts.ts';
import type { Link } from './trace.ts';
import type { View } from './view.ts';

const keysOf = ({ secret }: FoundSecret): string => {
  const found = thereOf(secret);
  return found === undefined || found.keys.length === 0 ? 'has no keys' : `has ${found.keys.join(', ')}`;
};

/** The managed resource's Secret. */
export function sourceLinks({ source, theManaged }: View): readonly Link[] {
  if (source === undefined) {
    return theManaged === undefined
      ? []
      : [
          link('resource secret', 'secret', {
            state: 'none',
            says: ['no spec.writeConnectionSecretToRef: none is written'],
          }),
        ];
  }
  const title = `secret ${objectKeyText(source.key)}`;
  if (source.secret.is !== 'there') return [link('resource secret', title, missing(source.secret))];
  return [link('resource secret', title, { says: [keysOf(source)] })];
}

/** The claim's Secret, and whether it equals that of the managed resource. */
export function targetLink(view: View): Link {
  const { target, source } = view;
  if (target === undefined)
    return link('claim secret', 'secret', { state: 'none', says: ['the claim wants none'] });
  const title = `secret ${objectKeyText(target.key)}`;
  if (target.secret.is !== 'there') return link('claim secret', title, missing(target.secret));
  const step = stepOf(view);
  return link('claim secret', title, {
    state: step.isFine ? 'ok' : 'waits',
    says: [keysOf(target), ...(source === undefined ? [] : [step.says])],
  });
}

function stepOf({ source, target, decided }: View): { readonly isFine: boolean; readonly says: string } {
  const [from, to] = [source, target].map((found) => found && thereOf(found.secret)?.secret.data);
  if (from === undefined || to === undefined) {
    return {
      isFine: true,
      says: `it cannot be compared: the managed resource's secret ${source?.secret.is === 'absent' ? 'does not exist' : withheld}`,
    };
  }
  const refusal = decided?.propagation?.message;
  if (refusal !== undefined) return { isFine: false, says: refusal };
  const differing = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
    (key) => from[key] !== to[key],
  );
  return differing.length === 0
    ? { isFine: true, says: "equals the managed resource's secret" }
    : {
        isFine: false,
        says: `differs from the managed resource's secret: ${differing.toSorted().join(', ')}`,
      };
}
