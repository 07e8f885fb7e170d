/** The parts that all routes for operators share: who may ask, and how documents show them. */

import type { RouteCall, RouteTag } from '../endpoint/define-route.ts'
import { documentedResponse, mediaBody } from '../endpoint/documented-response.ts'
import type { WatchedFeed } from '../events/feed-figures.ts'
import type { EdgeEngine } from '../http/edge-engine.ts'
import { freeObject } from '../http/engine-route-texts.ts'
import { type HttpResponse, json } from '../http/messages/exchange.ts'
import type { Scalar } from '../resource/condition.ts'
import type { WorkEvent } from '../resource/effects/work-event.ts'
import { operator } from '../resource/rules/operator.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import type { ShownSetting } from '../settings/shown-settings.ts'
import type { BackupPlace } from './kept-backups.ts'

export type OperateEvent = 'backup-asked' | WorkEvent

export type OperateRouteDeps = {
  readonly engine: EdgeEngine
  readonly settings: readonly ShownSetting[]
  readonly backups: BackupPlace
  /** In bytes; null without a quota. */
  readonly quotas: { readonly perUserMax: number | null; readonly perTenantMax: number | null }
  /** Undefined where no resource keeps its changes. */
  readonly feed: WatchedFeed | undefined
  readonly changesKept: { readonly ms: number; readonly bytesMax: number }
  statements(): unknown
  findings(): Promise<readonly unknown[]>
  /** Records what the caller did, where the application keeps such a record. */
  note(
    call: Pick<RouteCall, 'caller' | 'request'>,
    event: OperateEvent,
    details: Readonly<Record<string, Scalar>>,
  ): Promise<void>
}

const operateTag: RouteTag = { name: 'Operation', description: 'The state of the service, for its operator.' }

export const operatePath = <const P extends string>(name: P) => `${apiPrefix}/_operate/${name}` as const

export function operateWords(id: string, summary: string, about?: string) {
  return { id, tag: operateTag, summary, ...(about !== undefined && { about }), notForModels: true } as const
}

export const readByOperator = {
  rule: operator,
  limits: { rate: 'read' },
  output: {
    200: documentedResponse('The facts.', {
      body: mediaBody({ 'application/json': { schema: freeObject('Facts.') } }),
    }),
  },
  errors: ['bad-request', 'unauthenticated', 'forbidden'],
} as const

/** The most that a list answers at once. */
export const pageSize = 100

/** The number of the last one, where more may follow. */
export function nextAfter(found: readonly { readonly number: number }[]): number | null {
  return found.length < pageSize ? null : (found.at(-1)?.number ?? null)
}

export function facts(body: unknown): HttpResponse {
  return json(200, body, { 'cache-control': 'no-store' })
}
