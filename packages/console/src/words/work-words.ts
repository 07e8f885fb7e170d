/** The words of work that is done later: its states, and how far it is. */
import { t } from './words.ts'

export const effectStates = ['waiting', 'behind', 'running', 'lost', 'given-up'] as const
export const jobStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type WorkState = (typeof effectStates)[number] | (typeof jobStates)[number]

const words = {
  waiting: 'stateWaiting',
  behind: 'stateBehind',
  running: 'stateRunning',
  lost: 'stateLost',
  'given-up': 'stateGivenUp',
  done: 'stateDone',
  failed: 'stateFailed',
  cancelled: 'stateCancelled',
} as const

export const wordOfState = (state: WorkState): string => t(words[state])

export type JobProgress = { readonly done: number; readonly total: number | null; readonly note: string | null }

/** `3 / 10 half` */
export function printProgress({ done, total, note }: JobProgress): string {
  return [total === null ? `${done}` : `${done} / ${total}`, ...(note === null ? [] : [note])].join(' ')
}
