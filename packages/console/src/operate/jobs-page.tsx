/** The jobs of the application: how far each is, why it failed, once more or not. */
import type { Word } from '../words/en.ts'
import { t } from '../words/words.ts'
import { type JobProgress, jobStates, printProgress, type WorkState, wordOfState } from '../words/work-words.ts'
import { FactsPage, FactsTable, printFigure, printTime, useFacts } from './facts.tsx'
import { useWorkFilter, type WorkAct, WorkActs, WorkFilters, WorkPages } from './work-parts.tsx'

type ListedJob = {
  readonly id: string
  readonly job: string
  readonly state: WorkState
  readonly queue: string | null
  readonly progress: JobProgress | null
  readonly tries: number
  readonly addedAt: string
  readonly dueAt: string | null
  readonly endedAt: string | null
  readonly error: string | null
}
type Jobs = { readonly names: readonly string[]; readonly jobs: readonly ListedJob[]; readonly next: number | null }
const lookMs = 3_000

function actsOn({ id, state }: ListedJob): readonly WorkAct[] {
  const at = (name: string) => `jobs/${encodeURIComponent(id)}/${name}`
  const retry = { path: at('retry'), label: t('retryNow') }
  const cancel = { path: at('cancel'), label: t('cancelJob') }
  if (state === 'failed') return [retry]
  if (state === 'running') return [cancel]
  return state === 'waiting' ? [retry, { path: at('give-up'), label: t('giveUp') }, cancel] : []
}

const heads: readonly Word[] = [
  'job',
  'state',
  'progress',
  'queue',
  'tries',
  'addedAt',
  'nextTry',
  'endedAt',
  'lastError',
  'actions',
  'jobId',
]

function rowOf(one: ListedJob) {
  return {
    key: one.id,
    cells: [
      one.job,
      wordOfState(one.state),
      one.progress ? printProgress(one.progress) : '–',
      one.queue ?? '–',
      printFigure(one.tries),
      printTime(one.addedAt),
      printTime(one.dueAt),
      printTime(one.endedAt),
      one.error ?? '–',
      <WorkActs key="acts" acts={actsOn(one)} />,
      <code key="id">{one.id}</code>,
    ],
  }
}

export function JobsPage() {
  const { filter, query, setFilter } = useWorkFilter('job')
  const facts = useFacts<Jobs>(`jobs${query}`, lookMs)
  return (
    <FactsPage title={t('jobs')} facts={facts}>
      {({ names, jobs, next }) => (
        <>
          <WorkFilters label={t('job')} names={names} states={jobStates} filter={filter} onChange={setFilter} />
          <FactsTable label={t('jobs')} heads={heads.map((head) => t(head))} rows={jobs.map(rowOf)} />
          <WorkPages filter={filter} next={next} onChange={setFilter} />
        </>
      )}
    </FactsPage>
  )
}
