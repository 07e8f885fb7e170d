/** Slow statements of the last day, the slowest first, without values. */
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, printMs, printTime, useFacts } from './facts.tsx'

const shortLength = 160

/** A long one is opened by a press. */
function Statement({ text }: { readonly text: string }) {
  if (text.length <= shortLength) return <code>{text}</code>
  return (
    <details>
      <summary>
        <code>{text.slice(0, shortLength)} …</code>
      </summary>
      <code>{text}</code>
    </details>
  )
}

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
            heads={[t('slowest'), t('time'), t('statement'), t('plan')]}
            rows={statements.map(({ statement, ms, atMs, plan }) => ({
              key: statement,
              cells: [printMs(ms), printTime(atMs), <Statement key="text" text={statement} />, plan?.join('; ') ?? '–'],
            }))}
          />
        </>
      )}
    </FactsPage>
  )
}
