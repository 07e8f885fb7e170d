/** The place in an application's files where something is declared. */
import { dirname } from 'node:path'
import { getCallSites } from 'node:util'

const ownFolder = dirname(import.meta.dirname)

/** `writtenIn`: the file, relative to the working directory; `writtenAt`: `books.ts:12`. */
export type DeclaringPlace = { readonly writtenIn: string; readonly writtenAt: string }

/** The first place in the stack that is not the engine's own. */
export function declaringPlace(): DeclaringPlace {
  const sites = getCallSites(20).map(({ scriptName, lineNumber }) => ({
    file: scriptName.replace(/^file:\/\//, ''),
    lineNumber,
  }))
  const found = sites.find(({ file }) => file.startsWith('/') && !file.startsWith(`${ownFolder}/`))
  if (!found) return { writtenIn: 'a declaration', writtenAt: 'a declaration' }
  const here = `${process.cwd()}/`
  const writtenIn = found.file.startsWith(here) ? found.file.slice(here.length) : found.file
  return { writtenIn, writtenAt: `${writtenIn}:${found.lineNumber}` }
}
