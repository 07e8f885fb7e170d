/** The server now: rates, times, routes, budgets, refusals and the database. */
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, printBytes, printFigure, printMs, printSpan, useFacts } from './facts.tsx'
import { printShare, StatusCharts, type StatusPoint } from './status-charts.tsx'

type Route = { method: string; route: string; requests: number; errors: number; mean: number; p95: number | null }
type Counts = Readonly<Record<string, number>>
type Status = {
  readonly version: string
  readonly node: string
  readonly workers: number
  readonly uptimeSeconds: number
  /** Null until the server has looked twice. */
  readonly now: StatusPoint | null
  readonly series: readonly StatusPoint[]
  readonly routes: readonly Route[]
  readonly budgets: readonly { name: string; used: number; limit: number }[]
  readonly refusals: Counts
  readonly kept: Counts
  readonly database: {
    readonly bytes: Counts
    readonly pool: Counts
    readonly lagSeconds: number | null
    readonly slowStatements: number
  }
  readonly diskFreeBytes: number | null
  readonly backupAgeSeconds: number | null
  readonly mailsWaiting: number | null
  readonly logInFailures: number
}

const lookMs = 2_000
const inBytes = new Set(['request-bodies', 'unread-answers'])

/** The share of cached answers; undefined before the first one. */
function keptShare({ found = 0, renewed = 0, missed = 0 }: Counts): number | undefined {
  const asked = found + renewed + missed
  return asked > 0 ? (found + renewed) / asked : undefined
}

function Facts({ status }: { readonly status: Status }) {
  const { now, kept, database, diskFreeBytes, backupAgeSeconds, uptimeSeconds } = status
  const bytes = Object.values(database.bytes).reduce((sum, size) => sum + size, 0)
  const facts = [
    [t('statusRequests'), printFigure(now?.requests)],
    [t('statusErrors'), printFigure(now?.errors)],
    [t('statusP95'), printMs(now?.p95)],
    [t('statusKept'), printShare(keptShare(kept))],
    [t('statusDatabase'), printBytes(bytes)],
    [t('statusDisk'), printBytes(diskFreeBytes)],
    [t('sinceBackup'), backupAgeSeconds === null ? t('noneKnown') : printSpan(backupAgeSeconds)],
    [t('sinceStart'), printSpan(uptimeSeconds)],
  ] as const
  return (
    <dl className="tiles">
      {facts.map(([about, figure]) => (
        <div key={about}>
          <dt>{about}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  )
}

function Routes({ routes }: Pick<Status, 'routes'>) {
  return (
    <FactsTable
      label={t('statusRoutes')}
      heads={[t('statusRoute'), t('statusRequests'), t('statusErrors'), t('statusMean'), t('statusP95')]}
      rows={routes.map(({ method, route, requests, errors, mean, p95 }) => ({
        key: `${method} ${route}`,
        cells: [
          `${method} ${route === 'none' ? t('unknownPath') : route}`,
          printFigure(requests),
          printFigure(errors),
          printMs(mean),
          printMs(p95),
        ],
      }))}
    />
  )
}

function Budgets({ budgets }: Pick<Status, 'budgets'>) {
  return (
    <FactsTable
      label={t('statusBudgets')}
      heads={[t('name'), t('statusUsed'), t('statusLimit'), t('share')]}
      rows={budgets.map(({ name, used, limit }) => {
        const print = inBytes.has(name) ? printBytes : printFigure
        const meter = (
          <meter
            key="share"
            max={limit}
            low={limit * 0.6}
            high={limit * 0.85}
            optimum={0}
            value={used}
            aria-label={name}
          />
        )
        return { key: name, cells: [name, print(used), print(limit), meter] }
      })}
    />
  )
}

const pairs = (counts: Counts, print: (value: number) => string) =>
  Object.entries(counts).map(([key, count]) => ({ key, cells: [key, print(count)] }))

function Database({ database: { bytes, pool, lagSeconds, slowStatements } }: Pick<Status, 'database'>) {
  const lag = lagSeconds === null ? [] : [{ key: 'lag', cells: [t('statusLag'), printMs(lagSeconds * 1000)] }]
  return (
    <FactsTable
      label={t('statusDatabase')}
      heads={[t('name'), t('value')]}
      rows={[
        ...pairs(bytes, printBytes),
        ...Object.entries(pool).map(([state, count]) => ({
          key: `pool ${state}`,
          cells: [t('poolState', { state }), printFigure(count)],
        })),
        ...lag,
        { key: 'slow', cells: [t('slowSinceStart'), printFigure(slowStatements)] },
      ]}
    />
  )
}

function Refusals({ refusals, logInFailures, mailsWaiting }: Status) {
  const found = Object.fromEntries(Object.entries(refusals).filter(([, count]) => count > 0))
  return (
    <FactsTable
      label={t('statusRefusals')}
      heads={[t('name'), t('value')]}
      rows={[
        ...pairs(found, printFigure),
        { key: 'log-in', cells: [t('logInFailures'), printFigure(logInFailures)] },
        ...(mailsWaiting ? [{ key: 'mails', cells: [t('mailsWaiting'), printFigure(mailsWaiting)] }] : []),
      ]}
    />
  )
}

export function StatusPage() {
  const facts = useFacts<Status>('/status', lookMs)
  return (
    <FactsPage title={t('status')} facts={facts}>
      {(status) => (
        <>
          <Facts status={status} />
          <StatusCharts series={status.series} />
          <h2>{t('statusRoutes')}</h2>
          <Routes routes={status.routes} />
          <div className="side-by-side">
            <section>
              <h2>{t('statusBudgets')}</h2>
              <Budgets budgets={status.budgets} />
            </section>
            <section>
              <h2>{t('statusDatabase')}</h2>
              <Database database={status.database} />
            </section>
            <section>
              <h2>{t('statusRefusals')}</h2>
              <Refusals {...status} />
            </section>
          </div>
          <p className="quiet">
            {t('version', { version: status.version, node: status.node })}
            {status.workers > 1 && `, ${t('workersOf', { count: status.workers })}`}
          </p>
        </>
      )}
    </FactsPage>
  )
}
