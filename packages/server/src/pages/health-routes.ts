/** Whether the process lives, and whether it can serve: answered to anybody, whatever the load. An ADMIN may ask for details. */
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../errors.ts'
import { type HttpRequest, json } from '../http/messages/exchange.ts'
import type { HttpRoute } from '../http/server.ts'
import { type AdminJourney, checkAdmin } from './status-route.ts'

/** How soon it is worth looking again where nothing can be written. */
const retryAfterSeconds = 30

/**
 * Whether the service stops taking requests, and whether its application still prepares what it
 * serves.
 */
export type ServingState = { readonly draining: boolean; readonly preparing: boolean }

type Noted = { readonly at: string } | undefined
type Parts = {
  readonly journey: AdminJourney
  readonly state: ServingState
  /** The last good backup, and the last that failed if none was good since. */
  readonly backupLook: () => Promise<{ readonly good: Noted; readonly failed: Noted }>
  /** How far behind the copies of the log are; undefined where this process makes none. */
  readonly copiesAge: () => { readonly at: string | null; readonly ageSeconds: number } | undefined
}

/** Throws `bad-request`. */
function wantsDetails({ query }: HttpRequest): boolean {
  const asked = query.includes('details') ? new URLSearchParams(query).getAll('details') : []
  if (asked.length === 0) return false
  if (asked.length > 1 || !['true', 'false'].includes(asked[0] ?? ''))
    throw new ApiError('bad-request', 'Invalid details: must be true or false')
  return asked[0] === 'true'
}

async function detailsOf({ backupLook, copiesAge }: Parts, clock: Clock) {
  const { good, failed } = await backupLook()
  const logCopies = copiesAge()
  return {
    backup: good ? { at: good.at, ageSeconds: Math.max(0, Math.round((clock() - Date.parse(good.at)) / 1000)) } : null,
    failedBackup: failed ? { at: failed.at } : null,
    ...(logCopies && { logCopies }),
  }
}

export function healthRoutes(parts: Parts): HttpRoute[] {
  const { journey, state } = parts
  const { engine } = journey
  /**
   * Throws `unavailable`. Where nothing can be written it is `read-only`, which is not ready: reads
   * go on for those who still come.
   */
  async function checkReady() {
    if (state.draining) throw new ApiError('unavailable', 'Draining', { retryAfterSeconds: 1 })
    if (state.preparing) throw new ApiError('unavailable', 'Still preparing', { retryAfterSeconds: 1 })
    try {
      return await engine.storage.check()
    } catch (cause) {
      if (cause instanceof ApiError) throw cause
      throw new ApiError('unavailable', 'The database cannot be reached', { cause, retryAfterSeconds: 1 })
    }
  }
  return [
    { methods: ['GET'], path: '/livez', isHealth: true, answer: async () => json(200, { status: 'ok' }) },
    {
      methods: ['GET'],
      path: '/readyz',
      isHealth: true,
      async answer(request) {
        // Where nobody can be an ADMIN, nobody may know them
        const isDetailed = engine.identity.sessions !== undefined && wantsDetails(request)
        if (isDetailed) await checkAdmin(journey, request)
        const status = await checkReady()
        const [code, headers] = status === 'ok' ? [200, {}] : [503, { 'retry-after': String(retryAfterSeconds) }]
        if (!isDetailed) return json(code, { status }, headers)
        const details = await detailsOf(parts, engine.clock)
        return json(code, { status, details }, { ...headers, 'cache-control': 'no-store' })
      },
    },
  ]
}
