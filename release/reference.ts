/**
 * `npm run golden` writes docs/reference/declarations.md with this program: every field, rule and
 * option, from the comments in the sources. A public name without a comment is an error, and so is
 * an exported name that no section has.
 */

import { join } from 'node:path'
import * as former from '../packages/server/src/resource/words/renamed.ts'
import { type Callable, type Member, readSources, type Sources } from './declared-types.ts'
import { type Section, sections, type TypeOf } from './reference-sections.ts'

const missing: string[] = []

const cell = (text: string) => text.replaceAll('|', '\\|')
const link = (title: string) => `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`

/** Types whose members stand in a section. */
const sectionOf = new Map(sections.flatMap(({ title, types = [] }) => types.map(([, type]) => [type, title] as const)))

function row({ name, needed, type, written, comment }: Member, of: string): string {
  if (comment === '') missing.push(`${of}.${name}`)
  const named = [...sectionOf].find(([one]) => new RegExp(`\\b${one}\\b`).test(written))?.[1]
  const told = named && named !== sectionOf.get(of) ? link(named) : ''
  const takes = type === '' ? told : `\`${type}\``
  return `| \`${name}\`${needed ? ' *' : ''} | ${cell(takes)} | ${cell(comment)} |`
}

function printType(sources: Sources, [file, type, head]: TypeOf, title: string): string {
  const { members, includes } = sources.shape(file, type)
  const others = new Set(includes.map((name) => sectionOf.get(name)))
  for (const name of includes)
    if (!sectionOf.has(name)) missing.push(`${type}: ${name}, of which it has the members: in no section`)
  const more = [...others].filter((one) => one !== undefined && one !== title).map((one) => link(one as string))
  const table = ['| | Takes | |', '|---|---|---|', ...members.map((one) => row(one, type))]
  return [`${head}:`, '', ...table, ...(more.length > 0 ? ['', `And: ${more.join(', ')}.`] : [])].join('\n')
}

function printFunction(name: string, { call, comment }: Callable): string {
  if (comment === '') missing.push(name)
  return `| \`${call}\` | ${cell(comment)} |`
}

function printSection(sources: Sources, { title, functions = [], types = [] }: Section): string {
  const calls = functions.map((name) => printFunction(name, sources.callable(name)))
  const table = calls.length > 0 ? ['| | |', '|---|---|', ...calls, ''] : []
  return [`## ${title}`, '', ...table, types.map((one) => printType(sources, one, title)).join('\n\n')]
    .join('\n')
    .trimEnd()
}

const head = `# Declarations

For developers of an application: every member, field type, rule and option of a declaration, made from the comments in the sources. [How to](../how-to/index.md) has guides with examples. \`*\`: required.
`

const sources = readSources(join(import.meta.dirname, '..'))
try {
  const shown = new Set(sections.flatMap(({ functions = [] }) => functions))
  const contents = sections.map(({ title }) => `- ${link(title)}`).join('\n')
  const printed = sections.map((section) => printSection(sources, section))
  // Names of before, which only say what they are called now.
  const renamed = Object.keys(former)
  const forgotten = sources.exported
    .filter((name) => !shown.has(name) && !renamed.includes(name))
    .map((name) => `${name}: in no section`)
  if (missing.length + forgotten.length > 0) {
    process.stderr.write(
      `Not in the reference, for lack of a comment or a section:\n${[...missing, ...forgotten].map((one) => `  ${one}\n`).join('')}`,
    )
    process.exitCode = 1
  }
  process.stdout.write(`${[head, contents, '', printed.join('\n\n')].join('\n')}\n`)
} finally {
  sources.close()
}
