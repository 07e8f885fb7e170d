/** The work that writes have left, such as mails: what waits, why it failed, once more or not. */

import { t } from '../words/words.ts'
import { effectStates, type WorkState, wordOfState } from '../words/work-words.ts'
import { FactsPage, FactsTable, printFigure, printTime, useFacts } from './facts.tsx'
import { useWorkFilter, type WorkAct, WorkActs, WorkFilters, WorkPages } from './work-parts.tsx'

type Effect = {
  id: string
  kind: string
  key: string | null
  state: WorkState
  tries: number
  dueAt: string
  error: string | null
}
type Work = {
  readonly kinds: readonly string[]
  readonly counts: readonly { kind: string; state: WorkState; count: number; oldestAt: string }[]
  readonly effects: readonly Effect[]
  readonly next: number | null
}
const lookMs = 5_000

function actsOn({ id, state }: Effect): readonly WorkAct[] {
  if (state === 'running') return []
  const at = (name: string) => `effects/${encodeURIComponent(id)}/${name}`
  const retry = { path: at('retry'), label: t('retryNow') }
  return state === 'given-up' ? [retry] : [retry, { path: at('give-up'), label: t('giveUp') }]
}

function rowOf(one: Effect) {
  return {
    key: one.id,
    cells: [
      one.kind,
      wordOfState(one.state),
      printFigure(one.tries),
      printTime(one.dueAt),
      one.error ?? '–',
      <WorkActs key="acts" acts={actsOn(one)} />,
    ],
  }
}

export function WorkPage() {
  const { filter, query, setFilter } = useWorkFilter('kind')
  const facts = useFacts<Work>(`effects${query}`, lookMs)
  return (
    <FactsPage title={t('work')} facts={facts}>
      {({ kinds, counts, effects, next }) =>
        counts.length === 0 ? (
          <p className="quiet">{t('workNone')}</p>
        ) : (
          <>
            <FactsTable
              label={t('workCounts')}
              heads={[t('kind'), t('state'), t('count'), t('oldest')]}
              rows={counts.map((one) => ({
                key: `${one.kind} ${one.state}`,
                cells: [one.kind, wordOfState(one.state), printFigure(one.count), printTime(one.oldestAt)],
              }))}
            />
            <WorkFilters label={t('kind')} names={kinds} states={effectStates} filter={filter} onChange={setFilter} />
            <FactsTable
              label={t('work')}
              heads={[t('kind'), t('state'), t('tries'), t('nextTry'), t('lastError'), t('actions')]}
              rows={effects.map(rowOf)}
            />
            <WorkPages filter={filter} next={next} onChange={setFilter} />
          </>
        )
      }
    </FactsPage>
  )
}
