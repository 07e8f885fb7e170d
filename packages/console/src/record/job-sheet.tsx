/** A job that an action has added: how far it is, and then its result. It goes on without the page. */
import { useQuery } from '@tanstack/react-query'
import type { ActionDescription } from 'bindery-server/client'
import { useEffect } from 'react'
import { client } from '../api/client.ts'
import type { Row } from '../api/rows.ts'
import { showWhole } from '../fields/show-value.tsx'
import { sayError } from '../shell/form-errors.ts'
import { Sheet } from '../shell/sheet.tsx'
import { serverSentence, t } from '../words/words.ts'
import { type JobProgress, printProgress, type WorkState, wordOfState } from '../words/work-words.ts'

export type AddedJob = {
  readonly id: string
  readonly state: WorkState
  readonly progress: JobProgress | null
  readonly result: Row | null
  readonly error: string | null
}
const everyMs = 1_000
const isEnded = ({ state }: AddedJob) => state !== 'waiting' && state !== 'running'

function Result({ action: { job }, result }: { readonly action: ActionDescription; readonly result: Row }) {
  return (
    <table className="differences">
      <caption>{t('jobResult')}</caption>
      <tbody>
        {job?.result.map((field) => (
          <tr key={field.name}>
            <th scope="row">{field.label}</th>
            <td>{showWhole(field, result[field.name])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type JobSheetProps = {
  readonly action: ActionDescription
  readonly added: AddedJob
  /** The work may have changed the record. */
  onEnd(): void
  onClose(): void
}

export function JobSheet({ action, added, onEnd, onClose }: JobSheetProps) {
  const { data: job, error } = useQuery({
    queryKey: ['_jobs', added.id],
    initialData: added,
    gcTime: 0,
    refetchInterval: ({ state: { data } }) => (data && isEnded(data) ? false : everyMs),
    queryFn: async ({ signal }) => (await client.send('GET', `/api/v1/_jobs/${added.id}`, { signal })).body as AddedJob,
  })
  const hasEnded = isEnded(job)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it ends
  useEffect(() => {
    if (hasEnded) onEnd()
  }, [hasEnded])
  const { progress, result } = job
  const total = progress?.total ?? undefined
  return (
    <Sheet label={action.label} onClose={onClose}>
      <p role="status">
        {wordOfState(job.state)}
        {progress && ` · ${printProgress(progress)}`}
      </p>
      {!hasEnded && <progress aria-label={action.label} max={total} value={total && progress?.done} />}
      {job.error !== null && <p className="problem">{serverSentence(job.error)}</p>}
      {error && <p className="problem">{sayError(error)}</p>}
      {result && <Result action={action} result={result} />}
      {!hasEnded && <p className="quiet">{t('jobGoesOn')}</p>}
      <button type="button" className="main" onClick={onClose}>
        {t('close')}
      </button>
    </Sheet>
  )
}
