/**
 * Of every guard, the actions that a policy about credentials is bound to. One that somebody has made around it is not
 * here: it may know more.
 */
export const attemptedActions = new WeakMap<object, readonly string[]>();
