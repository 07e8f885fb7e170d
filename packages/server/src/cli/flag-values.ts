/**
 * Refuses values that the caller cannot mean. One is an option of the command as the value of
 * another one: `export --all --help`; `--name=--help` passes it on purpose. The other is an empty
 * argument.
 */
import type { Command, Option } from 'commander'
import { UsageError } from '../command/usage-error.ts'

function guard(option: Option, flags: ReadonlySet<string | undefined>): void {
  const parse = option.parseArg
  option.argParser((value, previous) => {
    if (flags.has(value)) throw new UsageError(`${option.flags} needs a value, and is given ${value}`)
    return parse ? parse(value, previous) : value
  })
}

/**
 * Checks this command and those below it. `above`: the options of commands above, which hold for it
 * too.
 */
export function refuseFlagsAsValues(command: Command, above: readonly (string | undefined)[] = ['--help', '-h']): void {
  const flags = [...above, ...command.options.flatMap(({ long, short }) => [long, short])]
  for (const option of command.options) if (option.required) guard(option, new Set(flags))
  for (const below of command.commands) refuseFlagsAsValues(below, flags)
}

/**
 * An empty argument is a shell variable without a value: `effects remove "$ID"`. Read as the
 * beginning of an id, it would mean every record.
 */
export function refuseEmptyArguments(program: Command): void {
  program.hook('preAction', (_program, { args, registeredArguments }) => {
    const at = args.indexOf('')
    if (at < 0) return
    const name = registeredArguments[Math.min(at, registeredArguments.length - 1)]?.name() ?? 'argument'
    throw new UsageError(`the argument ${name} is empty`)
  })
}
