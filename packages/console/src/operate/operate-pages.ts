/** The pages for the people who operate the service, one file each, in the order of the menu. */
import type { ResourceSummary } from 'bindery-server/client'
import type { ComponentType } from 'react'

export type OperatePage = {
  /** The last part of its address. */
  readonly name: string
  readonly label: string
  /** Whether the caller may use it, as far as the declarations say. */
  isFor(resources: readonly ResourceSummary[]): boolean
  load(): Promise<ComponentType>
}

export const operatePages: readonly OperatePage[] = []
