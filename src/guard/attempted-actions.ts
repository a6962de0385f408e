/** Of every guard, what can be attempted there. Another one, made around it, is not asked: it may know more. */
const attempted = new WeakMap<object, readonly string[]>();

/** Notes the actions of a guard that a policy about credentials is bound to. */
export function noteAttempted(guard: object, actions: readonly string[]): void {
  attempted.set(guard, actions);
}

/** What can be attempted at a guard; undefined where that is not known. */
export function attemptedAt(guard: object): readonly string[] | undefined {
  return attempted.get(guard);
}
