/**
 * A process that runs the effects of its database, for tests. Its clock is a file, and it logs to
 * another one: `start NAME ROLE`, `charge NAME ROLE` in a step, and `end NAME ROLE`. An effect that
 * names this process's role never ends in it.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { readConfig } from '../../src/config.ts'
import type { Effect, EffectTry } from '../../src/effects/effect-kind.ts'
import { startEffects } from '../../src/effects/run-effects.ts'
import { openStorage } from '../../src/storage/open.ts'
import { libraryCatalog } from '../storage/library.ts'
import { kindOf } from './kinds.ts'

const [, , clockFile = '', said = '', role = ''] = process.argv
const clock = () => Number(readFileSync(clockFile, 'utf8'))
const say = (what: string, name: string) => appendFileSync(said, `${what} ${name} ${role}\n`)

async function run({ payload }: Effect, { step }: EffectTry): Promise<void> {
  const { name, hangsFor } = payload as { name: string; hangsFor?: string }
  say('start', name)
  await step('charge', () => say('charge', name))
  say('charged', name)
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
