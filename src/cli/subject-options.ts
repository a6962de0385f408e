import { type Command, Option } from 'commander';
import type { Confidence } from '../core/subject.ts';
import type { GuardRequest } from '../guard/signals.ts';

/** What {@link withSubject} reads. */
export interface SubjectFlags {
  readonly action: string;
  readonly account?: string;
  readonly ip: string;
  readonly ua?: string;
  readonly device?: string;
  readonly confidence: Confidence;
}

/** Adds the options that name who tries what. */
export function withSubject(command: Command): Command {
  return command
    .requiredOption('--ip <address>', 'the IP address of the request')
    .option('--action <name>', 'what is attempted', 'auth.login')
    .option('--account <id>', 'the account, as the host names it')
    .option('--ua <text>', 'the User-Agent')
    .option('--device <id>', 'the device id')
    .addOption(
      new Option('--confidence <level>', 'of the device')
        .choices(['LOW', 'MEDIUM', 'HIGH'])
        .default('MEDIUM'),
    );
}

/** The request that the options describe. */
export function requestOf({ action, account, ip, ua, device, confidence }: SubjectFlags): GuardRequest {
  return { action, account, ip, ua, device: device === undefined ? null : { id: device, confidence } };
}
