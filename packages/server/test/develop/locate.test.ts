/** Locates a mistake that the start reports: its file, line and column. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeFolder, temporaryFolder } from 'bindery-server/test'
import { locateProblem } from '../../src/develop/locate.ts'

const file = `const fields = {
  title: text({ reqired: true }),
}
export const tasks = defineResource({
  name: 'task',
  fields,
  list: { style: 'page', search: ['title'] },
  access: { list: anyone },
})
export const nightly = defineSchedule({
  name: 'nightly',
  cron: '61 * * * *',
})
// This one is missing.
`
const mail = 'Subject: Hello\n\nDear {{nam}},\n'
const places: readonly (readonly [reported: string, line: number, column: number])[] = [
  ['tasks.ts: task: field "title": no option "reqired"; did you mean "required"?', 2, 17],
  ['tasks.ts: task: list.search: "title" is no text', 7, 36],
  ['tasks.ts: task: path: is missing, and no other one has it: its operations cannot be reached', 5, 3],
  ['  tasks.ts:2: text is not defined; import it', 2, 10],
  ['tasks.ts: task: access.list: no caller can satisfy this', 8, 13],
  ['tasks.ts: defineSchedule("nightly"): cron: must be an expression of cron', 12, 3],
]

for (const [reported, line, column] of places)
  test(reported, () => {
    const folder = temporaryFolder()
    try {
      writeFileSync(join(folder, 'tasks.ts'), file)
      const found = locateProblem(folder, `  ${reported}`)
      assert.deepEqual([found.file, found.line, found.column], ['tasks.ts', line, column])
    } finally {
      removeFolder(folder)
    }
  })

test('a mistake in the text of a mail', () => {
  const folder = temporaryFolder()
  try {
    writeFileSync(join(folder, 'welcome.en.txt'), mail)
    const said = 'welcome.en.txt:3: {{nam}} is no value of this mail; did you mean "name"?'
    const { file, line, column } = locateProblem(folder, `  mails.ts: defineMail("welcome"): ${said}`)
    assert.deepEqual([file, line, column], ['welcome.en.txt', 3, 6])
    assert.deepEqual(locateProblem(folder, said).line, 3)
  } finally {
    removeFolder(folder)
  }
})
