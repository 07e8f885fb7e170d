/**
 * The endpoints of webhooks that the caller manages, with their deliveries and attempts: a new one,
 * another secret, a test, and deliveries again.
 */
import { useState } from 'react'
import { followIn, hrefOf, placeIn } from '../address/router.ts'
import { useOperates, useResources } from '../api/declarations.ts'
import { ofAllTenants } from '../api/viewing.ts'
import { PlaceLink } from '../shell/menu.tsx'
import { tellValues } from '../shell/shown-once.tsx'
import { t } from '../words/words.ts'
import { act, FactsPage, FactsTable, printFigure, printMs, printTime, useFacts } from './facts.tsx'

type Endpoint = {
  readonly id: string
  readonly url: string
  readonly resources: readonly string[]
  readonly active: boolean
  readonly declaredAs: string | null
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
const slug = 'webhook-endpoints'

/** Operators see the endpoints of all tenants, and those of the application, which have none. */
const useScope = () => (useOperates() ? ofAllTenants : {})

const wordOfDelivery = { waiting: 'hookWaiting', delivered: 'hookDelivered', failed: 'hookFailed' } as const

function stateOf({ active, failingSince, disabledReason }: Endpoint): string {
  if (!active) return disabledReason === null ? t('hookOff') : `${t('hookOff')}: ${disabledReason}`
  return failingSince === null ? t('hookActive') : t('hookFailing', { at: printTime(failingSince) })
}

function Attempts({ delivery: { id, event, createdAt } }: { readonly delivery: Delivery }) {
  const { data } = useFacts<Page<Attempt>>(`${root}attempts?deliveryId=${id}&limit=${shownMax}`, lookMs, useScope())
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
  const headers = useScope()
  const run = () => {
    const since = new Date(Date.now() - spans[span]).toISOString()
    const done = (body: unknown) => t('hookReplayed', { count: (body as { readonly count: number }).count })
    return act(`${root}endpoints/${id}/replay`, done, { body: { since, onlyFailed }, headers })
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
  const headers = useScope()
  const { data } = useFacts<Page<Delivery>>(`${root}deliveries?endpointId=${id}&limit=${shownMax}`, lookMs, headers)
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
          onClick={() => void act(`${root}deliveries/${one.id}/replay`, t('hookReplayed', { count: 1 }), { headers })}
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

/** One of no tenant has an address outside of them. */
function EndpointLink({ endpoint: { id, url } }: { readonly endpoint: Endpoint }) {
  const parts = [slug, id]
  const href = useOperates() ? placeIn(undefined, parts) : hrefOf(parts)
  return (
    <a href={href} onClick={followIn(href)}>
      {url}
    </a>
  )
}

/** Both secrets sign for a day. */
function rotate({ id, url }: Endpoint, headers: Readonly<Record<string, string>>): Promise<void> {
  const done = (body: unknown) => {
    tellValues(url, [['secret', (body as { readonly secret: string }).secret]])
    return t('hookRotated')
  }
  return act(`${root}endpoints/${id}/rotate`, done, { body: {}, headers })
}

export function WebhooksPage() {
  const [chosen, choose] = useState<string>()
  const headers = useScope()
  const facts = useFacts<Page<Endpoint>>(`${root}endpoints?limit=${shownMax}`, lookMs, headers)
  const { data: resources = [] } = useResources()
  const mayMake = resources.some((one) => one.slug === slug && one.operations.includes('create'))
  const rowOf = (one: Endpoint) => ({
    key: one.id,
    cells: [
      <EndpointLink key="url" endpoint={one} />,
      one.resources.join(', '),
      stateOf(one),
      <span key="acts" className="acts">
        <button type="button" aria-pressed={chosen === one.id} onClick={() => choose(one.id)}>
          {t('hookDeliveries')}
        </button>
        <button type="button" onClick={() => void act(`${root}endpoints/${one.id}/ping`, t('hookPinged'), { headers })}>
          {t('hookPing')}
        </button>
        {one.declaredAs === null && (
          <button type="button" onClick={() => void rotate(one, headers)}>
            {t('hookRotate')}
          </button>
        )}
      </span>,
    ],
  })
  return (
    <FactsPage title={t('webhooks')} facts={facts}>
      {({ data }) => {
        const shown = data.find(({ id }) => id === chosen)
        return (
          <>
            {mayMake && <PlaceLink parts={[slug, '_new']} label={t('hookNew')} isHere={false} />}
            {data.length === 0 ? (
              <p className="quiet">{t('hooksNone')}</p>
            ) : (
              <FactsTable
                label={t('webhooks')}
                heads={[t('hookUrl'), t('hookResources'), t('state'), t('actions')]}
                rows={data.map(rowOf)}
              />
            )}
            {shown && <Deliveries key={shown.id} endpoint={shown} />}
          </>
        )
      }}
    </FactsPage>
  )
}
