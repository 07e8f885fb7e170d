/** What statements are made of before they are SQL: a request's shape with its values, and the numbered slots that stand for them. */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Dialect } from './dialect.ts'

/** Stands in compiled SQL for the value with this number. */
export class Slot {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

/** Collects the name of a request's shape, its values, and the resources that it reads. */
export class Shape {
  key = ''
  readonly values: unknown[] = []
  readonly resources: Resource[] = []
  add(value: unknown): void {
    this.values.push(value)
  }
}

export type Describing = { readonly catalog: Catalog; readonly dialect: Dialect; readonly shape: Shape }
export type Compiling = { readonly catalog: Catalog; readonly dialect: Dialect; slots: number }

export function nextSlot(compiling: Compiling): Slot {
  return new Slot(compiling.slots++)
}
