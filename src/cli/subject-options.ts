import { type Command, Option } from 'commander';
import { Fault } from '../core/fault.ts';
import type { Confidence } from '../core/subject.ts';
import type { GuardRequest } from '../guard/signals.ts';

/** What {@link withSubject} reads. */
export interface SubjectFlags {
  readonly action: string;
  readonly account?: string;
  readonly ip: string;
  readonly ua?: string;
  readonly device?: string;
  readonly confidence?: Confidence;
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
      new Option('--confidence <level>', 'of the device; default: MEDIUM').choices(['LOW', 'MEDIUM', 'HIGH']),
    );
}

/** The request that the options describe. @throws Fault `INPUT_INVALID` when one says nothing about it */
export function requestOf({ action, account, ip, ua, device, confidence }: SubjectFlags): GuardRequest {
  if (device === undefined && confidence !== undefined)
    throw new Fault(
      'INPUT_INVALID',
      '--confidence is that of the device that --device names, and there is none',
    );
  const known = device === undefined ? null : { id: device, confidence: confidence ?? defaultConfidence };
  return { action, account, ip, ua, device: known };
}

const defaultConfidence: Confidence = 'MEDIUM';
