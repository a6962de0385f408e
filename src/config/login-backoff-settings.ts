import { type Environment, variables } from './environment-variables.ts';
import { problemsFault } from './problem.ts';
import { checkDocument } from './read-service-config.ts';
import type { KratosSettings } from './service-config.ts';

/**
 * The settings of login backoff alone, for a host that needs nothing else of a service: the environment over the `kratos`
 * section over the defaults. Of the environment only the variables of login backoff are looked at.
 *
 * @throws Fault `CONFIG_INVALID` that names every variable and field with a value that cannot be used.
 */
export function readLoginBackoffSettings(env: Environment, section: unknown = {}): KratosSettings {
  const own = variables.filter(({ field }) => field[0] === 'kratos').map(({ name }) => [name, env[name]]);
  const room = { folder: '.', env: Object.fromEntries(own) as Environment };
  const { config, problems } = checkDocument({ kratos: section ?? {} }, room);
  if (config === null || config.kratos === null) throw problemsFault('login backoff', problems);
  return config.kratos;
}
