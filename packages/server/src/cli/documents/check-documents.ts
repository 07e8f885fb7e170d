/**
 * Compares the documents that a project commits (OpenAPI, SDL, types) with those that its
 * declarations make now.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printSdl } from '../../graphql/schema/print-sdl.ts'
import { makeOpenapi } from '../../openapi/make-openapi.ts'
import type { Catalog } from '../../resource/catalog.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { engineRoutes } from '../../service/engine-routes.ts'
import { documentsOf, isNamed } from '../project-settings.ts'

/** `line`: the first that differs; 0 where the file is missing. */
export type Difference = { readonly file: string; readonly line: number }

/** The documents as `bindery openapi` and `bindery sdl` print them. */
export const printed = {
  openapi: (catalog: Catalog, settings: ServiceSettings) =>
    `${JSON.stringify(makeOpenapi(catalog, settings, engineRoutes({ catalog, settings })), null, 2)}\n`,
  sdl: printSdl,
} as const

function firstDifference(a: string, b: string): number {
  const [left, right] = [a.split('\n'), b.split('\n')]
  const at = left.findIndex((line, i) => line !== right[i])
  return (at === -1 ? left.length : at) + 1
}

type CompareOptions = { readonly folder: string; readonly write: boolean; readonly settings: ServiceSettings }

/** With `write`, it rewrites files that differ, and returns nothing for them. */
export async function compareDocuments(
  catalog: Catalog,
  { folder, write, settings }: CompareOptions,
): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const [kind, file] of Object.entries(documentsOf(folder))) {
    const path = join(folder, file)
    const document = kind as keyof typeof printed
    const kept = existsSync(path) ? readFileSync(path, 'utf8') : undefined
    if (kept === undefined && !isNamed(folder, document)) continue
    const text = printed[document](catalog, settings)
    if (kept === text) continue
    if (write) writeFileSync(path, text)
    else differences.push({ file, line: kept === undefined ? 0 : firstDifference(kept, text) })
  }
  return differences
}
