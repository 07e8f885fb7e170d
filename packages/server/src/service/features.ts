/**
 * The features of the engine, as the command line has them. Their routes stand in
 * `engine-routes.ts`, and their steps of writes in `open-engine.ts`.
 */
import { accountConsole } from '../accounts/account-console.ts'
import type { ConsolePart, Sayings } from '../command/console-part.ts'

export const consoleParts: readonly ConsolePart[] = [accountConsole]

/** What all of them say in this place. */
export function sayings(place: keyof Sayings): string {
  return consoleParts.map(({ says }) => says[place]).join(', ')
}
