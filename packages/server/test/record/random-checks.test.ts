/**
 * Random checks × random writes: a database takes a record exactly where a plain evaluation does
 * not say that the check fails, on both databases.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../src/errors.ts'
import { checkStep } from '../../src/record/declared/check-steps.ts'
import { makeRecordStore } from '../../src/record/record-store.ts'
import { resolveStages } from '../../src/record/stages.ts'
import { always, type Scalar } from '../../src/resource/condition.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { plainSettings as settings } from '../helpers/plain-settings.ts'
import { type Club, type ClubRow, clubCatalog, clubTime, randomClub } from '../policy/club.ts'
import { type RandomRule, randomRule } from '../policy/random-rules.ts'
import { addPeople, replaceClub } from '../policy/stored-club.ts'
import { openBoth } from '../storage/both-databases.ts'
import { deleteWhere, tester } from '../storage/library.ts'

const rounds = Number(process.env.CHECK_ROUNDS ?? 3)
const checksOfRound = 12
const player = clubCatalog.get('player')
const message = 'The record is not right'

/** Checks know no caller. No check here leads back to players, which change meanwhile. */
function isAboutRecord({ rule, words }: RandomRule): boolean {
  if (words.includes('players')) return false
  const facts = rule.type.judgesBy(rule, { catalog: clubCatalog, settings, resource: player })
  return facts.every((fact) => fact === 'clock')
}

function storeOf(storage: Storage, { rule }: RandomRule) {
  const checks = [{ name: 'right', message, at: 'nick', clock: false, rule }]
  const stagesOf = resolveStages([checkStep({ catalog: clubCatalog, settings }, player, checks)])
  const clock = () => Date.parse(clubTime) + 500
  return makeRecordStore({ catalog: clubCatalog, storage, clock, makeId: () => '', settings, stagesOf })
}

/** Whether the write was taken. Throws every error but the refusal of the check. */
async function isTaken(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    assert.deepEqual(
      [error.code, error.message, error.mistakes],
      ['bad-request', message, [{ field: 'nick', detail: message }]],
    )
    return false
  }
}

/** Creates each player, and then changes each that was taken into another one of them. */
async function tryCheck(storage: Storage, club: Club, one: RandomRule): Promise<void> {
  const records = storeOf(storage, one)
  const input = { club, caller: { kind: 'anonymous' } } as const
  const taken: ClubRow[] = []
  for (const row of club.player) {
    const created = await isTaken(records.transaction(tester, async (tx) => tx.insert(await tx.prepare(player, row))))
    assert.equal(created, one.plain(row, input) !== false, `create ${JSON.stringify(row)}: ${one.words}`)
    if (created) taken.push(row)
  }
  for (const [i, before] of taken.entries()) {
    const { id: _, ...changes } = club.player[(i * 7 + 3) % club.player.length] as ClubRow
    const where = { kind: 'compare', field: 'id', operator: 'eq', value: before.id as Scalar } as const
    const changed = await isTaken(
      records.transaction(tester, async (tx) => {
        const found = await tx.lock(player, where)
        assert.ok(found)
        return tx.change(player, found.row, changes)
      }),
    )
    const row = { ...changes, id: before.id }
    assert.equal(changed, one.plain(row, input) !== false, `change to ${JSON.stringify(row)}: ${one.words}`)
  }
  await storage.transaction(tester, (transaction) => deleteWhere(transaction, player, always))
}

test('a check refuses exactly the records for which a plain evaluation says that it fails', async (t) => {
  const databases = await openBoth(t, clubCatalog)
  for (const [, storage] of databases) await addPeople(storage)
  const checks = fc.array(randomRule.player.filter(isAboutRecord), {
    minLength: checksOfRound,
    maxLength: checksOfRound,
  })
  await fc.assert(
    fc.asyncProperty(randomClub, checks, async (club, all) => {
      for (const [, storage] of databases) {
        // The players are what is tried.
        await replaceClub(storage, { ...club, player: [] })
        for (const one of all) await tryCheck(storage, club, one)
      }
    }),
    { numRuns: rounds, endOnFailure: true },
  )
})
