/** Actions that the engine itself does, for the resources of sessions and of keys: `actions: { rotate: rotateKey }`. `perform/` has the work. */
import { defineAction } from './action.ts'
import { integer } from './fields/integer.ts'

/** How long a key may go on beside the one that takes its place. */
const overlapSeconds = { usual: 3_600, max: 7 * 24 * 60 * 60 } as const

function isEngines(): never {
  throw new Error('the engine does this itself')
}

/** For the resource of sessions: ends all others of the session's user. */
export const endOtherSessions = defineAction({
  summary: 'End all other sessions of the same user',
  run: () => isEngines(),
})

/** For the resource of API keys: makes a key that takes the place of this one, which goes on for a while. */
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
  run: () => isEngines(),
})

/** Whether an action makes a key, which its answer shows. */
export function isRotation(action: { readonly run: unknown } | undefined): boolean {
  return action?.run === rotateKey.run
}
