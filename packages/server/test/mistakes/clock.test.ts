/**
 * Computed fields that depend on the time: the start refuses every access to a clock except the
 * given one, with file and field.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { derived, embedded, integer } from '../../src/index.ts'
import type { DerivedInput } from '../../src/resource/fields/virtual-kinds.ts'
import { loosely, mistakesOf, part, thing } from './declaring.ts'

const own = { Date, now: Date.now }
const years = (now: number) => Math.floor(now / 31_557_600_000)
const ways: readonly (readonly [way: string, compute: (record: DerivedInput) => number])[] = [
  ['Date.now()', () => years(Date.now())],
  ['new Date()', () => new Date().getFullYear()],
  ['Date()', () => Date().length],
  ['performance.now()', () => years(performance.now())],
  [
    'new Date()',
    ({ name }) => (name === 'no text' ? 0 : years(new Date().getUTCSeconds() - new Date('2026-01-31').getUTCDate())),
  ],
]
const advice = 'use now: derived(…, (record, { now }) => …, { clock: true })'

describe('a computed field that reads the clock itself', () => {
  for (const [way, compute] of ways)
    it(`by ${way}: ${String(compute)}`, () => {
      assert.deepEqual(mistakesOf([thing({ fields: { age: derived(integer(), compute) } })]), [
        `thing: field "age": reads the clock by ${way}; ${advice}`,
      ])
      assert.equal(mistakesOf([thing({ fields: { age: derived(integer(), compute, { clock: true }) } })]).length, 1)
    })

  it('leaves the clock as it was', () => {
    assert.equal(Date, own.Date)
    assert.equal(Date.now, own.now)
  })

  it('may read times that it is given', () => {
    const computes = [
      ({ name }: DerivedInput) => new Date(name).getTime() + Date.parse('2026-01-31') + Date.UTC(2026),
      ({ name }: DerivedInput) => (name instanceof Date ? 1 : 0),
    ]
    for (const compute of computes)
      assert.deepEqual(mistakesOf([thing({ fields: { age: derived(integer(), compute) } })]), [])
    const given = derived(integer(), (_record, { now }) => Date.parse(now), { clock: true })
    assert.deepEqual(mistakesOf([thing({ fields: { age: given } })]), [])
  })
})

const age = derived(integer(), (_record, { now }) => Date.parse(now), { clock: true })

describe('a computed field that depends on the time without saying so', () => {
  const table: readonly (readonly [mistake: string, of: readonly unknown[], says: string])[] = [
    [
      'asks for now',
      [thing({ fields: { age: loosely(derived, integer(), (_record: object, { now }: { now: string }) => Date.parse(now)) } })],
      'thing: field "age": asks for now: declare it with { clock: true }',
    ],
    [
      'is computed from one that does',
      [thing({ fields: { age, twice: derived(integer(), (one) => one.age * 2) } })],
      'thing: field "twice": is computed from "age", which depends on the time: declare it with { clock: true }, too',
    ],
    [
      'is computed from one of embedded records',
      [
        thing({
          fields: {
            parts: embedded('part', 'thingId'),
            oldest: derived(integer(), ({ parts }) => Math.max(...parts.map((one: { age: number }) => one.age))),
          },
        }),
        part({ fields: { age } }),
      ],
      'thing: field "oldest": is computed from "parts.age", which depends on the time: declare it with { clock: true }, too',
    ],
    [
      'misspells the option',
      [thing({ fields: { age: loosely(derived, integer(), () => 1, { clok: true }) } })],
      'thing: field "age": no option "clok"; did you mean "clock"?',
    ],
  ] // biome-ignore format: a table
  for (const [mistake, of, says] of table) it(mistake, () => assert.deepEqual(mistakesOf(of), [says]))
})
