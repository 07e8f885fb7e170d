/**
 * The members that the engine adds to record types. `version`: a write names it to apply to that
 * version alone. `can`: what the caller may do with the record. Where a record has such a member of
 * its own, they are `_version` and `_can`.
 */
import { GraphQLBoolean, type GraphQLFieldConfig, GraphQLInt, GraphQLNonNull, GraphQLObjectType } from 'graphql'
import { ApiError } from '../../errors.ts'
import type { Resource } from '../../resource/catalog.ts'
import type { CanMember } from '../../resource/relations/can-member.ts'
import type { TypeNames } from '../../resource/words/document-names.ts'
import { memberBeside } from '../../resource/words/reserved-words.ts'
import type { Represented } from '../../value/represent.ts'
import type { JudgedRecord } from '../allowed-loader.ts'
import type { GraphqlContext } from '../context.ts'

type RecordField = GraphQLFieldConfig<Represented, GraphqlContext>

/** It comes last in the records' types. */
export const versionNameOf = ({ relations }: Pick<Resource, 'relations'>) => memberBeside(relations, 'version')

export const versionField: RecordField = {
  type: GraphQLInt,
  description: 'Send it with a write that is for this version alone. Null in records that are parts of another.',
  extensions: { characters: 0 },
}

/** `can` as a field of records: a page of them is judged together. */
export function canField(resource: Resource, { name, operations }: CanMember, names: TypeNames): RecordField {
  const operation = (one: string) => ({
    type: new GraphQLNonNull(GraphQLBoolean),
    description: `Whether the rules let the caller do \`${one}\`.`,
  })
  return {
    type: new GraphQLObjectType({
      name: names.of([resource.typeName, 'Can'], resource.name),
      description: 'For each operation, whether the caller may do it to this record.',
      fields: Object.fromEntries(operations.map((one) => [one, operation(one)])),
    }),
    description: 'The operations that you may do to this record. Records that are parts of another do not tell it.',
    // biome-ignore lint/complexity/useMaxParams: the executor calls resolvers so
    resolve(source, _args, { allowed }, _info) {
      const record = source[name] as JudgedRecord | undefined
      if (!record)
        throw new ApiError('bad-request', `Leave ${name} out: these records are parts of another; read them alone`)
      return allowed(resource, record)
    },
  }
}

/** The members that a query selects, by their names. */
export type SelectedMembers = { readonly version: string | undefined; readonly can: string | undefined }

export function selectedMembers(resource: Resource, asked: ReadonlySet<string>): SelectedMembers {
  const [version, can] = [versionNameOf(resource), resource.can?.name]
  return {
    version: asked.has(version) ? version : undefined,
    can: can !== undefined && asked.has(can) ? can : undefined,
  }
}

/** The shown record with these members. `can` stands for what it will be computed from. */
export function withMembers<R extends object>(shown: R, record: JudgedRecord, { version, can }: SelectedMembers): R {
  if (version === undefined && can === undefined) return shown
  return {
    ...shown,
    ...(version !== undefined && { [version]: record.row.version }),
    ...(can !== undefined && { [can]: record }),
  }
}
