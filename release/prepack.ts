/**
 * npm runs this program around `npm pack` and `npm publish`, in the folder of a package. Before, it
 * builds the package and puts the published package.json, the licence and the other shared `files`
 * into place. After (`--restore`), it removes them; npm reads package.json again between the two.
 * `BINDERY_BUILT` says that the caller has just built both packages.
 */
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withList } from '../site/sidebar.ts'
import { publishedManifest } from './manifest.ts'

const root = join(import.meta.dirname, '..')
const folder = process.cwd()
const manifest = join(folder, 'package.json')
const kept = join(folder, 'package.json.kept')

// after packing, or after an earlier run that was killed
if (existsSync(kept)) renameSync(kept, manifest)
const own = JSON.parse(readFileSync(manifest, 'utf8'))
/**
 * These are for those who work on the engine. Where other documents lead to one, its name stays.
 */
const forDevelopers = ['docs/decisions', 'docs/images', 'docs/reference/asvs.md'].map((name) => join(root, name))
const isForUsers = (path: string) => !forDevelopers.includes(path)
/** Comments for the tests of the documents, which readers do not see. */
const unseen = /^<!--.*?-->\n+/gms
const linkToThem = /\[([^\]]+)\]\((?:\.\.\/)*(?:decisions\/|(?:reference\/)?asvs\.md)[^)]*\)/g

/** Files that the package takes from the repository; `dist` is made in its own folder. */
const shared = ['LICENSE', ...(own.files as string[]).filter((name) => name !== 'dist')]
for (const name of shared) rmSync(join(folder, name), { recursive: true, force: true })
if (!process.argv.includes('--restore')) {
  if (process.env.BINDERY_BUILT === undefined) await import('./build.ts')
  for (const name of shared) cpSync(join(root, name), join(folder, name), { recursive: true, filter: isForUsers })
  for (const name of globSync('docs/**/*.md', { cwd: folder })) {
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8').replaceAll(unseen, '').replaceAll(linkToThem, '$1')
    const isThere = (path: string) => existsSync(join(folder, 'docs', `${path}.md`))
    writeFileSync(file, withList(name.replaceAll('\\', '/').slice('docs/'.length), text, isThere))
  }
  renameSync(manifest, kept)
  writeFileSync(manifest, `${JSON.stringify(publishedManifest(own), null, 2)}\n`)
}
