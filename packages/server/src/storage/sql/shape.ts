/**
 * The parts of a statement before it is SQL: the shape of a request with its values, and the
 * numbered slots for them.
 */
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Dialect } from './dialect.ts'

/** The placeholder in compiled SQL for the value with this number. */
export class ParameterSlot {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

/** Collects the name of a request's shape, its values, and the resources that it reads. */
export class StatementShape {
  key = ''
  readonly values: unknown[] = []
  readonly resources: Resource[] = []
  add(value: unknown): void {
    this.values.push(value)
  }
}

export type ShapeBuilder = { readonly catalog: Catalog; readonly dialect: Dialect; readonly shape: StatementShape }
export type CompileContext = { readonly catalog: Catalog; readonly dialect: Dialect; slots: number }

export function nextSlot(compiling: CompileContext): ParameterSlot {
  return new ParameterSlot(compiling.slots++)
}
