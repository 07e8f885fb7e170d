/**
 * Checks of a record: what must hold between its fields, whichever way it is written. A check is a
 * pure function of the record. It changes nothing and knows no caller.
 */
import type { DerivedContext, Fields } from '../fields/field.ts'
import { flag, functionKind, type Members, objectOf, tableOf, textKind } from '../members.ts'
import type { ListedName, RecordOf } from '../record-of.ts'
import type { ServiceSettings } from '../rule.ts'

/** `F`: the fields of the resource. */
export type RecordCheck<F extends Fields = Fields> = {
  /** The field at which the mistake is told. Without one, the sentence is told alone. */
  readonly at?: ListedName<F>
  /** The sentence of the refusal (400). */
  readonly message: string
} & (
  | {
      /** It depends on the time: `require` receives `now`, the time of the write. */
      readonly clock?: false
      /** True where the record is right. It reads the record and the settings alone. */
      readonly require: (record: RecordOf<F>, context: ServiceSettings) => boolean
    }
  | { readonly clock: true; readonly require: (record: RecordOf<F>, context: DerivedContext) => boolean }
)

/** The same where the fields are not known. */
export type DeclaredCheck = {
  readonly require: (record: Readonly<Record<string, unknown>>, context: DerivedContext) => unknown
  readonly at?: string
  readonly message: string
  readonly clock?: boolean
}

const members = {
  require: functionKind,
  at: textKind,
  message: textKind,
  clock: flag,
} satisfies Members<DeclaredCheck>

export const checksKind = tableOf(objectOf(members, { needed: ['require', 'message'] }))
