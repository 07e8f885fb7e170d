/**
 * Inspects the effect queue of both databases: effects that failed for good, and those whose
 * process died. It also finds those that no server runs, or whose declaration is gone.
 */
import type { Catalog } from '../resource/catalog.ts'
import { declaredWorkKinds } from '../resource/effects/work-kinds.ts'
import type { Findings } from './finding.ts'
import type { Executor } from './sql/reader.ts'
import { type EffectTrouble, type EffectTroubles, effectsTable } from './stored-effects.ts'

/** Servers look for effects every ten seconds. */
const lostMs = 60_000
const overdueMs = 10 * 60_000

/** `order.announce`, `job.sendInvoices`, `mail:welcome`; those of the engine are words. */
const isOfDeclarations = (kind: string) => /[.:]/.test(kind)

type TroubleCells = readonly [kind: string, what: EffectTrouble['what'], count: number | string, error: string | null]

const command = 'bindery effects list'
const counted = (number: number, what: string) => `${number} ${number === 1 ? 'effect is' : 'effects are'} ${what}`

function tell({ about }: Findings, { kind, what, count, error }: EffectTrouble): void {
  const { warn } = about('effects', `effects of ${kind}`)
  if (what === 'given-up')
    warn(
      `${counted(count, 'given up')}${error === null ? '' : `, one of them for: ${error}`}`,
      `See them: ${command} --kind ${kind} --state given-up; then bindery effects retry --kind ${kind}, or remove`,
    )
  else if (what === 'lost')
    warn(
      `${counted(count, 'lost')}: their process ended before they did, and no other has taken them`,
      'Start a server of this version: it takes them',
    )
  else
    warn(
      `${counted(count, `due for more than ${overdueMs / 60_000} minutes`)}, and nothing runs them`,
      `Start a server. Where one runs, its version may not know the kind ${kind}: start the one that left them, or bindery effects give-up --kind ${kind}`,
    )
}

/** Work of a declaration that a deploy has removed, by its kind. */
function tellUndeclared({ about }: Findings, kind: string, number: number): void {
  const waits = number === 1 ? 'effect waits' : 'effects wait'
  about('effects', `effects of ${kind}`).warn(
    `${number} ${waits} for ${kind}, which this version does not declare: their work is kept, and nothing runs it`,
    `Start a version that declares ${kind}; or end them: bindery effects give-up --kind ${kind}, then bindery effects remove --kind ${kind}`,
  )
}

/** Reads what is wrong with the queue, also on the connection of the doctor. */
export async function readEffectTroubles(executor: Executor, nowMs: number): Promise<EffectTroubles> {
  const waiting = `SELECT kind, count(*) FROM ${effectsTable} WHERE state <> 'given-up' GROUP BY kind ORDER BY kind`
  const depths = (await executor.all({ sql: waiting, parameters: [] })) as unknown as [string, number | string][]
  const what = `CASE WHEN state = 'given-up' THEN 'given-up' WHEN holder IS NOT NULL THEN 'lost' ELSE 'overdue' END`
  const sql = `SELECT kind, ${what}, count(*), min(error) FROM ${effectsTable} WHERE state = 'given-up'
    OR (state IN ('due', 'running') AND holder IS NOT NULL AND due_ms < ${Math.round(nowMs) - lostMs})
    OR (state = 'due' AND holder IS NULL AND due_ms < ${Math.round(nowMs) - overdueMs}) GROUP BY 1, 2 ORDER BY 1, 2`
  const rows = (await executor.all({ sql, parameters: [] })) as unknown as TroubleCells[]
  return {
    waiting: depths.map(([kind, number]) => ({ kind, count: Number(number) })),
    troubles: rows.map(([kind, what, number, error]) => ({ kind, what, count: Number(number), error })),
  }
}

type EffectInspection = {
  readonly found: EffectTroubles
  readonly catalog: Pick<Catalog, 'resources' | 'parts'>
}

export function inspectEffects(findings: Findings, { found: { waiting, troubles }, catalog }: EffectInspection): void {
  const declared = new Set(declaredWorkKinds(catalog))
  const undeclared = waiting.filter(({ kind }) => isOfDeclarations(kind) && !declared.has(kind))
  for (const { kind, count } of undeclared) tellUndeclared(findings, kind, count)
  const told = new Set(undeclared.map(({ kind }) => kind))
  for (const one of troubles) if (one.what !== 'overdue' || !told.has(one.kind)) tell(findings, one)
}
