/**
 * `export --all --help`: an option that needs a value takes no other option of its command for it.
 * `--name=--help` says what is meant.
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

/** For this command and those below it; `above`: the options that hold for it too. */
export function refuseFlagsAsValues(command: Command, above: readonly (string | undefined)[] = ['--help', '-h']): void {
  const flags = [...above, ...command.options.flatMap(({ long, short }) => [long, short])]
  for (const option of command.options) if (option.required) guard(option, new Set(flags))
  for (const below of command.commands) refuseFlagsAsValues(below, flags)
}
