/**
 * Random rules, up to four deep, for several callers on random records. Both databases find exactly
 * the records for which a plain evaluation says so.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Condition } from '../../src/resource/condition.ts'
import { makeMatcher } from '../../src/storage/derived/match.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { openBoth } from '../storage/both-databases.ts'
import { type Club, type ClubKind, clubCallers, clubCatalog, clubTime, randomClub } from './club.ts'
import { type RandomRule, randomRule } from './random-rules.ts'
import { addPeople, kinds, replaceClub, resourceOf } from './stored-club.ts'

const rounds = process.env.TEST_LONG ? 13 : 2
const settings = { currency: 'USD', signUp: 'open' } as const

function conditionsOf({ rule }: RandomRule, kind: ClubKind, principal: (typeof clubCallers)[number]) {
  const asked = { catalog: clubCatalog, settings, resource: resourceOf(kind), principal, now: () => clubTime }
  return { holds: rule.type.where(rule, asked), fails: rule.type.whereNot(rule, asked) }
}

async function found(storage: Storage, kind: ClubKind, where: Condition): Promise<Set<unknown>> {
  return new Set((await storage.list(resourceOf(kind), { where, sort: [], limit: 1000 })).map(({ id }) => id))
}

test('a rule holds, and certainly does not hold, exactly where a plain evaluation says so', async (t) => {
  const databases = await openBoth(t, clubCatalog)
  for (const [, storage] of databases) await addPeople(storage)
  const { compile } = makeMatcher()
  let judged = 0
  const draw = fc.tuple(
    randomClub,
    ...kinds.map((kind) => fc.array(randomRule[kind], { minLength: 40, maxLength: 40 })),
  ) as fc.Arbitrary<[Club, RandomRule[], RandomRule[]]>
  await fc.assert(
    fc.asyncProperty(draw, async ([club, ofTeams, ofPlayers]) => {
      for (const [, storage] of databases) await replaceClub(storage, club)
      for (const [kind, rules] of [
        ['team', ofTeams],
        ['player', ofPlayers],
      ] as const)
        for (const one of rules)
          for (const caller of clubCallers) {
            judged += 1
            const { holds, fails } = conditionsOf(one, kind, caller)
            const verdicts = new Map(club[kind].map((row) => [row.id, one.plain(row, { club, caller })]))
            const where = JSON.stringify({ rule: one.words, caller, holds })
            for (const [name, storage] of databases) {
              const [yes, no] = [await found(storage, kind, holds), await found(storage, kind, fails)]
              for (const [id, verdict] of verdicts)
                assert.deepEqual(
                  [yes.has(id), no.has(id)],
                  [verdict === true, verdict === false],
                  `${name}: ${id}: ${where}`,
                )
            }
            const [isHeld, isFailed] = [compile(resourceOf(kind), holds), compile(resourceOf(kind), fails)]
            for (const row of club[kind]) {
              const verdict = verdicts.get(row.id)
              assert.ok([verdict === true, undefined].includes(isHeld(row)), `JavaScript: ${row.id}: ${where}`)
              assert.ok([verdict === false, undefined].includes(isFailed(row)), `JavaScript: ${row.id}: ${where}`)
            }
          }
    }),
    { numRuns: rounds },
  )
  assert.ok(judged >= rounds * 80 * clubCallers.length)
})
