/**
 * The features of the engine with their command-line parts. Their routes are in `engine-routes.ts`,
 * and their steps of writes in `open-engine.ts`.
 */
import { accountConsole } from '../accounts/account-console.ts'
import type { ConsolePart, Sayings } from '../command/console-part.ts'
import type { Command } from '../command/define-command.ts'
import { webhookCommands } from '../webhooks/commands/webhook-commands.ts'

export const consoleParts: readonly ConsolePart[] = [accountConsole]

/** The commands of features, in the order of the help. */
export const featureCommands: readonly Command[] = [...consoleParts.flatMap((part) => part.commands), webhookCommands]

/** The texts of all features for this place. */
export function sayings(place: keyof Sayings): string {
  return consoleParts.map(({ says }) => says[place]).join(', ')
}
