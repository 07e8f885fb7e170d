/**
 * Inspects the effect queue of both databases: effects that failed for good, effects whose process
 * died, and effects that no server runs.
 */
import type { Findings } from './finding.ts'
import type { Executor } from './sql/reader.ts'
import { effectsTable } from './stored-effects.ts'

/** Servers look for effects every ten seconds. */
const lostMs = 60_000
const overdueMs = 10 * 60_000

type FindingCells = readonly [kind: string, what: 'given-up' | 'lost' | 'overdue', count: number, error: string | null]

const command = 'bindery effects list'
const count = (number: number, what: string) => `${number} ${number === 1 ? 'effect is' : 'effects are'} ${what}`

function tell({ about }: Findings, [kind, what, number, error]: FindingCells): void {
  const { warn } = about('effects', `effects of ${kind}`)
  if (what === 'given-up')
    warn(
      `${count(number, 'given up')}${error === null ? '' : `, one of them for: ${error}`}`,
      `See them: ${command} --kind ${kind} --state given-up; then bindery effects retry --kind ${kind}, or remove`,
    )
  else if (what === 'lost')
    warn(
      `${count(number, 'lost')}: their process ended before they did, and no other has taken them`,
      'Start a server of this version: it takes them',
    )
  else
    warn(
      `${count(number, `due for more than ${overdueMs / 60_000} minutes`)}, and nothing runs them`,
      `Start a server. Where one runs, its version may not know the kind ${kind}: start the one that left them, or bindery effects give-up --kind ${kind}`,
    )
}

export async function inspectEffects(findings: Findings, executor: Executor, nowMs: number): Promise<void> {
  const what = `CASE WHEN state = 'given-up' THEN 'given-up' WHEN holder IS NOT NULL THEN 'lost' ELSE 'overdue' END`
  const sql = `SELECT kind, ${what}, count(*), min(error) FROM ${effectsTable} WHERE state = 'given-up'
    OR (state IN ('due', 'running') AND holder IS NOT NULL AND due_ms < ${Math.round(nowMs) - lostMs})
    OR (state = 'due' AND holder IS NULL AND due_ms < ${Math.round(nowMs) - overdueMs}) GROUP BY 1, 2 ORDER BY 1, 2`
  const rows = (await executor.all({ sql, parameters: [] })) as unknown as FindingCells[]
  for (const row of rows) tell(findings, row)
}
