/**
 * A process that runs effects of the database of its environment, for tests. Its clock is a file,
 * and what it does stands in another one: `start NAME ROLE` and `end NAME ROLE`. An effect that
 * names a role to hang for never ends in that one.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { readConfig } from '../../src/config.ts'
import type { Effect } from '../../src/effects/effect-kind.ts'
import { startEffects } from '../../src/effects/run-effects.ts'
import { openStorage } from '../../src/storage/open.ts'
import { libraryCatalog } from '../storage/library.ts'
import { kindOf } from './kinds.ts'

const [, , clockFile = '', said = '', role = ''] = process.argv
const clock = () => Number(readFileSync(clockFile, 'utf8'))
const say = (what: string, name: string) => appendFileSync(said, `${what} ${name} ${role}\n`)

async function run({ payload }: Effect): Promise<void> {
  const { name, hangsFor } = payload as { name: string; hangsFor?: string }
  say('start', name)
  if (hangsFor === role) await new Promise(() => undefined)
  say('end', name)
}

const storage = await openStorage(readConfig(process.env).database, libraryCatalog, { heldMs: 0, making: 'fresh' })
startEffects({
  storage,
  kinds: [kindOf('lines', run, { inOrder: true }), kindOf('plain', run)],
  clock,
  times: { leaseMs: 60_000, checkMs: 50, stopMs: 0 },
  report: (message, error) => say('report', `${message}: ${error}`),
})
say('ready', role)
setInterval(() => undefined, 60_000)
