#!/usr/bin/env node
/** The program `create-bindery`, which `npm create bindery` runs. */
import { parseArgs } from 'node:util'
import { createApplication } from './new-application.ts'
import { optionTexts } from './options.ts'
import { isClone } from './packed-engine.ts'
import { CreateError } from './write-project.ts'

const options = {
  kind: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  'no-install': { type: 'boolean' },
  engine: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

const help = `${isClone ? 'npm run create -- [folder] [options]' : 'npm create bindery@latest [folder] -- [options]'}

  --kind <kind>      ${optionTexts.kind}
  -y, --yes          ${optionTexts.yes}
  --no-install       ${optionTexts.noInstall}
  --engine <spec>    ${optionTexts.engine}
`

try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) process.stdout.write(help)
  else await createApplication(positionals[0], { ...values, install: !values['no-install'] })
} catch (error) {
  const isExpected = error instanceof CreateError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  process.stderr.write(`${isExpected ? (error as Error).message : (error as Error).stack}\n`)
  process.exitCode = 1
}
