import { keepTick } from '../src/connections/kept-tick.ts';

/** Loaded by a server of a bench before anything else. Without this each process draws its luck, whatever it answers with. */
keepTick();
