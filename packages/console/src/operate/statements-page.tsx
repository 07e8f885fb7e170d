/** Slow statements of the last day, the slowest first, without values. */
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, printMs, printTime, useFacts } from './facts.tsx'

type Slow = { statement: string; ms: number; atMs: number; plan?: readonly string[] }

export function StatementsPage() {
  const facts = useFacts<{ readonly slowMs: number | null; readonly statements: readonly Slow[] }>('statements')
  return (
    <FactsPage title={t('statements')} facts={facts}>
      {({ slowMs, statements }) => (
        <>
          <p>{slowMs === null ? t('statementsOff') : t('statementsFrom', { ms: slowMs })}</p>
          <FactsTable
            label={t('statements')}
            heads={[t('statement'), t('slowest'), t('time'), t('plan')]}
            rows={statements.map(({ statement, ms, atMs, plan }) => ({
              key: statement,
              cells: [<code key="text">{statement}</code>, printMs(ms), printTime(atMs), plan?.join('; ') ?? '–'],
            }))}
          />
        </>
      )}
    </FactsPage>
  )
}
