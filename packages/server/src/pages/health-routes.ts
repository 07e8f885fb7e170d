/**
 * `/healthz` and `/readyz`: whether the process runs, and whether it can serve. Every caller gets
 * an answer under any load; an operator may ask for details.
 */
import type { Clock } from '../base/clock.ts'
import { bodyShape } from '../endpoint/body-shape.ts'
import { type DefinedRoute, defineRoute, type RouteGroup } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../endpoint/documented-response.ts'
import { openAccess, type RouteContext, ruleAccess } from '../endpoint/route-access.ts'
import { value } from '../endpoint/route-fields.ts'
import { ApiError } from '../errors.ts'
import { freeObject, systemTag } from '../http/engine-route-texts.ts'
import { type HttpRequest, json } from '../http/messages/exchange.ts'
import type { JsonSchema } from '../resource/fields/field.ts'
import { anyone } from '../resource/rules/anyone.ts'
import { withArticle } from '../resource/words/names.ts'
import { checkOperator, type OperatorRequestDeps } from './status-route.ts'

/** Seconds until another look is useful where the storage is read-only. */
const retryAfterSeconds = 30

/** Whether the service is stopping, and whether its application is still preparing. */
export type ServingState = { readonly draining: boolean; readonly preparing: boolean }

type Noted = { readonly at: string } | undefined
export type HealthRouteDeps = {
  readonly journey: OperatorRequestDeps
  readonly state: ServingState
  /** The last good backup, and the last failed one since. */
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

async function detailsOf({ backupLook, copiesAge }: HealthRouteDeps, clock: Clock) {
  const { good, failed } = await backupLook()
  const logCopies = copiesAge()
  return {
    backup: good ? { at: good.at, ageSeconds: Math.max(0, Math.round((clock() - Date.parse(good.at)) / 1000)) } : null,
    failedBackup: failed ? { at: failed.at } : null,
    ...(logCopies && { logCopies }),
  }
}

/**
 * Throws `unavailable`. A read-only storage is not ready, although reads that still arrive are
 * answered.
 */
async function checkReady({ state, journey }: HealthRouteDeps) {
  if (state.draining) throw new ApiError('unavailable', 'Draining', { retryAfterSeconds: 1 })
  if (state.preparing) throw new ApiError('unavailable', 'Still preparing', { retryAfterSeconds: 1 })
  try {
    return await journey.engine.storage.check()
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('unavailable', 'The database cannot be reached', { cause, retryAfterSeconds: 1 })
  }
}

const ok = value<'ok'>()({ const: 'ok', description: 'Always `ok`.' }, { required: true })
const readOnly: JsonSchema = {
  const: 'read-only',
  description: 'Nothing can be written: the disk is full, or the database refuses writes. Reads go on.',
}

const live = defineRoute({
  method: 'GET',
  path: '/livez',
  describe: {
    id: 'isLive',
    notForModels: true,
    tag: systemTag,
    summary: 'Whether the process lives',
    about: 'For whoever restarts it.',
    line: { operation: 'health', who: 'anyone', answers: '200 while the process lives' },
  },
  isHealth: true,
  rule: openAccess,
  isRaw: true,
  output: { 200: documentedResponse('It does.', { body: bodyShape('It is well.', { status: ok }) }) },
  errors: ['bad-request', 'unavailable'],
  run: (_call, _needs: HealthRouteDeps) => ({ status: 200, body: { status: 'ok' } }) as const,
})

function notReady(details: JsonSchema): JsonSchema {
  return {
    type: 'object',
    description: 'Why it is not ready.',
    required: [],
    properties: {
      error: { type: 'string', maxLength: 10_000, description: 'One sentence.' },
      status: readOnly,
      details,
    },
    anyOf: [{ required: ['error'] }, { required: ['status'] }],
  }
}

/** `operator`: the role that gets details. */
function readyRoute(operator: string): DefinedRoute<HealthRouteDeps> {
  const details = freeObject(`Of backups, for ${withArticle(operator)} who asks.`)
  return defineRoute({
    method: 'GET',
    path: '/readyz',
    describe: {
      id: 'isReady',
      notForModels: true,
      tag: systemTag,
      summary: 'Whether it can serve',
      about: 'For whoever sends it requests: the database answers, and the process is not about to end.',
      line: { operation: 'health', who: 'anyone', answers: '200 while it can serve, else 503' },
    },
    isHealth: true,
    query: {
      details: value<boolean>()(
        { type: 'boolean' },
        { description: `For ${operator}: of backups too.`, example: false },
      ),
    },
    // An operator gets details.
    rule: ruleAccess(anyone),
    isRaw: true,
    output: {
      200: documentedResponse('It can.', {
        body: bodyShape('It is ready.', { status: ok, details: value<object>()(details) }),
      }),
      503: documentedResponse('It cannot, or not write.', {
        headers: ['Retry-After'],
        body: mediaBody({
          'application/json': { schema: notReady(details) },
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        }),
      }),
    },
    errors: ['bad-request', 'unauthenticated', 'forbidden', 'unavailable'],
    async run({ request }, needs: HealthRouteDeps) {
      const { journey } = needs
      const { catalog, clock } = journey.engine
      // An application without users has no operator
      const isDetailed = catalog.login !== undefined && wantsDetails(request)
      if (isDetailed) await checkOperator(journey, request)
      const status = await checkReady(needs)
      const details = isDetailed ? { details: await detailsOf(needs, clock) } : {}
      const fresh: Record<string, string> = isDetailed ? { 'cache-control': 'no-store' } : {}
      if (status !== 'ok')
        return json(503, { status, ...details }, { 'retry-after': String(retryAfterSeconds), ...fresh })
      return { status: 200, headers: fresh, body: { status, ...details } }
    },
  })
}

export function healthRoutes({ catalog: { roles } }: RouteContext): RouteGroup<HealthRouteDeps> {
  return { routes: [live, readyRoute(roles.operator || 'operator')] }
}
