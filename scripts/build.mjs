// `npm run build`: makes dist current.
import { buildConsole } from './build-console.mjs';
import { say, setUp } from './setup.mjs';

if (setUp() && (await buildConsole())) say('dist is current');
else process.exit(1);
