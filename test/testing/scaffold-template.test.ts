/* The template of the scaffold is a service like any other: its own tests. */
import '../../package/command/scaffold/template/test/stacks.test.ts';
import '../../package/command/scaffold/template/test/toy-shop/configure.test.ts';
import '../../package/command/scaffold/template/test/toy-shop/conformance.test.ts';
