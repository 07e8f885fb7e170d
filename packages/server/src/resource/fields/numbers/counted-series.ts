/** How the engine counts the values of a field. `F`: the field, as its own type sees it. */
export type CountedSeries<F> = {
  /** Whether each tenant has a series of its own. */
  isPerTenant(field: F): boolean
  /** A series begins after this value; the time of the write decides which one it is. */
  base(field: F, time: string): number
  /** The next series begins so far behind it. */
  readonly size: number
}
