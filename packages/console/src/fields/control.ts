/** An input is a control for each kind of field, in a frame with its label and its errors. */
import type { FieldDescription } from 'bindery-server/client'

export type ControlProps = {
  readonly field: FieldDescription
  readonly id: string
  /** Undefined and null are no value. */
  readonly value: unknown
  onChange(next: unknown): void
  readonly describedBy: string | undefined
  readonly isInvalid: boolean
  readonly isRequired: boolean
  /** The values of the whole form: a reference may depend on another field. */
  readonly values: Readonly<Record<string, unknown>>
}

/** A text that is no value of its field yet. The form keeps it, and does not send it. */
export type Unread = { readonly unread: string }

export function isUnread(value: unknown): value is Unread {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Unread>).unread === 'string'
}

/** The attributes that controls of HTML share. */
export function attributesOf({ id, describedBy, isInvalid, isRequired }: ControlProps) {
  return {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid || undefined,
    'aria-required': isRequired || undefined,
  }
}
