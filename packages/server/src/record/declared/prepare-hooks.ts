/**
 * Runs the hooks of declarations that prepare a write: before its transaction, so they may reach
 * the network. Their values are given to the hooks of the transaction.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import { timestampOf } from '../../base/clock.ts'
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { OutsideCode, SystemRecords } from '../../resource/code/code-context.ts'
import { checkSentence, refuseInCode } from '../../resource/code/refusal.ts'
import type { CodeSettings, Services } from '../../resource/parts/part-handles.ts'
import { authorOf, isTrusted } from '../author.ts'
import { inCode } from '../guard/code-place.ts'
import { faultOfCode } from '../guard/guarded-code.ts'
import type { StageInput } from '../requested-write.ts'
import type { WriteStep } from '../stages.ts'
import { shown } from './shown-values.ts'

const limitMsDefault = 10_000

export type PrepareDeps = {
  /** Requests that end with the signal. */
  readonly fetchUntil: (signal: AbortSignal) => OutsideCode<SystemRecords>['fetch']
  readonly clock: Clock
  readonly settings: CodeSettings
  readonly services: Services
}

type PrepareName = 'prepareCreate' | 'prepareUpdate' | 'prepareDelete'
/** The fields of a resource are not known to the compiler here. */
type AnyHook = (context: object) => unknown

/** `books.ts: book: hooks.beforeCreate` */
export function hookPlace({ writtenIn, name }: Resource, hook: string): string {
  return `${writtenIn}: ${name}: hooks.${hook}`
}

/** Each refuses alike: with a field 400, without one 409. */
export function refuseByHook(sentence: string, field?: string): never {
  if (field === undefined) return refuseInCode(sentence)
  checkSentence(sentence)
  throw new ApiError('bad-request', sentence, { mistakes: [{ field, detail: sentence }] })
}

function callerOf({ caller }: StageInput) {
  const author = authorOf(caller)
  return { userId: author.userId, role: author.role, isTrusted: isTrusted(author) }
}

/** Resolves or rejects as the work does, or rejects at the limit. */
async function withinLimit<T>(place: string, limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`${place} took longer than its limit of ${limitMs} ms (prepareLimitMs)`)
      reject(error)
      limit.abort(error)
    }, limitMs)
  })
  try {
    return await Promise.race([inCode(place, () => work(limit.signal)), over])
  } catch (error) {
    if (error instanceof ApiError || limit.signal.aborted) throw limit.signal.aborted ? limit.signal.reason : error
    throw faultOfCode(place, error)
  } finally {
    clearTimeout(timer)
  }
}

function hookFor({ kind, before }: StageInput): PrepareName {
  if (kind === 'delete') return 'prepareDelete'
  return before === undefined ? 'prepareCreate' : 'prepareUpdate'
}

function isUnchanged({ values, before }: StageInput): boolean {
  return before !== undefined && Object.entries(values).every(([name, one]) => isDeepStrictEqual(one, before[name]))
}

/** Nothing where the declaration prepares nothing. */
export function prepareStage(resource: Resource, deps: PrepareDeps): Pick<WriteStep, 'prepare'> {
  const { hooks } = resource
  if (!hooks.prepareCreate && !hooks.prepareUpdate && !hooks.prepareDelete) return {}
  const { prepareLimitMs = limitMsDefault } = hooks
  return {
    async prepare(sent) {
      const name = hookFor(sent)
      const hook = hooks[name] as AnyHook | undefined
      if (!hook || (name === 'prepareUpdate' && isUnchanged(sent))) return undefined
      return withinLimit(hookPlace(resource, name), prepareLimitMs, async (signal) =>
        hook({
          ...(name !== 'prepareDelete' && { sent: shown(sent.values) }),
          previous: sent.before ? shown(sent.before) : null,
          caller: callerOf(sent),
          dryRun: sent.isDryRun,
          now: timestampOf(deps.clock()),
          settings: deps.settings,
          services: deps.services,
          fetch: deps.fetchUntil(signal),
          signal,
          refuse: refuseByHook,
        }),
      )
    },
  }
}
