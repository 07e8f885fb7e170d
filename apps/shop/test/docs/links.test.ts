/**
 * Links in documents lead to files and headings that exist, also when the site is not built.
 * Documents in the package name no file that only this repository has.
 */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { slugOf } from '../../../../site/slug.ts'
import { root } from './documents.ts'

const files = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'packages/*/*.md'], { cwd: root }).map((file) =>
  file.replaceAll('\\', '/'),
)
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
/** Without comments, which readers do not see, and without blocks of code. */
const proseOf = (text: string) => text.replaceAll(/^<!--.*?-->$/gms, '').replaceAll(/^```.*?^```$/gms, '')

function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...proseOf(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(headings.map((heading) => slugOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))))
}

/** A package's README links to docs/ beside it, where they are when it is packed. */
const folderOf = (file: string, link: string) =>
  file.startsWith('packages/') && /^(?:docs|deploy|CHANGELOG)/.test(link) ? '' : dirname(file)

test('links lead to files and headings that exist', () => {
  const dead: string[] = []
  for (const [file, text] of texts) {
    for (const [, link = ''] of proseOf(text).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? file : join(folderOf(file, link), path).replaceAll('\\', '/')
      const goal = texts.get(target)
      if (!existsSync(join(root, target))) dead.push(`${file}: ${link}`)
      else if (anchor && goal && !anchorsOf(goal).has(anchor)) dead.push(`${file}: ${link} (no such heading)`)
    }
  }
  assert.deepEqual(dead, [])
})

/** For those who work on the engine: the package does not have them (release/prepack.ts). */
const unshipped = ['docs/reference/asvs.md', 'docs/decisions/']
const isShipped = (file: string) => /^docs\/.+\//.test(file) && !unshipped.some((name) => file.startsWith(name))
/**
 * Folders and commands of the repository alone. `npm run create` is said with the clone in which it
 * is run.
 */
const ownAlone =
  /apps\/|packages\/(?!bindery-client)|npm run (?!create\b|demo\b|dev\b|check\b)[\w:-]+|npm test -- |UPDATE=1/

test('shipped documents name nothing that only the repository has', () => {
  const wrong = [...texts]
    .filter(([file]) => isShipped(file))
    .flatMap(([file, text]) =>
      text
        .replaceAll(/^<!--.*?-->$/gms, (note) => '\n'.repeat(note.split('\n').length - 1))
        .split('\n')
        .flatMap((line, i) => (ownAlone.test(line) ? [`${file}:${i + 1}: ${line.slice(0, 120)}`] : [])),
    )
  assert.deepEqual(wrong, [])
})

test('each page begins with its heading, and then says for whom it is', () => {
  const guided = files.filter((file) => /^docs\/(?:tutorial|how-to|reference|explanation)\//.test(file))
  const wrong = guided.filter(
    (file) => !/^(?:---\n(?:.*\n)*?---\n\n)?# .+\n\n(?:For|Made) /.test(texts.get(file) ?? '') && isShipped(file),
  )
  assert.ok(guided.length > 30)
  assert.deepEqual(wrong, [])
})

test('no page has elements of HTML, which the site would compile', () => {
  const wrong = files
    .filter((file) => file.startsWith('docs/'))
    .flatMap((file) =>
      proseOf(texts.get(file) ?? '')
        .replaceAll(/`+[^`]*`+/g, '')
        .split('\n')
        .flatMap((line) => (/(?<!\\)<\/?[a-z]/i.test(line) ? [`${file}: ${line.slice(0, 120)}`] : [])),
    )
  assert.deepEqual(wrong, [])
})
