import { onTestFinished } from 'vitest';

export type ProcessWarning = Error & { readonly code?: string; readonly detail?: string };

/** Every warning of the process until the test ends. */
export function warningsOfProcess(): ProcessWarning[] {
  const warnings: ProcessWarning[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  onTestFinished(() => {
    process.off('warning', listen);
  });
  return warnings;
}

/** The process tells its warnings on the next tick, and a rejection comes later than that. */
export const told = () => new Promise((resolve) => setImmediate(resolve));
