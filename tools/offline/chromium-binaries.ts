import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BinarySet, BinarySource, CacheOptions } from './binary-cache.ts';
import { startChromium } from './chromium.ts';
import { debianWork } from './debian-work.ts';
import { optionalBinaries, prepareOptional } from './optional-binaries.ts';

/** A Chromium without a window, or why there is none. */
export type ChromiumSupport =
  | { readonly by: 'debian'; readonly program: string }
  | { readonly by: 'none'; readonly reason: string };

const program = 'chromium-headless-shell';
const recipe = { suite: 'bookworm', recipe: 1, neededBytes: 1.5e9, commands: ['apt-get', 'dpkg'] };
/**
 * Packages to skip: the C library of the machine is used, other packages belong to a whole system, and pages are drawn
 * without the drivers of graphics cards.
 */
const unneeded =
  /^(?:libc6|libc-bin|libcrypt1|gcc-12-base|dpkg|tar|debconf|base-files|adduser|passwd|perl.*|dbus.*|libgl1-mesa-dri|libllvm15|libz3-4)$/;

/** Fonts of its own, so that a page looks the same on every machine. */
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fonts</cachedir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Inter</family></prefer></alias>
  <alias binding="same"><family>system-ui</family><prefer><family>Inter</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

/** Takes Chromium from Debian's packages with all it needs, without root and without touching the machine's own apt. */
const debianChromium: BinarySource = {
  name: 'debian-chromium',
  async produce(work) {
    const { at, packages, readLists } = await debianWork(work, recipe);
    await work.progress.step("fetch Chromium from the machine's Debian archive", async () => {
      await readLists();
      const all = await packages.closure([program, 'fonts-inter', 'fonts-dejavu-core']);
      await packages.unpack(
        all.filter((name) => !unneeded.test(name)),
        at('root'),
      );
    });
    const [root, target] = [at('root'), work.target];
    await mkdir(join(target, 'lib'));
    for (const parent of ['lib', 'usr/lib']) {
      for (const name of await readdir(join(root, parent)).catch(() => [])) {
        if (!name.includes('-linux-gnu')) continue;
        await cp(join(root, parent, name), join(target, 'lib'), { recursive: true, verbatimSymlinks: true });
      }
    }
    await cp(join(root, 'usr/lib/chromium'), join(target, 'chromium'), { recursive: true });
    await cp(join(root, 'usr/share/fonts'), join(target, 'fonts'), { recursive: true });
    const script = [
      '#!/bin/sh',
      'here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)',
      'export FONTCONFIG_FILE="$here/fonts.conf" XDG_CACHE_HOME="$here/cache"',
      `LD_LIBRARY_PATH="$here/lib:$here/lib/pulseaudio" exec "$here/chromium/${program}" "$@"`,
    ];
    await writeFile(join(target, program), `${script.join('\n')}\n`, { mode: 0o755 });
    await writeFile(join(target, 'fonts.conf'), fontSettings);
  },
};

const noun = 'Chromium';
const cached = { name: `chromium-${process.platform}-${process.arch}`, files: [program] };

async function startOnce(directory: string): Promise<void> {
  await using chromium = await startChromium({ program: join(directory, program) });
  const page = await chromium.open('data:text/html,<title>proof</title>');
  if ((await page.evaluate('document.title')) !== 'proof') throw new Error('it shows no page');
}

/** Gets a Chromium, if Debian has one. A failure is returned, and not retried for a day. */
export async function prepareChromium(options: CacheOptions): Promise<ChromiumSupport> {
  const set: BinarySet = {
    ...cached,
    sources: [debianChromium],
    proof: 'start it, show a page',
    prove: startOnce,
  };
  await prepareOptional(set, { ...options, noun });
  return chromiumSupport(options.environment);
}

/** The present Chromium. Gets nothing. */
export async function chromiumSupport(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ChromiumSupport> {
  const found = await optionalBinaries(cached, { environment, noun });
  return found.isThere
    ? { by: 'debian', program: join(found.directory, program) }
    : { by: 'none', reason: found.reason };
}
