/** The endpoints of webhooks with their deliveries and attempts; a test, and deliveries again. */
import { useState } from 'react'
import { PlaceLink } from '../shell/menu.tsx'
import { t } from '../words/words.ts'
import { act, FactsPage, FactsTable, printFigure, printMs, printTime, useFacts } from './facts.tsx'

type Endpoint = {
  readonly id: string
  readonly url: string
  readonly resources: readonly string[]
  readonly active: boolean
  readonly failingSince: string | null
  readonly disabledReason: string | null
}
type Delivery = {
  readonly id: string
  readonly event: string
  readonly recordId: string | null
  readonly state: keyof typeof wordOfDelivery
  readonly tries: number
  readonly status: number | null
  readonly nextAt: string | null
  readonly endedAt: string | null
  readonly createdAt: string
}
type Attempt = {
  readonly id: string
  readonly at: string
  readonly status: number | null
  readonly tookMs: number | null
  readonly error: string | null
  readonly answer: string | null
}
type Page<T> = { readonly data: readonly T[] }

const lookMs = 5_000
const shownMax = 100
const root = '/api/v1/webhook-'
const hourMs = 3_600_000
const spans = { hookHour: hourMs, hookDay: 24 * hourMs, hookWeek: 7 * 24 * hourMs } as const
const wordOfDelivery = { waiting: 'hookWaiting', delivered: 'hookDelivered', failed: 'hookFailed' } as const

function stateOf({ active, failingSince, disabledReason }: Endpoint): string {
  if (!active) return disabledReason === null ? t('hookOff') : `${t('hookOff')}: ${disabledReason}`
  return failingSince === null ? t('hookActive') : t('hookFailing', { at: printTime(failingSince) })
}

function Attempts({ delivery: { id, event, createdAt } }: { readonly delivery: Delivery }) {
  const { data } = useFacts<Page<Attempt>>(`${root}attempts?deliveryId=${id}&limit=${shownMax}`, lookMs)
  const title = t('hookAttemptsOf', { event, at: printTime(createdAt) })
  if (!data) return <p className="quiet">{t('loading')}</p>
  return (
    <>
      <h2>{title}</h2>
      <FactsTable
        label={title}
        heads={[t('time'), t('hookStatus'), t('hookTook'), t('lastError'), t('hookAnswer')]}
        rows={data.data.map(({ id: key, at, status, tookMs, error, answer }) => ({
          key,
          cells: [
            printTime(at),
            status ?? '–',
            printMs(tookMs),
            error ?? '–',
            <code key="answer">{answer ?? '–'}</code>,
          ],
        }))}
      />
    </>
  )
}

/** Sends the deliveries of a span again. */
function Replay({ id }: Pick<Endpoint, 'id'>) {
  const [span, setSpan] = useState<keyof typeof spans>('hookDay')
  const [onlyFailed, setOnlyFailed] = useState(true)
  const run = () => {
    const since = new Date(Date.now() - spans[span]).toISOString()
    const done = (body: unknown) => t('hookReplayed', { count: (body as { readonly count: number }).count })
    return act(`${root}endpoints/${id}/replay`, done, { since, onlyFailed })
  }
  return (
    <div className="tools">
      <label className="hook-choice">
        {t('hookReplayOf')}
        <select value={span} onChange={({ target }) => setSpan(target.value as keyof typeof spans)}>
          {(Object.keys(spans) as (keyof typeof spans)[]).map((name) => (
            <option key={name} value={name}>
              {t(name)}
            </option>
          ))}
        </select>
      </label>
      <label className="hook-choice">
        <input type="checkbox" checked={onlyFailed} onChange={({ target }) => setOnlyFailed(target.checked)} />
        {t('hookOnlyFailed')}
      </label>
      <button type="button" onClick={() => void run()}>
        {t('hookReplay')}
      </button>
    </div>
  )
}

function Deliveries({ endpoint: { id, url } }: { readonly endpoint: Endpoint }) {
  const [shown, show] = useState<Delivery>()
  const { data } = useFacts<Page<Delivery>>(`${root}deliveries?endpointId=${id}&limit=${shownMax}`, lookMs)
  const title = t('hookDeliveriesTo', { url })
  if (!data) return <p className="quiet">{t('loading')}</p>
  const rowOf = (one: Delivery) => ({
    key: one.id,
    cells: [
      printTime(one.createdAt),
      one.event,
      one.recordId ?? '–',
      t(wordOfDelivery[one.state]),
      printFigure(one.tries),
      one.status ?? '–',
      printTime(one.nextAt ?? one.endedAt),
      <span key="acts" className="acts">
        <button type="button" aria-pressed={shown?.id === one.id} onClick={() => show(one)}>
          {t('hookAttempts')}
        </button>
        <button
          type="button"
          onClick={() => void act(`${root}deliveries/${one.id}/replay`, t('hookReplayed', { count: 1 }))}
        >
          {t('hookReplay')}
        </button>
      </span>,
    ],
  })
  const heads = [t('time'), t('feedEvent'), t('feedRecord'), t('state'), t('tries'), t('hookStatus'), t('hookNext')]
  return (
    <>
      <h2>{title}</h2>
      <Replay id={id} />
      <FactsTable label={title} heads={[...heads, t('actions')]} rows={data.data.map(rowOf)} />
      {shown && <Attempts delivery={shown} />}
    </>
  )
}

export function WebhooksPage() {
  const [chosen, choose] = useState<string>()
  const facts = useFacts<Page<Endpoint>>(`${root}endpoints?limit=${shownMax}`, lookMs)
  const rowOf = (one: Endpoint) => ({
    key: one.id,
    cells: [
      <PlaceLink key="url" parts={['webhook-endpoints', one.id]} label={one.url} isHere={false} />,
      one.resources.join(', '),
      stateOf(one),
      <span key="acts" className="acts">
        <button type="button" aria-pressed={chosen === one.id} onClick={() => choose(one.id)}>
          {t('hookDeliveries')}
        </button>
        <button type="button" onClick={() => void act(`${root}endpoints/${one.id}/ping`, t('hookPinged'))}>
          {t('hookPing')}
        </button>
      </span>,
    ],
  })
  return (
    <FactsPage title={t('webhooks')} facts={facts}>
      {({ data }) => {
        const shown = data.find(({ id }) => id === chosen)
        if (data.length === 0) return <p className="quiet">{t('hooksNone')}</p>
        return (
          <>
            <FactsTable
              label={t('webhooks')}
              heads={[t('hookUrl'), t('hookResources'), t('state'), t('actions')]}
              rows={data.map(rowOf)}
            />
            {shown && <Deliveries key={shown.id} endpoint={shown} />}
          </>
        )
      }}
    </FactsPage>
  )
}
