/**
 * The words for which the engine has a use, where an application's name may meet them, and which of
 * both gives way. The checks of declarations and a page of the reference are made of this list. A
 * test compares it with the routes, parameters and documents of the engine. A new name of the
 * engine begins with `_`, which no name of an application does but `_id`, and needs no row.
 */
import { accountWords, isHeld } from '../accounts/account-words.ts'
import type { DeclarationCheck } from '../checks/declaration-check.ts'
import { joiningWords, listParameters, summaryParameters } from '../list-style.ts'
import { engineOperations } from '../operation-kind.ts'
import { engineSchemas, engineTypes, graphqlSpecified, pairedTypes } from './document-names.ts'
import { type NamePosition, type ReservedWord, reserve } from './reserve.ts'
import { takenColumns } from './sql-names.ts'

const camelOf = (column: string) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const parameters = Object.values(listParameters).map(({ name }) => name)

const ofRecords: readonly ReservedWord[] = [
  ...reserve(parameters, { at: ['filter'], use: 'a query parameter of every list' }),
  ...reserve(
    parameters.filter((name) => !name.includes('_')),
    { at: ['field'], use: 'a query parameter of every list' },
  ),
  ...reserve(joiningWords, { at: ['field', 'child'], use: 'a word that joins filters' }),
  ...reserve(joiningWords, {
    at: ['relation'],
    use: 'a word that joins filters',
    outcome: 'The relation of `NAMEId` is `NAMEIdRecord`.',
  }),
  ...reserve(['version'], { at: ['field'], use: 'the version of a record' }),
  ...reserve(['version'], {
    at: ['relation', 'child'],
    use: 'the version of a record in GraphQL',
    outcome: 'The version is `_version` there.',
  }),
  ...reserve(['can'], {
    at: ['field', 'relation', 'child'],
    use: 'what the caller may do with a record (`expand=can`)',
    outcome: 'The member of the engine is `_can` there.',
  }),
  ...reserve(['prototype'], { at: ['field', 'input'], use: 'a member that strict JSON refuses' }),
  ...reserve([...summaryParameters, 'groupBy'], { at: ['filter'], use: 'a parameter of summaries' }),
  ...reserve(summaryParameters, {
    at: ['field'],
    use: 'a parameter of summaries',
    outcome: 'A summary filters by it as `NAME[eq]=`, and groups by none of these but `group`.',
  }),
  ...reserve(['on'], { at: ['filter'], use: 'a parameter of upserts', outcome: 'An upsert takes no filters.' }),
  ...reserve([...takenColumns].filter((column) => column !== 'version').map(camelOf), {
    at: ['field'],
    use: 'a column of databases',
    outcome: 'Its column has `_` at the end.',
  }),
]

const ofResources: readonly ReservedWord[] = [
  ...reserve(graphqlSpecified, { at: ['type'], use: 'a type of the GraphQL specification' }),
  ...reserve(engineTypes, { at: ['type'], use: 'a type in GraphQL', outcome: 'The type of the engine is `NAME_`.' }),
  ...reserve(pairedTypes, {
    at: ['type'],
    use: 'a type in GraphQL',
    outcome: 'The type of the engine has `_` between its words.',
  }),
  ...reserve(['permissions'], {
    at: ['query'],
    use: 'the query for the permissions of the caller',
    outcome: 'The query of the engine is `_permissions`.',
  }),
  ...reserve(engineSchemas, {
    at: ['type'],
    use: 'a component of OpenAPI',
    outcome: 'The resource is `NAME_Record` in that document.',
  }),
  ...reserve(['you'], {
    at: ['scope'],
    use: 'the caller in the list of resources for agents',
    outcome: 'The caller is `_you` there.',
  }),
  ...reserve(engineOperations, { at: ['action'], use: 'an operation of every resource' }),
  ...reserve(['read', 'write'], { at: ['action'], use: 'the scopes that cover several operations' }),
  ...reserve(['forbid'], { at: ['action'], use: 'the rules that win over all others' }),
  ...reserve(['/me'], {
    at: ['path'],
    use: 'the current user',
    outcome: 'The resource has the path, and the current user is read by its id.',
  }),
]

export const reservedWords: readonly ReservedWord[] = [...ofRecords, ...ofResources, ...accountWords]

const refused = new Map(
  reservedWords.filter(({ outcome }) => outcome === undefined).map((row) => [`${row.at} ${row.word}`, row]),
)

/** The row of a word that the start refuses there. */
export function findRefused(at: NamePosition, word: string, context: DeclarationCheck): ReservedWord | undefined {
  const row = refused.get(`${at} ${word}`)
  return row && isHeld(row, context) ? row : undefined
}

/** The name of a member that the engine adds to records: `_version` beside one called `version`. */
export function memberBeside(own: Readonly<Record<string, unknown>>, word: string): string {
  return Object.hasOwn(own, word) ? `_${word}` : word
}
