/** Records of decisions are short: 25 lines of 100 columns before the heading `Figures`. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { root } from './documents.ts'

const linesMax = 25
const charactersMax = linesMax * 100
const decisions = globSync('docs/decisions/*.md', { cwd: root }).toSorted()
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

test('a decision is at most 25 lines of context, choice and consequence; figures come behind', () => {
  assert.ok(decisions.length > 100)
  const wrong = decisions.flatMap((file) => {
    const text = textOf(file)
    const [summary = ''] = text.split('\n## Figures\n')
    const body = summary.trim().split('\n').slice(1).join('\n').trim()
    const count = body.split('\n').length
    const number = basename(file).slice(0, 4)
    return [
      ...(text.startsWith(`# ${number}`) ? [] : [`${file}: begins with # ${number} and its title`]),
      ...(count > linesMax ? [`${file}: ${count} lines; ${linesMax} at most before ## Figures`] : []),
      ...(body.length > charactersMax
        ? [`${file}: ${body.length} characters; ${charactersMax} at most before ## Figures`]
        : []),
    ]
  })
  assert.deepEqual(wrong, [])
})

test('two decisions have two numbers', () => {
  const numbers = decisions.map((file) => basename(file).slice(0, 4))
  assert.deepEqual(
    numbers.filter((one, at) => numbers.indexOf(one) !== at),
    [],
  )
})
