/**
 * The application of a guide: the blocks that a reader saves, loaded as they stand in the document.
 * So a test of its rules tests the text itself, and no copy of it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { removeFolder, type startService, temporaryFolder } from 'bindery-server/test'
import { blocksOf, noteOf, readDocuments, root } from './documents.ts'

type Resources = Parameters<typeof startService>[0]

/** The files that `bindery init --kind users` makes, and that guides import. */
const template = join(root, 'packages/server/templates/users')

/** Imports of packages and of files of the template, by their addresses. */
function resolved(text: string): string {
  return text.replaceAll(/(?<= from ')[^']+(?=')/g, (name) =>
    name.startsWith('./resources/') ? pathToFileURL(join(template, name)).href : import.meta.resolve(name),
  )
}

/** The `resources` of a block: `resourcesOf('docs/how-to/x.md', 'my-app/teams.ts')`. */
export async function resourcesOf(file: string, saved: string): Promise<Resources> {
  const document = readDocuments().find((one) => one.file === file)
  const block = document && blocksOf(document).find((one) => noteOf(one, 'saved as')?.text === saved)
  if (!block) throw new Error(`${file} has no block that is saved as ${saved}`)
  const folder = temporaryFolder()
  const path = join(folder, saved)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, resolved(block.text))
  try {
    const { resources } = await import(pathToFileURL(path).href)
    return resources
  } finally {
    removeFolder(folder)
  }
}
