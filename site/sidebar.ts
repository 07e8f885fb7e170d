/**
 * The sidebar, generated from the folders: a page appears where its file is, under its first
 * heading. The first word of a guide's file name is its group: `declare-add-a-resource.md`.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export const docs = join(import.meta.dirname, '../docs')

type Item = { readonly text: string; readonly link?: string; readonly collapsed?: boolean; readonly items?: Item[] }
export type Page = {
  /** Below docs/, without `.md`: `how-to/api-retry-safely`. */
  readonly path: string
  readonly title: string
  /** Its place among its neighbours, where its front matter has an `order`. */
  readonly order: number
  readonly text: string
}

const folders = [
  ['tutorial', 'Tutorial'],
  ['how-to', 'How to'],
  ['reference', 'Reference'],
  ['explanation', 'Explanation'],
] as const

/** The groups of guides, in their order; any other word makes a group of its own name. */
const groups: Readonly<Record<string, string>> = {
  declare: 'Declare resources',
  accounts: 'Users and log-in',
  api: 'Use the API',
  client: 'Front ends',
  test: 'Test an application',
  operate: 'Run a server',
}

/** `order: 3` of the front matter, without quotes. */
const ownOf = (text: string, member: string) =>
  new RegExp(`^---\\n(?:.*\\n)*?${member}: "?(.*?)"?\\n(?:.*\\n)*?---\\n`).exec(text)?.[1]
const headingOf = (text: string) => /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '')

/** Every page of docs/ but records of decisions, unless `under` names their folder. */
export function readPages(under = '!(decisions)/'): readonly Page[] {
  const files = globSync([`${under}*.md`, ...(under === '!(decisions)/' ? ['*.md'] : [])], { cwd: docs })
  return files.toSorted().map((file) => {
    const text = readFileSync(join(docs, file), 'utf8')
    const path = file.replaceAll('\\', '/').replace(/\.md$/, '')
    const order = Number(ownOf(text, 'order') ?? 1000)
    return { path, title: ownOf(text, 'title') ?? headingOf(text) ?? path, order, text }
  })
}

const itemOf = ({ path, title }: Page): Item => ({ text: title, link: `/${path}` })
const byOrder = (a: Page, b: Page) => a.order - b.order || a.title.localeCompare(b.title, 'en')

function groupGuides(pages: readonly Page[]): Item[] {
  const found = Object.groupBy(pages, ({ path }) => basename(path).split('-')[0] as string)
  const order = [...new Set([...Object.keys(groups), ...Object.keys(found)])]
  return order.flatMap((word) => {
    const items = (found[word] ?? []).sort(byOrder).map(itemOf)
    return items.length > 0 ? [{ text: groups[word] ?? word, collapsed: true, items }] : []
  })
}

function itemsOf(folder: string, pages: readonly Page[]): Item[] {
  const own = pages.filter(({ path }) => dirname(path) === folder && basename(path) !== 'index')
  return folder === 'how-to' ? groupGuides(own) : own.sort(byOrder).map(itemOf)
}

const linkOf = ({ text, link = '' }: Item, folder: string) => `- [${text}](${link.replace(`/${folder}/`, '')}.md)`

/**
 * The page of a folder, `how-to/index.md`, ends with links to the others there that `isShown`
 * takes. Any other page stays as it is.
 */
export function withList(file: string, text: string, isShown: (path: string) => boolean = () => true): string {
  const folder = folders.find(([name]) => file === `${name}/index.md`)?.[0]
  if (folder === undefined) return text
  const lines = itemsOf(
    folder,
    readPages().filter(({ path }) => isShown(path)),
  ).map((item) =>
    item.items
      ? `\n## ${item.text}\n\n${item.items.map((one) => linkOf(one, folder)).join('\n')}`
      : linkOf(item, folder),
  )
  return `${text}\n${lines.join('\n')}\n`
}

/** Pages of decisions have a sidebar of their own: 150 of them would make each other page large. */
export function makeSidebar(): Record<string, Item[]> {
  const pages = readPages()
  const parts = folders.map(([folder, text]): Item => {
    const link = existsSync(join(docs, folder, 'index.md')) ? { link: `/${folder}/` } : {}
    return { text, ...link, collapsed: false, items: itemsOf(folder, pages) }
  })
  const rest = pages.filter(({ path }) => dirname(path) === '.' && path !== 'index').map(itemOf)
  const decisions = readPages('decisions/').map(itemOf)
  const toDecisions = decisions.slice(0, 1).map(({ link }) => ({ text: 'Decisions', link }))
  return {
    '/decisions/': [
      { text: 'Bindery', link: '/' },
      { text: 'Decisions', items: decisions },
    ],
    '/': [...parts.filter(({ items }) => items?.length), ...rest, ...toDecisions],
  }
}
