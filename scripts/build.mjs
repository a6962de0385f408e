// `npm run build`: makes dist current.
import { say, setUp } from './setup.mjs';

if (setUp()) say('dist is current');
else process.exit(1);
