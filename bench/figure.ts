/**
 * A figure with a unit for each contestant that has one, where a share of the bare server makes no
 * sense.
 */
import type { Bench, Field } from './measure.ts'

export type Figure = {
  readonly name: string
  readonly title: string
  readonly contestant: string
  /** As people read it. */
  readonly text: string
  /** As programs read it. */
  readonly values: Readonly<Record<string, number>>
}

/** A measurement of its own, of every contestant of the field. */
export type Measurement = {
  readonly name: string
  readonly title: string
  readonly measure: (bench: Bench, field: readonly Field[]) => Promise<Omit<Figure, 'name'>[]>
}

export const milliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(2) : Math.round(ms).toLocaleString('en')} ms`
export const times = (factor: number) =>
  `${factor < 10 ? factor.toPrecision(2) : Math.round(factor).toLocaleString('en')} times`
export const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`
