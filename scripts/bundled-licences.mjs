// What the console takes along of others, and under which licences: these ask for their texts to go along.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Collects the packages of which something is in a bundle. One for the page and its workers together. */
export class BundledPackages {
  #folders = new Set();

  /** For the plugins of a bundler; each bundle wants one of its own. */
  plugin() {
    return {
      name: 'bundled-packages',
      generateBundle: (_, bundle) => {
        for (const { modules = {} } of Object.values(bundle)) {
          for (const id of Object.keys(modules)) this.#note(id);
        }
      },
    };
  }

  #note(id) {
    const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replace('\0', '')) ?? [];
    if (folder !== undefined) this.#folders.add(folder);
  }

  /** Names, versions and licences, in the order of the names. Throws where a package brings no licence. */
  licences() {
    const texts = [...this.#folders].map(licenceOf).sort();
    return `The console holds parts of these packages.\n\n${texts.join('\n\n')}`;
  }
}

function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (file === undefined) throw new TypeError(`${name} is in the console, and has no licence in ${folder}`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
