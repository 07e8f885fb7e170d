/** The table of refused values in docs/reference/field-values.md: each row is a test. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import * as entry from '../../src/index.ts'
import type { Field } from '../../src/resource/fields/field.ts'
import { outcomeOf } from './field-tables.ts'

const page = join(import.meta.dirname, '../../../../docs/reference/field-values.md')
const rows = [...readFileSync(page, 'utf8').matchAll(/^\| `(.+?)` \| `(.+?)` \| (.+) \|$/gm)]

/** `date({ min: '1900-01-01' })`, as a declaration has it. */
function declared(text: string): Field {
  const names = Object.keys(entry)
  return new Function(...names, `return ${text}`)(...Object.values(entry)) as Field
}

for (const [, text = '', value = '', refusal = ''] of rows)
  it(`${text} refuses ${value}`, () => {
    const field = declared(text)
    assert.deepEqual(field.mistakes, [])
    assert.equal(
      outcomeOf(() => field.type.check(JSON.parse(value), 'x', field)),
      `!${refusal}`,
    )
  })

it('the table has rows', () => assert.ok(rows.length > 20))
