/**
 * Builds the site. A dead link fails the build, the built index finds the pages that
 * `search-questions.ts` expects, and no page loads a file from another server. It takes a minute,
 * so `npm run test:long` runs it.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import MiniSearch from 'minisearch'
import { root } from '../apps/shop/test/docs/documents.ts'
import { searchOptions } from './search-options.ts'
import { questions } from './search-questions.ts'

const run = promisify(execFile)
const timeout = 600_000

describe('the site', { timeout, skip: process.env.TEST_LONG ? false : 'npm run test:long runs it' }, () => {
  const folder = temporaryFolder()
  const dist = join(folder, 'site/.vitepress/dist')
  const program = join(root, 'node_modules/vitepress/bin/vitepress.js')
  const build = () => run(process.execPath, [program, 'build', 'site'], { cwd: folder })

  before(async () => {
    for (const part of ['site', 'docs', 'deploy', 'CHANGELOG.md', 'SECURITY.md', 'ARCHITECTURE.md', 'Dockerfile'])
      cpSync(join(root, part), join(folder, part), {
        recursive: true,
        filter: (path) => !/\/(?:dist|cache)$/.test(path),
      })
    for (const part of ['node_modules', 'packages', 'apps', 'bench', 'compose.yaml'])
      symlinkSync(join(root, part), join(folder, part))
    writeFileSync(join(folder, 'package.json'), readFileSync(join(root, 'package.json')))
    await build()
  })
  after(() => removeFolder(folder))

  test('its index answers each question at the first hit', async () => {
    const [file = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: dist })
    const { default: json } = await import(join(dist, file))
    const { options, searchOptions: asked } = searchOptions.miniSearch
    const fields = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] }
    const index = MiniSearch.loadJSON(json, { ...fields, searchOptions: asked, ...options })
    const wrong = questions
      .map(([question, page]) => [question, page, String(index.search(question)[0]?.id)] as const)
      .filter(([, page, hit]) => !hit.startsWith(`/${page}.html`))
    assert.deepEqual(wrong, [])
  })

  test('no page takes a script, a style or a picture from another server', () => {
    const pages = globSync('**/*.html', { cwd: dist })
    assert.ok(pages.length > 200)
    const foreign = pages.filter((page) =>
      /<(?:script|img|link|iframe)\b[^>]*(?:src|href)="(?:https?:)?\/\//.test(readFileSync(join(dist, page), 'utf8')),
    )
    assert.deepEqual(foreign, [])
  })

  test('a dead link ends the build', async () => {
    const page = join(folder, 'docs/how-to/api-who-am-i.md')
    writeFileSync(page, `${readFileSync(page, 'utf8')}\n[Gone](gone.md)\n`)
    rmSync(dist, { recursive: true })
    await assert.rejects(build(), /dead link/)
  })
})
