/**
 * `npm run golden` writes docs/reference/reserved-words.md with this program: every word of the
 * list that the checks of declarations read.
 */
import { engineNames } from '../packages/server/src/resource/checks/declaration-check.ts'
import type { NamePosition, ReservedWord, ServedPath } from '../packages/server/src/resource/words/reserve.ts'
import { reservedWords } from '../packages/server/src/resource/words/reserved-words.ts'
import { servedPaths } from '../packages/server/src/resource/words/served-paths.ts'

const code = (word: string) => `\`${word}\``
const codes = (words: readonly string[]) => words.map(code).join(' ')
const members = Object.getOwnPropertyNames(Object.prototype).filter((name) => /^[a-z]\w*$/i.test(name))

const head = `---
title: Reserved words
---

# Reserved words

For developers of an application: the words for which the engine has a use, where a name of yours may be one of them. The sources make this page, and the checks of a start read the same list.

- Names that begin with \`_\` are the engine's: in paths, parameters, fields and types. Yours begin with a letter; \`_id\` alone is left to you. New names of the engine begin with \`_\`, so an upgrade takes no name from you.
- No name is a member of every object: ${codes(members.toSorted())}.
- Where both names can stay, yours does, and the engine has another one. Otherwise the start refuses yours, before it touches anything. \`npx bindery check\` lists all at once, each with your file and the engine's use.

<!-- not run: the beginning of a message -->
\`\`\`text
resources/things.ts: thing: field "page": the engine uses this name for a query parameter of every list; choose another
resources/things.ts: thing: field "_key": ${engineNames}
\`\`\`
`

const positions: Readonly<Record<NamePosition, string>> = {
  field: 'a field',
  input: 'an input of an action',
  filter: 'a filter of `list.filters`',
  relation: 'the relation of a reference, `owner` of `ownerId`',
  child: 'a child',
  action: 'an action or a transition',
  query: 'a query of GraphQL, such as a plural',
  type: 'the type of a resource, `OrderItem` of `orderItem`',
  scope: 'a plural in paths and scopes, `order-items`',
  resource: 'a resource',
  path: 'a path',
}

const conditions: Readonly<Record<NonNullable<ReservedWord['only']>, string>> = {
  users: ', for the resource of users',
  keys: ', where there are API keys',
  tables: ', where `accounts` adds it',
}

const useOf = ({ use, only }: ReservedWord) => `${use}${only === undefined ? '' : conditions[only]}`

/** A row has so many words, for readers of the source. */
const wordsMost = 20

function chunks<T>(all: readonly T[]): T[][] {
  return all.length <= wordsMost ? [[...all]] : [all.slice(0, wordsMost), ...chunks(all.slice(wordsMost))]
}

function table(rows: readonly ReservedWord[], isKept: boolean): string {
  const alike = Map.groupBy(rows, ({ at, use, outcome = '', only = '' }) => [at, use, outcome, only].join())
  const lines = [...alike.values()].flatMap(chunks).map((some) => {
    const [first] = some as [ReservedWord]
    const cells = [
      positions[first.at],
      codes(some.map(({ word }) => word)),
      useOf(first),
      ...(isKept ? [first.outcome] : []),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const names = ['Your name of', 'Words', "The engine's use", ...(isKept ? ['Outcome'] : [])]
  return [`| ${names.join(' | ')} |`, `|${names.map(() => '---|').join('')}`, ...lines].join('\n')
}

const mounts: Readonly<Record<ServedPath['mount'], (path: string) => string>> = {
  root: code,
  api: (path) => code(`/api/v1${path}`),
  both: (path) => `${code(`/api/v1${path}`)} ${code(path)}`,
}

function pathRow({ path, mount, use, operations }: ServedPath): string {
  const refused = operations.map((operation) => code(`access.${operation}`)).join(' or ')
  return `| ${mounts[mount](path.replace(/:(\w+)/g, '{$1}'))} | ${use} | ${refused} |`
}

const isKept = ({ outcome }: ReservedWord) => outcome !== undefined
const parts = [
  head,
  `## Refused\n\n${table(
    reservedWords.filter((row) => !isKept(row)),
    false,
  )}\n`,
  `## Both stay\n\n${table(reservedWords.filter(isKept), true)}\n`,
  `## Paths of the engine\n\nA resource at such a path is refused where both would answer: with \`atRoot: true\` for those at the root. The paths of the tables of accounts, such as \`/sessions\`, are paths of resources.\n`,
  ['| Path | Use | Refused with |', '|---|---|---|', ...servedPaths.map(pathRow)].join('\n'),
]
process.stdout.write(`${parts.join('\n').trimEnd()}\n`)
