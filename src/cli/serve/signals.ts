/** Resolves with the name of the first signal that asks the process to end. A second one ends it at once. */
export function untilToldToEnd(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const told = (signal: NodeJS.Signals) => {
      process.off('SIGTERM', told);
      process.off('SIGINT', told);
      resolve(signal);
    };
    process.on('SIGTERM', told);
    process.on('SIGINT', told);
  });
}
