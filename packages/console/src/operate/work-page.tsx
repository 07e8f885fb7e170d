/** The work that writes have left, such as mails: what waits, why it failed, once more or not. */
import { t } from '../words/words.ts'
import { act, FactsPage, FactsTable, printFigure, printTime, useFacts } from './facts.tsx'

type Effect = {
  id: string
  kind: string
  key: string | null
  state: string
  tries: number
  dueAt: string
  error: string | null
}
type Work = {
  readonly counts: readonly { kind: string; state: string; count: number; oldestAt: string }[]
  readonly effects: readonly Effect[]
}
const lookMs = 5_000

function Buttons({ effect: { id, state } }: { readonly effect: Effect }) {
  if (state === 'running') return null
  const send = (name: string) => () => void act(`effects/${encodeURIComponent(id)}/${name}`, t('done'))
  return (
    <span className="acts">
      <button type="button" onClick={send('retry')}>
        {t('retryNow')}
      </button>
      {state !== 'given-up' && (
        <button type="button" onClick={send('give-up')}>
          {t('giveUp')}
        </button>
      )}
    </span>
  )
}

export function WorkPage() {
  const facts = useFacts<Work>('effects', lookMs)
  return (
    <FactsPage title={t('work')} facts={facts}>
      {({ counts, effects }) => (
        <>
          {counts.length === 0 && <p className="quiet">{t('workNone')}</p>}
          {counts.length > 0 && (
            <FactsTable
              label={t('workCounts')}
              heads={[t('kind'), t('state'), t('count'), t('oldest')]}
              rows={counts.map((one) => ({
                key: `${one.kind} ${one.state}`,
                cells: [one.kind, one.state, printFigure(one.count), printTime(one.oldestAt)],
              }))}
            />
          )}
          {effects.length > 0 && (
            <FactsTable
              label={t('work')}
              heads={[t('kind'), t('state'), t('tries'), t('nextTry'), t('lastError'), t('actions')]}
              rows={effects.map((one) => ({
                key: one.id,
                cells: [
                  one.kind,
                  one.state,
                  printFigure(one.tries),
                  printTime(one.dueAt),
                  one.error ?? '–',
                  <Buttons key="acts" effect={one} />,
                ],
              }))}
            />
          )}
        </>
      )}
    </FactsPage>
  )
}
