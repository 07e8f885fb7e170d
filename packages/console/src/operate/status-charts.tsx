/** The last minutes of the server as charts. */
import { t } from '../words/words.ts'
import { printBytes, printFigure, printMs } from './facts.tsx'
import { SmallChart } from './small-chart.tsx'

export type StatusPoint = Readonly<
  Record<'requests' | 'errors' | 'refused' | 'cpu' | 'memory' | 'connections' | 'writes', number> &
    Record<'p50' | 'p95' | 'p99' | 'loop', number | null>
>

export const printShare = (share: number | null | undefined) => (share == null ? '–' : `${printFigure(share * 100)} %`)

export function StatusCharts({ series }: { readonly series: readonly StatusPoint[] }) {
  const of = (name: keyof StatusPoint) => series.map((point) => point[name])
  return (
    <div className="charts">
      <SmallChart
        label={t('aSecond')}
        print={printFigure}
        lines={[
          { label: t('requests'), values: of('requests') },
          { label: t('errors'), values: of('errors') },
          { label: t('turnedAway'), values: of('refused') },
        ]}
      />
      <SmallChart
        label={t('timeToAnswer')}
        print={printMs}
        lines={[
          { label: t('half'), values: of('p50') },
          { label: '95 %', values: of('p95') },
          { label: '99 %', values: of('p99') },
        ]}
      />
      <SmallChart label={t('statusLoop')} print={printMs} lines={[{ values: of('loop') }]} />
      <SmallChart label={t('statusCpu')} print={printShare} lines={[{ values: of('cpu') }]} />
      <SmallChart label={t('statusMemory')} print={printBytes} lines={[{ values: of('memory') }]} />
      <SmallChart
        label={t('traffic')}
        print={printFigure}
        lines={[
          { label: t('connections'), values: of('connections') },
          { label: t('writesASecond'), values: of('writes') },
        ]}
      />
    </div>
  )
}
