/**
 * What npm runs around `npm pack` and `npm publish`, in the folder of a package: before, it builds and puts the published package.json and
 * the licence into place; after (`--restore`), it takes them away. npm reads package.json again between the two. `BINDERY_BUILT`: who packs
 * has just built both packages.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishedManifest } from './manifest.ts'

const folder = process.cwd()
const manifest = join(folder, 'package.json')
const kept = join(folder, 'package.json.kept')
const licence = join(folder, 'LICENSE')

function restore(): void {
  if (existsSync(kept)) renameSync(kept, manifest)
  rmSync(licence, { force: true })
}

restore() // an earlier run may have been killed
if (!process.argv.includes('--restore')) {
  if (process.env.BINDERY_BUILT === undefined) await import('./build.ts')
  copyFileSync(join(import.meta.dirname, '../LICENSE'), licence)
  const published = publishedManifest(JSON.parse(readFileSync(manifest, 'utf8')))
  renameSync(manifest, kept)
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`)
}
