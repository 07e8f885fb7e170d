/** The server now: rates, times, routes, budgets, refusals and the database. */
import { t } from '../words/words.ts'
import { FactsPage, FactsTable, printBytes, printFigure, printMs, useFacts } from './facts.tsx'
import { SmallChart } from './small-chart.tsx'

type Point = Readonly<
  Record<'requests' | 'errors' | 'refused' | 'cpu' | 'memory' | 'connections' | 'writes', number> &
    Record<'p50' | 'p95' | 'loop', number | null>
>
type Route = { method: string; route: string; requests: number; errors: number; mean: number; p95: number | null }
type Counts = Readonly<Record<string, number>>
type Status = {
  readonly version: string
  readonly uptimeSeconds: number
  readonly series: readonly Point[]
  readonly routes: readonly Route[]
  readonly budgets: readonly { name: string; used: number; limit: number }[]
  readonly refusals: Counts
  readonly database: { readonly bytes: Counts; readonly pool: Counts; readonly slowStatements: number }
  readonly diskFreeBytes: number | null
  readonly logInFailures: number
}

const lookMs = 2_000
const inBytes = new Set(['request-bodies', 'unread-answers'])

function Charts({ series }: Pick<Status, 'series'>) {
  const of = (name: keyof Point) => series.map((point) => point[name])
  return (
    <div className="charts">
      <SmallChart label={t('statusRequests')} values={of('requests')} print={printFigure} />
      <SmallChart label={t('statusErrors')} values={of('errors')} print={printFigure} />
      <SmallChart label={t('statusP95')} values={of('p95')} print={printMs} />
      <SmallChart label={t('statusLoop')} values={of('loop')} print={printMs} />
      <SmallChart
        label={t('statusCpu')}
        values={of('cpu').map((share) => (share ?? 0) * 100)}
        print={(value) => `${printFigure(value)} %`}
      />
      <SmallChart label={t('statusMemory')} values={of('memory')} print={printBytes} />
    </div>
  )
}

const pairs = (counts: Counts, print: (value: number) => string) =>
  Object.entries(counts).map(([key, count]) => ({ key, cells: [key, print(count)] }))

export function StatusPage() {
  const facts = useFacts<Status>('/status', lookMs)
  return (
    <FactsPage title={t('status')} facts={facts}>
      {({ series, routes, budgets, refusals, database, diskFreeBytes, logInFailures, version }) => (
        <>
          <p className="quiet">Bindery {version}</p>
          <Charts series={series} />
          <h2>{t('statusRoutes')}</h2>
          <FactsTable
            label={t('statusRoutes')}
            heads={[t('statusRoute'), t('statusRequests'), t('statusErrors'), t('statusMean'), t('statusP95')]}
            rows={routes.map((one) => ({
              key: `${one.method} ${one.route}`,
              cells: [
                `${one.method} ${one.route}`,
                printFigure(one.requests),
                printFigure(one.errors),
                printMs(one.mean),
                printMs(one.p95),
              ],
            }))}
          />
          <h2>{t('statusBudgets')}</h2>
          <FactsTable
            label={t('statusBudgets')}
            heads={[t('name'), t('statusUsed'), t('statusLimit')]}
            rows={budgets.map(({ name, used, limit }) => {
              const print = inBytes.has(name) ? printBytes : printFigure
              return { key: name, cells: [name, print(used), print(limit)] }
            })}
          />
          <h2>{t('statusDatabase')}</h2>
          <FactsTable
            label={t('statusDatabase')}
            heads={[t('name'), t('value')]}
            rows={[
              ...pairs(database.bytes, printBytes),
              ...pairs(database.pool, printFigure),
              { key: 'disk', cells: [t('statusDisk'), printBytes(diskFreeBytes)] },
              { key: 'slow', cells: [t('statements'), printFigure(database.slowStatements)] },
            ]}
          />
          <h2>{t('statusRefusals')}</h2>
          <FactsTable
            label={t('statusRefusals')}
            heads={[t('name'), t('value')]}
            rows={pairs({ ...refusals, 'log-in': logInFailures }, printFigure)}
          />
        </>
      )}
    </FactsPage>
  )
}
