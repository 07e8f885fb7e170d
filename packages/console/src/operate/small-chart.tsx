/** Lines over time as SVG: paths and attributes alone, which the policy of the page lets through. */
const [width, height] = [320, 80]
/** Lines differ by more than their colour. */
const dashes = [undefined, '5 3', '1.5 2.5']

export type ChartLine = {
  /** Absent where there is one line. */
  readonly label?: string
  /** Null where nothing was measured. */
  readonly values: readonly (number | null)[]
}
type ChartProps = {
  readonly label: string
  readonly lines: readonly ChartLine[]
  print(value: number | null | undefined): string
}

function pathOf(values: readonly (number | null)[], most: number): string {
  const step = width / Math.max(1, values.length - 1)
  return values
    .flatMap((value, at) =>
      value === null ? [] : [`${(at * step).toFixed(1)} ${(height - (value / most) * height).toFixed(1)}`],
    )
    .map((point, at) => `${at === 0 ? 'M' : 'L'}${point}`)
    .join('')
}

/** The scale begins at 0. The key has the latest value of each line. */
export function SmallChart({ label, lines, print }: ChartProps) {
  const found = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const most = Math.max(1e-9, found) * 1.1
  const keys = lines.map((line) => ({ ...line, last: print(line.values.at(-1)) }))
  const said = keys.map((line) => [line.label, line.last].filter(Boolean).join(' ')).join(', ')
  return (
    <figure className="chart">
      <figcaption>{label}</figcaption>
      <p className="chart-most">{print(found)}</p>
      <p className="chart-keys">
        {keys.map((line, at) => (
          <span key={line.label ?? ''} className={`chart-key chart-line-${at}`}>
            {line.label && (
              <svg viewBox="0 0 16 2" aria-hidden="true">
                <path d="M0 1L16 1" stroke="currentColor" strokeWidth="2" strokeDasharray={dashes[at]} />
              </svg>
            )}
            <span>
              {line.label} <strong>{line.last}</strong>
            </span>
          </span>
        ))}
      </p>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${label}: ${said}`}>
        {keys.map(({ label: name, values }, at) => (
          <path
            key={name ?? ''}
            className={`chart-line-${at}`}
            d={pathOf(values, most)}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeDasharray={dashes[at]}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
    </figure>
  )
}
