/* The template of the scaffold is a service like any other: its own tests. */
import '../../package/scaffold/template/test/stacks.test.ts';
import '../../package/scaffold/template/test/toy-shop/configure.test.ts';
import '../../package/scaffold/template/test/toy-shop/conformance.test.ts';
