/** A value in a cell or an input: by a module of the application where it has one for the field. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import type { ReactNode } from 'react'
import { findModule } from '../api/console-facts.ts'
import type { Row } from '../api/rows.ts'
import { showValue } from '../fields/show-value.tsx'
import { Mounted, ownContext } from './mounted.tsx'

export function showField(resource: ResourceDescription, field: FieldDescription, record: Row): ReactNode {
  const value = record[field.name]
  const module = findModule(`cells/${resource.name}.${field.name}`)
  if (!module) return showValue(field, value)
  return <Mounted module={module} context={{ ...ownContext, resource, field, record, value } as never} on={[value]} />
}

export type OwnInput = {
  readonly resource: ResourceDescription
  readonly field: FieldDescription
  /** Undefined in a new record. */
  readonly record: Row | undefined
  readonly value: unknown
  change(value: unknown): void
}

/** Undefined where the application has no widget for the field, or for its word. */
export function ownInput(input: OwnInput): ReactNode | undefined {
  const { resource, field, record } = input
  const module = findModule(`widgets/${resource.name}.${field.name}`) ?? findModule(`widgets/${field.widget}`)
  return module && <Mounted module={module} context={{ ...ownContext, ...input } as never} on={[record]} />
}
