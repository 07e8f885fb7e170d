/**
 * The public entries of the engine with the reports of their exports. The names alone are read from
 * the text of an entry or of its report.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of types, by the names of their reports. */
export const entries: Readonly<Record<string, string>> = {
  'bindery-server': 'index',
  'bindery-server-test': 'testing/index',
  'bindery-server-client': 'client/index',
  'bindery-server-react-admin': 'client/react-admin',
  'bindery-server-refine': 'client/refine',
  'bindery-server-webhook': 'webhook/verify',
}
const server = join(import.meta.dirname, '../packages/server')
export const kept = join(server, 'api')

const declared = /^export (?:declare )?(?:async )?(?:class|const|function|interface|let|type) (\w+)/gm
const listed = /^export (?:type )?\{([^}]*)\}/gm

/** `export { type A, b as c } from './a.ts'` → `A` and `c`. */
function exportedNames(text: string): readonly string[] {
  const ofLists = [...text.matchAll(listed)].flatMap(([, list = '']) => list.split(','))
  const names = ofLists.map((one) => one.trim().split(/\s+/).at(-1) ?? '').filter((name) => name !== '')
  return [...new Set([...names, ...[...text.matchAll(declared)].map(([, name = '']) => name)])].toSorted()
}

/** By the name of its report: what the source of each entry exports, and what its report says. */
export function namesOfEntries(): Readonly<
  Record<string, { readonly source: readonly string[]; readonly report: readonly string[] }>
> {
  const read = (file: string) => exportedNames(readFileSync(join(server, file), 'utf8'))
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [
      name,
      { source: read(`src/${entry}.ts`), report: read(`api/${name}.api.md`) },
    ]),
  )
}
