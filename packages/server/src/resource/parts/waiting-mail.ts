/** A mail of an application while it waits, and the kind of work that it is. */
import type { WaitingValues } from './mail-values.ts'

export type WaitingMail = {
  readonly recipient: string
  /** As `Accept-Language` has them. */
  readonly languages: string | null
  readonly values: WaitingValues
}

const kindStart = 'mail:'

/** `mail:orderShipped`; no effect of a resource has such a name. */
export function mailKindName(name: string): string {
  return `${kindStart}${name}`
}

export function isMailKind(kind: string): boolean {
  return kind.startsWith(kindStart)
}
