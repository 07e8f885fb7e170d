/** The schedules of the application: their next and last runs, what was missed, and one run now. */
import type { Word } from '../words/en.ts'
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, printFigure, printTime, useFacts } from './facts.tsx'
import { WorkActs } from './work-parts.tsx'

type Schedule = {
  readonly name: string
  readonly cron: string
  readonly zone: string
  readonly isDeclared: boolean
  readonly moments: readonly string[]
  readonly endedAt: string | null
  readonly missedAt: string | null
  readonly missedMoments: number
  readonly waiting: number
  readonly givenUp: number
}
const lookMs = 5_000
const heads: readonly Word[] = [
  'name',
  'cron',
  'nextRuns',
  'lastRun',
  'missedRuns',
  'stateWaiting',
  'stateGivenUp',
  'actions',
]

function missedOf({ missedAt, missedMoments }: Schedule): string {
  return missedAt === null ? '–' : t('missedMoments', { count: missedMoments, at: printTime(missedAt) })
}

function Moments({ moments }: Pick<Schedule, 'moments'>) {
  if (moments.length === 0) return '–'
  return (
    <ol>
      {moments.map((at) => (
        <li key={at}>{printTime(at)}</li>
      ))}
    </ol>
  )
}

function rowOf(one: Schedule) {
  const runNow = { path: `schedules/${encodeURIComponent(one.name)}/run`, label: t('runNow') }
  return {
    key: one.name,
    cells: [
      one.name,
      <span key="cron">
        <code>{one.cron}</code> {one.zone}
      </span>,
      one.isDeclared ? <Moments key="moments" moments={one.moments} /> : t('notDeclared'),
      printTime(one.endedAt),
      missedOf(one),
      printFigure(one.waiting),
      printFigure(one.givenUp),
      <WorkActs key="acts" acts={one.isDeclared ? [runNow] : []} />,
    ],
  }
}

export function SchedulesPage() {
  const facts = useFacts<{ readonly schedules: readonly Schedule[] }>('schedules', lookMs)
  return (
    <FactsPage title={t('schedules')} facts={facts}>
      {({ schedules }) => (
        <FactsTable label={t('schedules')} heads={heads.map((head) => t(head))} rows={schedules.map(rowOf)} />
      )}
    </FactsPage>
  )
}
