/**
 * The feed of changes: what is kept of it, how far it is behind the newest commit and who holds it
 * back, and the last changes as the operator may see them.
 */
import { useQuery } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { RecordLink } from '../fields/kinds/record-link.tsx'
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, printBytes, printFigure, printMs, printSpan, printTime } from './facts.tsx'

type Holder = {
  readonly pid: number | null
  readonly prepared: string | null
  readonly name: string | null
  readonly user: string | null
  readonly state: string | null
  readonly ms: number | null
}
type Feed = {
  readonly position: string
  readonly recent: string
  readonly resources: readonly string[]
  readonly rows: number
  readonly bytes: number
  readonly oldestAt: string | null
  readonly keepMs: number
  readonly keepBytes: number
  readonly lagMs: number
  readonly waitingRows: number
  readonly readers: { readonly live: number; readonly waiting: number }
  readonly holders: readonly Holder[]
}
type Change = {
  readonly type: keyof typeof wordOfChange
  readonly resource: string
  readonly id: string
  readonly at: string
  readonly transaction: string
  readonly before?: object
}
type FeedFacts = { readonly feed: Feed; readonly changes: readonly Change[] }

const lookMs = 5_000
const changesShown = 50
/** As for the doctor: no write of the service takes this long. */
const heldMs = 5_000
const wordOfChange = {
  enter: 'changeEnter',
  change: 'changeChange',
  leave: 'changeLeave',
  delete: 'changeDelete',
} as const

/** The last changes come in the order of the log. Those that cannot be told are not shown. */
async function readFeed({ signal }: { readonly signal: AbortSignal }): Promise<FeedFacts> {
  const feed = (await client.send('GET', '/api/v1/_operate/feed', { signal })).body as Feed
  const { recent: after, resources } = feed
  if (resources.length === 0) return { feed, changes: [] }
  const query = { after, resources, limit: 1_000 }
  const read = client.send('GET', '/api/v1/_changes', { query, signal }).then(
    ({ body }) => body,
    () => ({ data: [] }),
  )
  const { data } = (await read) as { readonly data: readonly Change[] }
  return { feed, changes: data.slice(-changesShown).toReversed() }
}

function Tiles({ feed }: { readonly feed: Feed }) {
  const { rows, bytes, oldestAt, lagMs, waitingRows, readers } = feed
  const tiles = {
    feedKept: printFigure(rows),
    size: printBytes(bytes),
    oldest: printTime(oldestAt),
    feedLag: printMs(lagMs),
    feedHeldRows: printFigure(waitingRows),
    feedLive: printFigure(readers.live),
    feedWaiting: printFigure(readers.waiting),
  } as const
  return (
    <dl className="tiles">
      {(Object.keys(tiles) as (keyof typeof tiles)[]).map((name) => (
        <div key={name}>
          <dt>{t(name)}</dt>
          <dd>{tiles[name]}</dd>
        </div>
      ))}
    </dl>
  )
}

function holderRow({ pid, prepared, name, user, state, ms }: Holder) {
  const process = pid === null ? (prepared ?? '–') : String(pid)
  const end = pid === null ? `ROLLBACK PREPARED '${prepared}'` : `SELECT pg_terminate_backend(${pid})`
  const since = ms === null ? '–' : printSpan(ms / 1000)
  return { key: process, cells: [process, name ?? '–', user ?? '–', state ?? '–', since, <code key="end">{end}</code>] }
}

function Holders({ holders }: Pick<Feed, 'holders'>) {
  const held = holders.filter(({ ms }) => ms === null || ms > heldMs)
  if (held.length === 0) return null
  return (
    <>
      <h2>{t('feedHolders')}</h2>
      <p className="problem">{t('feedHoldersHelp')}</p>
      <FactsTable
        label={t('feedHolders')}
        heads={[t('feedProcess'), t('name'), t('feedUser'), t('state'), t('feedOpenFor'), t('remedy')]}
        rows={held.map(holderRow)}
      />
    </>
  )
}

function changeRow({ type, resource, id, at, transaction, before }: Change) {
  const fields = Object.keys(before ?? {}).join(', ')
  return {
    key: `${transaction} ${resource} ${id} ${type}`,
    cells: [
      printTime(at),
      t(wordOfChange[type]),
      resource,
      type === 'delete' ? id : <RecordLink key="record" slug={resource} id={id} />,
      fields === '' ? '–' : fields,
    ],
  }
}

export function FeedPage() {
  const facts = useQuery({ queryKey: ['_operate', 'feed'], refetchInterval: lookMs, queryFn: readFeed })
  return (
    <FactsPage title={t('feed')} facts={facts}>
      {({ feed, changes }) => (
        <>
          <Tiles feed={feed} />
          <p className="quiet">
            {t('feedBounds', { span: printSpan(feed.keepMs / 1000), size: printBytes(feed.keepBytes) })}
          </p>
          <p>
            {t('feedPosition')} <code className="position">{feed.position}</code>
          </p>
          <Holders holders={feed.holders} />
          <h2>{t('feedLast')}</h2>
          <p className="quiet">{t('feedLastHelp')}</p>
          <FactsTable
            label={t('feedLast')}
            heads={[t('time'), t('feedEvent'), t('feedResource'), t('feedRecord'), t('feedFields')]}
            rows={changes.map(changeRow)}
          />
        </>
      )}
    </FactsPage>
  )
}
