import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import type { Trace } from '../../trace/model/trace.ts';
import { TracedWorld } from './traced-world.ts';

const legacy = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  name: 'legacy',
};
const other: ObjectKey = { namespace: 'team-blog', name: 'posts' };

/** A claim of another team; of a class, or of a resource that it names. */
const claimOfAnother = (world: TracedWorld, spec: object): void => {
  world.cluster.create(FancySQLInstanceKind, {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: other,
    spec,
  } as KubernetesObject);
};
const ofClass = { classSelector: { matchLabels: { size: 'small' } } };

interface Row {
  readonly isStatic?: boolean;
  /** What somebody writes into the claimRef. */
  readonly edit: (world: TracedWorld, name: string) => object | null;
  /** How the cause ends. */
  readonly cause: string;
  readonly advice: string;
  /** Whether there is a command that gives it back. */
  readonly isGivenBack: boolean;
}

const back = 'Who administers it can give it back:';
const taken =
  'Two claims want it by now: ask whoever edited that, and whoever has FancySQLInstance team-blog/posts, before it is taken from there.';
const rows: Readonly<Record<string, Row>> = {
  'emptied, of what was made for a claim': {
    edit: () => null,
    cause: 'but its spec.claimRef names nobody since somebody edited it.',
    advice: back,
    isGivenBack: true,
  },
  'emptied, of what was made by hand': {
    isStatic: true,
    edit: () => null,
    cause: 'but its spec.claimRef names nobody since somebody edited it.',
    advice: back,
    isGivenBack: true,
  },
  'with another UID': {
    edit: () => ({ uid: 'of-nobody' }),
    cause: 'but its spec.claimRef has another UID than that since somebody edited it.',
    advice: back,
    isGivenBack: true,
  },
  'with a name that no claim has': {
    edit: () => ({ name: 'typo' }),
    cause: 'but its spec.claimRef names FancySQLInstance team-shop/typo since somebody edited it.',
    advice: back,
    isGivenBack: true,
  },
  'with the claim of another tenant, which has a resource of its own': {
    edit: (world) => {
      claimOfAnother(world, ofClass);
      return { ...other, uid: null };
    },
    cause: 'but its spec.claimRef names FancySQLInstance team-blog/posts since somebody edited it.',
    advice: back,
    isGivenBack: true,
  },
  'with the claim of another tenant, which takes it: nothing takes it from there': {
    edit: (world, name) => {
      claimOfAnother(world, { resourceRef: { ...legacy, name } });
      const { uid } = world.cluster.get(FancySQLInstanceKind, other).metadata;
      return { ...other, uid };
    },
    cause: 'but its spec.claimRef names FancySQLInstance team-blog/posts since somebody edited it.',
    advice: taken,
    isGivenBack: false,
  },
};

async function played({ isStatic = false, edit }: Row): Promise<{
  readonly world: TracedWorld;
  readonly claim: ObjectKey;
  readonly name: string;
}> {
  const world = new TracedWorld();
  if (isStatic) world.managed('legacy');
  world.start();
  const claim = world.claim('orders', isStatic ? { resourceRef: legacy } : undefined);
  await world.pass();
  const { name } = world.resourceOf(claim).metadata;
  world.edit(FavouriteDBInstanceKind, { name }, { spec: { claimRef: edit(world, name) } });
  await world.pass();
  return { world, claim, name };
}

const toldBy = ({ fault }: Trace) => ({
  name: fault?.name,
  link: fault?.link,
  cause: fault?.cause,
  advice: fault?.advice,
  mend: fault?.mend,
});

describe('a resource whose claimRef was edited says whose it was, as the claim does', () => {
  for (const [name, row] of Object.entries(rows)) {
    test(name, async () => {
      const { world, claim, name: resource } = await played(row);
      const claimRef = referenceTo(world.cluster.get(FancySQLInstanceKind, claim));
      const ofResource = await world.trace('favouritedbinstance', { name: resource });
      const ofClaim = await world.trace('fancysqlinstance', claim);
      world.simulation.kill();
      const made = row.isStatic ? 'was taken by' : 'was made for';
      const advised = {
        link: 'resource',
        advice: row.advice,
        mend: row.isGivenBack
          ? [
              `kubectl patch favouritedbinstances.database.fcp.crossplane.io ${resource} --type=merge -p '${JSON.stringify({ spec: { claimRef } })}'`,
            ]
          : [],
      };
      assert.equal(ofResource.verdict, 'usable, but');
      assert.deepEqual(toldBy(ofResource), {
        ...advised,
        name: 'claimRef edited',
        cause: `FavouriteDBInstance ${resource} ${made} FancySQLInstance team-shop/orders, which cannot use it: ${row.cause.replace('but ', '')}`,
      });
      if (row.isStatic) return; // what the claim says of it is its own table's
      assert.deepEqual(toldBy(ofClaim), {
        ...advised,
        name: 'resource held by another',
        cause: `FavouriteDBInstance ${resource} is this claim's, ${row.cause}`,
      });
    });
  }

  test('and to whom may not read the claims it tells nothing of them, and no command', async () => {
    const { world, name } = await played({
      ...(rows['emptied, of what was made by hand'] ?? assert.fail()),
    });
    const forbidden = (kind: Kind) => kind.kind === 'FancySQLInstance';
    const trace = await world.trace('favouritedbinstance', { name }, { forbidden });
    world.simulation.kill();
    assert.deepEqual(toldBy(trace), {
      name: 'claimRef edited',
      link: 'resource',
      cause: `FavouriteDBInstance ${name} was given to a claim, which its spec.claimRef does not name any more.`,
      advice: 'Who may read the claims can see which.',
      mend: [],
    });
    assert.ok(!JSON.stringify(trace.fault).includes('orders'));
  });

  test('and to whom may not read the claim that it names, no command either', async () => {
    const row = rows['with the claim of another tenant, which takes it: nothing takes it from there'];
    const { world, claim, name } = await played(row ?? assert.fail());
    const forbidden = (kind: Kind, at?: { readonly namespace?: string | undefined }) =>
      kind.kind === 'FancySQLInstance' && at?.namespace === other.namespace;
    const traces = [
      await world.trace('fancysqlinstance', claim, { forbidden }),
      await world.trace('favouritedbinstance', { name }, { forbidden }),
    ];
    world.simulation.kill();
    const told = {
      advice: 'Whether that claim uses it, you may not read: who may can say, before it is taken from there.',
      mend: [],
    };
    assert.deepEqual(
      traces.map(({ fault }) => ({ advice: fault?.advice, mend: fault?.mend })),
      [told, told],
    );
  });

  test('what is bound, or was never claimed, has nothing of the kind', async () => {
    const world = new TracedWorld();
    world.managed('legacy');
    world.start();
    const claim = world.claim('orders');
    await world.pass();
    const { name } = world.resourceOf(claim).metadata;
    const traces = [
      await world.trace('favouritedbinstance', { name }),
      await world.trace('favouritedbinstance', { name: 'legacy' }),
    ];
    world.simulation.kill();
    assert.deepEqual(
      traces.map(({ verdict }) => verdict),
      ['usable', 'usable'],
    );
  });
});
