import { stackFixture } from './fixture.ts';

/** A server for the suites of several files, because a start costs more than most of them. */
export const stack = await stackFixture();
