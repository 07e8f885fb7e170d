/** The command `bindery erase`: erases a person or another record, with all copies. */

import { setTimeout } from 'node:timers/promises'
import { type Command, type Console, defineCommand } from '../../command/define-command.ts'
import { findResource } from '../../command/find-resource.ts'
import { Interrupted, UsageError } from '../../command/usage-error.ts'
import type { Engine } from '../../perform/engine.ts'
import { equal } from '../../resource/condition.ts'
import { consolePrincipal } from '../../resource/principal.ts'
import { loginOf } from '../users/named-user.ts'
import type { Erased } from './erase-record.ts'

type EraseOptions = { readonly of?: string; readonly dryRun?: boolean; readonly yes?: boolean }

async function confirmErasure(word: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError('no terminal to confirm the erasure: pass --yes, or --dry-run to count first')
  const { isCancel, confirm } = await import('@clack/prompts')
  const answer = await confirm({ message: `Erase ${word} for good?`, initialValue: false, output: process.stderr })
  if (isCancel(answer) || !answer) throw new Interrupted('Nothing was erased')
}

function target(engine: Engine, word: string, of: string | undefined) {
  const resource = of === undefined ? loginOf(engine).resource : findResource(engine.catalog, of)
  const login = engine.catalog.login?.resource === resource ? engine.catalog.login.mark.login : undefined
  if (login !== undefined && word.includes('@')) return { resource, where: equal(login, word) }
  const id = resource.hasCountedId ? Number(word) : word.toLowerCase()
  if (Number.isNaN(id)) throw new UsageError(`${word} is no id: the ids of ${resource.plural} are numbers`)
  return { resource, where: equal(resource.idField, id) }
}

/** The names of engine-made places are those of their kinds. */
function linesOf({ records, emptied, log, answers, effects, events, left }: Erased, dry: boolean): string {
  const row = (count: number, what: string) => (count > 0 ? `  ${count} ${what}\n` : '')
  const removed = Object.entries(records).map(([name, count]) => row(count, name))
  const stay = Object.entries(emptied).map(([name, count]) => row(count, `${name} stay, without the personal values`))
  const copies = [
    row(log, 'rows of the change log lost their values'),
    row(answers, 'kept answers'),
    row(effects, 'waiting effects and mails'),
    row(events, 'events of the audit lost their details'),
  ]
  const others = Object.entries(left).map(([name, count]) => row(count, `${name}: erase them by --of, or change them`))
  return [
    dry ? 'Would erase:\n' : 'Erased:\n',
    ...removed,
    ...stay,
    ...copies,
    ...(others.length > 0 ? ['Other records have the address in a text:\n', ...others] : []),
  ].join('')
}

/** When the command returns, no process takes the credentials of the erased user any more. */
async function untilKnown({ trustedMs }: Engine['storage']['changes']): Promise<void> {
  if (trustedMs > 0) await setTimeout(trustedMs)
}

async function erase(cli: Console, word: string, { of, dryRun = false, yes = false }: EraseOptions): Promise<void> {
  if (word === '') throw new UsageError('the id or e-mail is empty')
  if (!dryRun && !yes) await confirmErasure(word)
  const erased = await cli.withEngine(async (engine) => {
    const { eraseRecord } = await import('./erase-record.ts')
    const principal = consolePrincipal(engine.catalog)
    const done = await eraseRecord(engine, { ...target(engine, word, of), principal, dry: dryRun })
    if (!dryRun) await untilKnown(engine.storage.changes)
    return done
  })
  const { erasurePlaces } = await import('./erasure-places.ts')
  if (cli.output.json) return cli.output.value({ ...erased, dryRun, places: erasurePlaces })
  await cli.output.write(linesOf(erased, dryRun))
  cli.output.note('Backups and copies of the log still have the values: delete those that are older than this.')
}

export const eraseCommand: Command = defineCommand({
  name: 'erase',
  about: 'erase a user, or a record by --of, with every copy of its values',
  argument: { name: '<id-or-email>' },
  options: {
    of: { flag: '--of <resource>', about: 'the resource of the record; users without it' },
    dryRun: { flag: '--dry-run', about: 'count, and change nothing' },
    yes: { flag: '--yes', about: 'do not ask' },
  },
  examples: ['bindery erase ann@example.com --dry-run', 'bindery erase 12 --of orders --yes'],
  shows: ['resources'],
  run: ({ options, argument }, cli) => erase(cli, argument, options),
})
