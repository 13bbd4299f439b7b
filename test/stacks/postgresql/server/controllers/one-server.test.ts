import { testDatabases } from './database.ts';
import { stackFixture } from './fixture.ts';
import { testGrants } from './grant.ts';
import { testRoles } from './role.ts';

/** Suites that share one server, because a start costs more than most of them. */
const stack = await stackFixture();

testDatabases(stack);
testGrants(stack);
testRoles(stack);
