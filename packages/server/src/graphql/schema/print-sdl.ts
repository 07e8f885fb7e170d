/** Prints the schema as SDL, with `@auth` on every guarded field: the content of schema.graphql. */
import { printSchemaWithDirectives } from '@graphql-tools/utils'
import type { Catalog } from '../../resource/catalog.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { makeSchema } from './make-schema.ts'

/** The SDL of these declarations, ending with a line feed. */
export function printSdl(catalog: Catalog, settings: ServiceSettings): string {
  return `${printSchemaWithDirectives(makeSchema(catalog, settings)).trimEnd()}\n`
}
