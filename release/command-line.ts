/**
 * `npm run golden` writes docs/reference/command-line.md with this program: every command and
 * option, from their declarations.
 */
import type { Command } from 'commander'
import { makeProgram } from '../packages/server/src/cli/program.ts'

const head = `---
title: Command line
---

# Command line

For operators and developers at a terminal. The sources make this page; \`npx bindery COMMAND --help\` prints the same, with examples.

Each command works on the database of [the environment](configuration.md), also while a server runs on it. Results go to standard output, remarks to standard error.

| Exit code | Meaning |
|---|---|
| 0 | done |
| 1 | failed |
| 2 | called wrongly |
| 130 | stopped by Ctrl-C |

Every command takes \`--json\`, for programs: JSON on standard output, \`{"error": …}\` on standard error. \`--debug\` prints the stack of an unexpected error, and \`--help\` the options.
`

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** `serve REST` → `Serve REST.` */
function sentence(text: string): string {
  const whole = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}

/** A `<name>` in a text is no element of HTML. */
const words = (text: string) => cell(sentence(text)).replaceAll('<', '\\<')

function printCommand(command: Command, path: string, level: '##' | '###'): string {
  const usage = command
    .usage()
    .replace('[options] ', '')
    .replace('[options]', '')
    .replace('[command]', 'COMMAND')
    .trim()
  const options = command.options.filter(({ hidden }) => !hidden)
  const args = command.registeredArguments.filter(({ description }) => description)
  const rows = [
    ...args.map((one) => `| \`${one.name()}\` | ${words(one.description)} |`),
    ...options.map(({ flags, description }) => `| \`${cell(flags)}\` | ${description ? words(description) : ''} |`),
  ]
  const others = command.aliases().map((alias) => `\`${alias}\``)
  return [
    `${level} ${path}`,
    '',
    `\`bindery ${[path, usage].filter(Boolean).join(' ')}\`: ${command.description()}.${others.length > 0 ? ` Also: ${others.join(', ')}.` : ''}`,
    '',
    ...(rows.length > 0 ? ['| Option | Effect |', '|---|---|', ...rows, ''] : []),
    ...command.commands.map((one) => printCommand(one, `${path} ${one.name()}`, '###')),
  ].join('\n')
}

const program = makeProgram({} as Parameters<typeof makeProgram>[0])
const printed = program.commands.map((command) => printCommand(command, command.name(), '##'))
process.stdout.write(`${[head, ...printed].join('\n').trimEnd()}\n`)
