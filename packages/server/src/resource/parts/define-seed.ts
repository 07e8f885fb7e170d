/**
 * `defineSeed`: records that an application begins with, or that developers and tests work with.
 * `bindery seed` runs it as often as one likes: `put` makes no record twice.
 */
import type { CodeLog, TransactionCode } from '../code/code-context.ts'
import type { ResourceHandle } from '../code/code-records.ts'
import type { Fields } from '../fields/field.ts'
import { flag, functionKind, type Members, mistakesIn } from '../members.ts'
import type { FieldName, NewRecord, RecordOf } from '../record-of.ts'
import { type DeclaredPart, type PartType, partOf } from './application-part.ts'

/**
 * `put(books, 'isbn', { isbn: '…', title: 'Emma' })`: the record with this key, made or changed
 * where its values differ. A key of several fields is a list. Fields that no reader sees, such as
 * passwords, and links are given when the record is made.
 */
export type PutRecord = <F extends Fields>(
  resource: ResourceHandle<F>,
  key: NoInfer<FieldName<F>> | readonly NoInfer<FieldName<F>>[],
  values: NoInfer<NewRecord<F>>,
) => Promise<RecordOf<F>>

/** A seed is given this. Its writes are one transaction, in the name of the system. */
export type SeedCode = TransactionCode & {
  readonly put: PutRecord
  /** Lines of the command, or of the server's log. */
  readonly log: CodeLog
}

export type SeedDeclaration = {
  /** Writes the records. It may run again from its beginning, so it changes nothing outside. */
  readonly run: (given: SeedCode) => Promise<void> | void
  /**
   * Whether its writes cause effects, as other writes do. By default they cause none, so that a
   * seed sends no mails. Effects at a moment of a record are left in either case.
   */
  readonly effects?: boolean
  /** Runs also where others reach the server, without `--yes`: countries, currencies. */
  readonly everywhere?: boolean
}

/** A seed as an application lists it. */
export type DeclaredSeed<N extends string = string> = DeclaredPart<N> & { readonly seed: SeedDeclaration }

const members = {
  run: functionKind,
  effects: flag,
  everywhere: flag,
} satisfies Members<SeedDeclaration>

export const seedType: PartType<DeclaredSeed> = {
  kind: 'seed',
  definedBy: 'defineSeed',
  findFormMistakes: ({ seed }) => mistakesIn(seed, members, ['run']),
}

/**
 * Declares records to begin with: `defineSeed({ name: 'demo', run: async ({ put }) => { await
 * put(books, 'isbn', { isbn: '9780141439587', title: 'Emma' }) } })`. It stands in the list of
 * resources. `bindery seed` and `startService(resources, { seed: true })` run it.
 */
export function defineSeed<const N extends string>({
  name,
  ...seed
}: SeedDeclaration & {
  /** camelCase: `bindery seed demo` runs this one alone. */
  readonly name: N
}): DeclaredSeed<N> {
  return { ...partOf(seedType, name), seed }
}
