/** A line over time as SVG: paths and attributes alone, which the policy of the page lets through. */
const [width, height] = [320, 80]

type ChartProps = {
  readonly label: string
  /** Null where nothing was measured. */
  readonly values: readonly (number | null)[]
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

export function SmallChart({ label, values, print }: ChartProps) {
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0)) * 1.1
  const last = print(values.at(-1))
  return (
    <figure className="chart">
      <figcaption>
        {label} <strong>{last}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${label}: ${last}`}>
        <path
          d={pathOf(values, most)}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </figure>
  )
}
