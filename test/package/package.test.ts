import { afterAll, beforeAll } from 'vitest';
import { testBundles } from './bundle-tests.ts';
import { testContents } from './contents-tests.ts';
import { testInstalls } from './install-tests.ts';
import { testOlderNeighbours } from './older-tests.ts';
import { type PackedPackage, packPackage } from './packed-package.ts';
import { testPeers } from './peer-tests.ts';
import { testRuntimes } from './runtime-tests.ts';
import { testSizes } from './size-tests.ts';
import { Strangers } from './strangers.ts';
import { testTypes } from './type-tests.ts';

// One file, because all of it stands on one tarball: what is built once is not built again beside it.
let built: PackedPackage;
const packed = () => built;
const strangers = new Strangers(packed);

beforeAll(async () => {
  built = await packPackage();
}, 300_000);

afterAll(async () => {
  await strangers.remove();
  built?.remove();
});

testContents(packed);
testInstalls(packed, strangers);
testRuntimes(packed, strangers);
testPeers(strangers);
testOlderNeighbours(packed);
testBundles(strangers);
testTypes(packed, strangers);
testSizes(packed, strangers);
