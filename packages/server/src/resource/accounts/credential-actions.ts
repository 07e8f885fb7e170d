/**
 * Actions that the engine implements, for the resources of users, sessions and keys: `actions: {
 * rotate: rotateKey }`. `perform/` runs them.
 */
import { defineAction, doneByEngine } from '../action.ts'
import { integer } from '../fields/numbers/integer.ts'
import { text } from '../fields/text.ts'
import type { ActionTraits } from '../traits.ts'

/** How long the old key stays valid beside its successor. */
const overlapSeconds = { usual: 3_600, max: 7 * 24 * 60 * 60 } as const

/** For the resource of sessions: ends all other sessions of the session's user. */
export const endOtherSessions = defineAction({
  summary: 'End all other sessions of the same user',
  run: () => doneByEngine(),
})

/**
 * For the resource of API keys: makes a key that takes the place of this one, which goes on for a
 * while.
 */
export const rotateKey = defineAction({
  summary: 'Rotate one API key: a new one takes its place',
  input: {
    overlapSeconds: integer({
      default: overlapSeconds.usual,
      min: 0,
      max: overlapSeconds.max,
      description: 'How long the old key still works.',
      example: 600,
    }),
  },
  creates: true,
  run: () => doneByEngine(),
})

/** For the resource of the log-in: proves the address of a logged-in user, by a mail to it. */
export const verifyAddress = defineAction({
  summary: 'Prove the address of one user, who is logged in',
  description:
    'Without `token` it sends a mail to the address that the user has; with the `token` of that mail the address is proven. Nothing that the account has ends by it.',
  input: { token: text({ maxLength: 100, description: 'The token of the link in the mail.' }) },
  run: () => doneByEngine(),
})

type EngineActionMark = { readonly run: unknown } | undefined

export function isVerification(action: EngineActionMark): boolean {
  return action?.run === verifyAddress.run
}

/** Undefined for an action of the application. */
export function traitsOfOwn(action: EngineActionMark): ActionTraits | undefined {
  if (action?.run === rotateKey.run) return { reveals: true }
  return isVerification(action) ? { isOfCredentials: true, isCounted: true } : undefined
}
