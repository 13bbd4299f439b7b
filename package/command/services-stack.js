#!/usr/bin/env node
/*
 * The border of the command, in JavaScript that old versions of Node read: they print which one is needed, and no
 * SyntaxError of a module. It imports the rest afterwards.
 */
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const needed = Number.parseInt(engines.node.replace(/\D+/, ''), 10);
const found = process.versions.node;
if (Number.parseInt(found, 10) < needed) {
  process.stderr.write(
    `services-stack needs Node ${needed} or newer; ${process.execPath} is Node ${found}\n`,
  );
  process.exitCode = 1;
} else {
  await import('./command-line.ts');
}
